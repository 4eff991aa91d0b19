package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	for _, text := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200",
		"169.254.169.254", "168.63.129.16", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b:1::1", "fe80::1%eth0", "fc00::1",
		"fd00:ec2::254", "fec0::1", "ff02::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
	} {
		if refusal(netip.MustParseAddr(text)) == "" {
			t.Errorf("%s is allowed", text)
		}
	}
	for _, text := range []string{"1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:8.8.8.8", "2a00:1450:4001::200e"} {
		if what := refusal(netip.MustParseAddr(text)); what != "" {
			t.Errorf("%s is %s", text, what)
		}
	}
}

func TestNothingPrivateIsReached(t *testing.T) {
	reached := 0
	server := serve(t, func(http.ResponseWriter, *http.Request) { reached++ })
	port := server[strings.LastIndex(server, ":"):]
	for _, address := range []string{server, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port, "http://0.0.0.0" + port, "http://2130706433" + port, "http://169.254.169.254/latest"} {
		_, err := client(Options{}).Fetch(t.Context(), address)
		if err == nil {
			t.Errorf("%s was read", address)
		}
		refused := new(RefusedError)
		if !errors.As(err, &refused) && !strings.Contains(err.Error(), "there is no host") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if reached != 0 {
		t.Error("the server was reached")
	}
	_, err := client(Options{}).Fetch(t.Context(), "http://127.0.0.1"+port+"/x")
	want := "reading http://127.0.0.1" + port + "/x: 127.0.0.1 is a loopback address, which is not read from unless the setting fetch.allowPrivate is on"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v", err)
	}
}

// TestARedirectCannotLeadInside lets the first hop pass by a proxy, as no public
// server is at hand.
func TestARedirectCannotLeadInside(t *testing.T) {
	inside := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret")) })
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside, http.StatusFound) })
	through := func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "1.1.1.1" {
			return url.Parse(proxy)
		}
		return nil, nil
	}
	refused := new(RefusedError)
	if _, err := client(Options{Proxy: through}).Fetch(t.Context(), "http://1.1.1.1/"); !errors.As(err, &refused) {
		t.Errorf("error is %v", err)
	}
}

func TestAProxyIsNotAskedForPrivateAddresses(t *testing.T) {
	asked := ""
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked += r.URL.String() + " "
		_, _ = w.Write([]byte("page"))
	})
	always := func(*http.Request) (*url.URL, error) { return url.Parse(proxy) }
	for _, address := range []string{"http://127.0.0.1/", "http://[::1]/", "http://localhost./", "http://metadata.google.internal/", "http://169.254.169.254/"} {
		refused := new(RefusedError)
		if _, err := client(Options{Proxy: always}).Fetch(t.Context(), address); !errors.As(err, &refused) {
			t.Errorf("%s: %v", address, err)
		}
	}
	page, err := client(Options{Proxy: always}).Fetch(t.Context(), "http://no-such-host.invalid/x")
	if err != nil || string(page.Body) != "page" || asked != "http://no-such-host.invalid/x " {
		t.Errorf("%v %v %q", page, err, asked)
	}
}

func TestAPageIsFetched(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, "/new?q=1", http.StatusFound)
		case "/new":
			if r.Header.Get("User-Agent") != "Veyyon/test" || r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("headers are %v", r.Header)
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte("hi"))
		}
	})
	page, err := client(Options{Agent: "Veyyon/test", AllowPrivate: true}).Fetch(t.Context(), strings.Replace(server, "//", "//user:pass@", 1)+"/old")
	want := fmt.Sprint(Page{URL: server + "/new?q=1", Moved: true, Status: 418, Type: "text/plain; charset=utf-8", Body: []byte("hi")})
	if err != nil || fmt.Sprint(*page) != want {
		t.Errorf("%v, %v; want %s", page, err, want)
	}
}

func TestAPageThatIsTooMuchIsCutOrGivenUp(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			pack := gzip.NewWriter(w)
			for piece := make([]byte, 1<<20); ; {
				if _, err := pack.Write(piece); err != nil {
					return
				}
			}
		case "/odd":
			w.Header().Set("Content-Encoding", "br")
		case "/silent":
			_, _ = w.Write([]byte("a"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/drip":
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("a"))
				_ = http.NewResponseController(w).Flush()
			}
		case "/headers":
			w.Header().Set("X", strings.Repeat("x", 2*maxHeaders))
		case "/short":
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("a"))
		}
	})
	patient, hasty, brief := client(Options{AllowPrivate: true}), client(Options{AllowPrivate: true}), client(Options{AllowPrivate: true})
	hasty.idle, brief.total = 100*time.Millisecond, 200*time.Millisecond
	for path, want := range map[string]string{
		"/loop":    "redirected more than 10 times",
		"/file":    "redirected to a file URL",
		"/odd":     `packed the page as "br"`,
		"/silent":  "the server stopped sending for 100ms",
		"/drip":    "not complete in time: after 200ms",
		"/headers": "headers exceeded",
		"/short":   "unexpected EOF",
	} {
		c := patient
		switch path {
		case "/silent":
			c = hasty
		case "/drip":
			c = brief
		}
		if _, err := c.Fetch(t.Context(), server+path); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "reading "+server+path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	page, err := patient.Fetch(t.Context(), server+"/bomb")
	if err != nil || !page.Cut || len(page.Body) != maxBody || !bytes.Equal(page.Body[:9], make([]byte, 9)) {
		t.Errorf("the bomb: %v", err)
	}
	cause := errors.New("aborted")
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer stop()
	if _, err := patient.Fetch(ctx, server+"/silent"); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
}

func TestErrorsHoldNoCredentials(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for _, address := range []string{
		"http://user:hunter2@" + closed.Addr().String(), "http://user:hunter2@no-such-host.invalid/", "ftp://user:hunter2@x/", "http://user:hunter2@", "http://user:hunter2@[::1/%zz", "http://user:hunter2@x:port/",
	} {
		_, err := client(Options{AllowPrivate: true}).Fetch(t.Context(), address)
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "user") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Neither those of a proxy, nor those of where a redirect leads.
func TestErrorsHoldNoCredentialsOfOthers(t *testing.T) {
	away := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://user:hunter2@[::1/")
		w.WriteHeader(http.StatusFound)
	})
	unread := func(*http.Request) (*url.URL, error) {
		return nil, errors.New(`invalid proxy address "http://user:hun/ter2@proxy": parse "http://user:hun/ter2@proxy": invalid port ":hun" after host`)
	}
	for address, proxy := range map[string]func(*http.Request) (*url.URL, error){away: nil, "http://host.example/": unread} {
		_, err := client(Options{AllowPrivate: true, Proxy: proxy}).Fetch(t.Context(), address)
		if err == nil || strings.Contains(err.Error(), "hun") || strings.Contains(err.Error(), "user") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// client uses no proxy unless it is told to.
func client(opts Options) *Client {
	if opts.Proxy == nil {
		opts.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	}
	return New(opts)
}

func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}
