package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-the-secret-key"

// ask makes a request to the server; its answer is finished by the event "end"
// and complete with the event "complete".
func ask(t *testing.T, ctx context.Context, c *Client, address string) (events []string, err error) {
	t.Helper()
	req := &model.Request{Model: &model.Model{Headers: map[string]string{"X-Token": "header-secret"}}}
	call := NewCall(req, address, map[string]string{"q": "hi"})
	call.Authorize("Authorization", "Bearer ", key)
	err = c.Stream(ctx, call, func(data []byte) (State, error) {
		events = append(events, string(data))
		switch string(data) {
		case "end":
			return Finished, nil
		case "complete":
			return Complete, nil
		default:
			return Streaming, nil
		}
	})
	return events, err
}

func serve(t *testing.T, handler http.HandlerFunc) (*Client, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	client := NewClient()
	t.Cleanup(func() {
		client.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return client, server.URL
}

func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
	w.(http.Flusher).Flush()
}

func TestErrorsOfProvidersAreMapped(t *testing.T) {
	soon := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		class  model.Class
		text   string
		retry  time.Duration // ± a second
	}{
		"bad key":         {401, nil, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`, model.ClassAuth, "401 Unauthorized: Incorrect API key provided", 0},
		"forbidden":       {403, nil, `forbidden`, model.ClassAuth, "403 Forbidden: forbidden", 0},
		"rate limit":      {429, map[string]string{"Retry-After": "7"}, `{"error":{"message":"slow down"}}`, model.ClassTransient, "429 Too Many Requests: slow down", 7 * time.Second},
		"in milliseconds": {429, map[string]string{"Retry-After-Ms": "2500", "Retry-After": "9"}, `{}`, model.ClassTransient, "429 Too Many Requests: {}", 2500 * time.Millisecond},
		"as a date":       {503, map[string]string{"Retry-After": soon}, ``, model.ClassTransient, "503 Service Unavailable", 90 * time.Second},
		"at a reset":      {429, map[string]string{"X-Ratelimit-Reset": fmt.Sprint(time.Now().Add(30 * time.Second).Unix())}, ``, model.ClassTransient, "429 Too Many Requests", 30 * time.Second},
		"at a reset in milliseconds": {
			429,
			map[string]string{"X-Ratelimit-Reset-Ms": fmt.Sprint(time.Now().Add(30 * time.Second).UnixMilli())},
			``,
			model.ClassTransient, "429 Too Many Requests", 30 * time.Second,
		},
		"in words":          {429, nil, `{"error":{"message":"Please try again in 1m2.5s."}}`, model.ClassTransient, "429 Too Many Requests: Please try again in 1m2.5s.", 62500 * time.Millisecond},
		"Google's way":      {429, nil, `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"retryDelay":"36s"}]}}]`, model.ClassUsageLimit, "429 Too Many Requests: You exceeded your current quota", 36 * time.Second},
		"overloaded":        {529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.ClassTransient, "529: Overloaded", 0},
		"overflow":          {400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`, model.ClassOverflow, "400 Bad Request: prompt is too long: 9 > 8", 0},
		"overflow by code":  {400, nil, `{"error":{"message":"no","code":"context_length_exceeded"}}`, model.ClassOverflow, "400 Bad Request: no", 0},
		"too large":         {413, nil, ``, model.ClassOverflow, "413 Request Entity Too Large", 0},
		"filtered":          {400, nil, `{"error":{"code":"content_filter","message":"no"}}`, model.ClassContentBlocked, "400 Bad Request: no", 0},
		"a plain string":    {500, nil, `{"error":"it broke"}`, model.ClassTransient, "500 Internal Server Error: it broke", 0},
		"FastAPI":           {422, nil, `{"detail":"no such field"}`, 0, "422 Unprocessable Entity: no such field", 0},
		"a page":            {404, nil, `<html>nothing</html>`, 0, "404 Not Found: <html>nothing</html>", 0},
		"a redirect":        {308, map[string]string{"Location": "https://elsewhere/"}, ``, 0, "308 Permanent Redirect to https://elsewhere/", 0},
		"JSON, no stream":   {200, map[string]string{"Content-Type": "application/json"}, `{"error":{"code":503,"message":"try later"}}`, model.ClassTransient, "the provider answered without a stream: try later", 0},
		"not of this world": {200, map[string]string{"Content-Type": "text/html"}, `<html>log in</html>`, model.ClassTransient, "the provider answered without a stream: <html>log in</html>", 0},
	} {
		t.Run(name, func(t *testing.T) {
			client, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range c.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := ask(t, t.Context(), client, address)
			var failure *model.Error
			if !errors.As(err, &failure) {
				t.Fatalf("the error is a %T: %v", err, err)
			}
			if failure.Class != c.class || failure.Message != c.text {
				t.Errorf("class %#x, %q; want %#x, %q", failure.Class, failure.Message, c.class, c.text)
			}
			if off := failure.RetryAfter - c.retry; off < -2*time.Second || off > 2*time.Second {
				t.Errorf("retry after %s, want %s", failure.RetryAfter, c.retry)
			}
			if c.status != 200 && failure.Status != c.status {
				t.Errorf("status %d", failure.Status)
			}
		})
	}
}

func TestSecretsNeverAppearInErrors(t *testing.T) {
	client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error":{"message":"%s you sent %q and %q, really"}}`,
			strings.Repeat("x", maxMessage-20), r.Header.Get("Authorization"), r.Header.Get("X-Token"))
	})
	_, err := ask(t, t.Context(), client, address)
	if err == nil || strings.Contains(err.Error(), "sk-") || strings.Contains(err.Error(), "header-secret") {
		t.Errorf("error: %v", err)
	}
	client, address = serve(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, "a", r.Header.Get("Authorization"))
	})
	call := NewCall(&model.Request{Model: &model.Model{}}, address, nil)
	call.Authorize("Authorization", "Bearer ", key)
	err = client.Stream(t.Context(), call, func(data []byte) (State, error) {
		if bytes.Contains(data, []byte("Bearer")) {
			return 0, StreamError(data)
		}
		return Streaming, nil
	})
	if err == nil || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "[redacted]") {
		t.Errorf("error in the stream: %v", err)
	}
}

func TestThePasswordOfABaseURLIsSentAndNotShown(t *testing.T) {
	client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		w.WriteHeader(400)
		fmt.Fprintf(w, "%s %s %s", name, password, r.Header.Get("Authorization"))
	})
	req := &model.Request{Model: &model.Model{Login: url.UserPassword("me", "canary/")}}
	err := client.Stream(t.Context(), NewCall(req, address, nil), func([]byte) (State, error) { return Finished, nil })
	if err == nil || err.Error() != "400 Bad Request: me [redacted] Basic [redacted]" {
		t.Error(err)
	}
}

func TestAKeyAtTheEndOfALongEventIsNotShown(t *testing.T) {
	for n := maxMessage - 200; n < maxMessage+20; n++ {
		client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			stream(w, strings.Repeat("x", n)+key+strings.Repeat("y", maxMessage))
		})
		call := NewCall(&model.Request{Model: &model.Model{}}, address, nil)
		call.Authorize("Authorization", "Bearer ", key)
		err := client.Stream(t.Context(), call, func(data []byte) (State, error) { return 0, Unreadable(data, io.ErrUnexpectedEOF) })
		if err == nil || strings.Contains(err.Error(), key[:5]) {
			t.Fatalf("%d: %v", n, err)
		}
	}
}

func TestLongErrorsAreCutOnARune(t *testing.T) {
	client, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, strings.Repeat("é", 1<<20))
	})
	_, err := ask(t, t.Context(), client, address)
	if text := err.Error(); len(text) > maxMessage+len("…") || strings.Contains(text, "\ufffd") || !strings.HasSuffix(text, "é…") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-8:])
	}
}

func TestTheConnectionServesTheNextRequest(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { stream(w, "a", "end") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := NewClient()
	defer client.Close()
	for range 5 {
		if _, err := ask(t, t.Context(), client, server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 5 requests", n)
	}
}

func TestADroppedConnectionIsTransient(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"before the headers": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"within the stream": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "a")
			panic(http.ErrAbortHandler)
		},
		"by an early end": func(w http.ResponseWriter, _ *http.Request) { stream(w, "a") },
		"by an empty end": func(w http.ResponseWriter, _ *http.Request) { stream(w) },
	} {
		client, address := serve(t, handler)
		_, err := ask(t, t.Context(), client, address)
		var failure *model.Error
		if !errors.As(err, &failure) || failure.Class != model.ClassTransient {
			t.Errorf("%s: %v", name, err)
		}
		if name != "before the headers" && !strings.Contains(err.Error(), "ended before the answer was complete") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A proxy's page, an error without its status, and a compressed body all came
// out as "the stream ended".
func TestWhatIsNoStreamIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		header, body string
		class        model.Class
		text         string
	}{
		"page":            {"Content-Type: text/html", "<html>\n<body>Please log in: now</body>", model.ClassTransient, "the provider answered without a stream: <html>\n<body>Please log in: now</body>"},
		"unmarked JSON":   {"Content-Type: text/event-stream", "{\n\"error\": {\"message\": \"no such plan\"}}", 0, "the provider answered without a stream: no such plan"},
		"overload":        {"Content-Type: text/plain", `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, model.ClassTransient, "the provider answered without a stream: Overloaded"},
		"compressed":      {"Content-Encoding: gzip", "\x1f\x8b\x08", 0, "the provider answered without a stream: the body is encoded as gzip, which was not asked for"},
		"a very long one": {"Content-Type: text/plain", strings.Repeat("word\n", maxErrorBody), model.ClassTransient, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if coding := r.Header.Get("Accept-Encoding"); coding != "identity" {
					t.Errorf("asked for the encoding %q", coding)
				}
				field, value, _ := strings.Cut(c.header, ": ")
				w.Header().Set(field, value)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := ask(t, t.Context(), client, address)
			var failure *model.Error
			if !errors.As(err, &failure) || failure.Class != c.class {
				t.Fatalf("%#v", err)
			}
			if c.text != "" && failure.Message != c.text {
				t.Errorf("message %q", failure.Message)
			}
		})
	}
}

func TestTheBodyOfAnErrorIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := clientOf(roundTrip{status: 500, steps: []step{{0, "<html>"}}})
		began := time.Now()
		_, err := ask(t, t.Context(), client, "http://provider")
		if err == nil || err.Error() != "500 Internal Server Error: <html>" {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took > errorBodyTimeout+time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestUnreadableEventsAreExplainedWithoutOurTypes(t *testing.T) {
	var target struct {
		Text struct{ Parts []string } `json:"text"`
	}
	for _, data := range []string{"[]", "7", `{"text":5}`, `{"text":{"parts":3}}`, `"x"`} {
		err := Unmarshal([]byte(data), &target)
		if text := Unreadable([]byte(data), err).Message; strings.Contains(text, "Go ") || strings.Contains(text, "struct") {
			t.Errorf("%s: %s", data, text)
		}
	}
}

func TestACompleteAnswerOutlivesItsConnection(t *testing.T) {
	client, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		stream(w, "a", "complete")
		panic(http.ErrAbortHandler)
	})
	if events, err := ask(t, t.Context(), client, address); err != nil || len(events) != 2 {
		t.Errorf("events %q, error %v", events, err)
	}
}

func TestAbortEndsEveryPhaseAtOnce(t *testing.T) {
	cause := errors.New("interrupted by user")
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		dial    func(context.Context, string, string) (net.Conn, error)
	}{
		"connecting": {dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
		"waiting for headers": {handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"in the stream": {handler: func(w http.ResponseWriter, r *http.Request) {
			stream(w, "a")
			<-r.Context().Done()
		}},
		"in an error's body": {handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 1)
			client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that we leave
				arrived <- struct{}{}
				c.handler(w, r)
			})
			if c.dial != nil {
				client.HTTP.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					arrived <- struct{}{}
					return c.dial(ctx, network, address)
				}
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			var at time.Time
			go func() { // ends with the request's arrival
				<-arrived
				at = time.Now()
				cancel(cause)
			}()
			_, err := ask(t, ctx, client, address)
			if !errors.Is(err, cause) {
				t.Errorf("error %v", err)
			}
			if took := time.Since(at); took > 400*time.Millisecond {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestNoRequestIsMadeToAnUnusableAddress(t *testing.T) {
	for _, address := range []string{"", "api.example.com/v1", "ftp://x/", "http://", "http://[::1", "http://a b/"} {
		_, err := ask(t, t.Context(), NewClient(), address)
		var failure *model.Error
		if !errors.As(err, &failure) || failure.Class != 0 {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAKeyThatNoHeaderCanCarryIsNotRetried(t *testing.T) {
	call := NewCall(&model.Request{Model: &model.Model{}}, "http://127.0.0.1:1/", nil)
	call.Authorize("Authorization", "Bearer ", "two\nlines")
	err := NewClient().Stream(t.Context(), call, nil)
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Class != 0 || strings.Contains(err.Error(), "lines") {
		t.Errorf("error %v", err)
	}
}

func TestNetworkErrorsAreTransientButCertificatesAreNot(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = ask(t, t.Context(), NewClient(), "http://"+address)
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Class != model.ClassTransient || !strings.Contains(failure.Message, address) {
		t.Errorf("refused connection: %v", err)
	}

	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	client := NewClient()
	defer client.Close()
	_, err = ask(t, t.Context(), client, server.URL)
	if !errors.As(err, &failure) || failure.Class != 0 || !strings.Contains(failure.Message, "certificate") {
		t.Errorf("unknown certificate: %v", err)
	}
}
