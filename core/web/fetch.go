// Package web fetches pages. It reads from no private address unless it is told
// to, keeps no cookies, and takes neither more time nor more room than its
// bounds allow.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"veyyon.dev/veyyon/core/secret"
)

// The bounds of a page. At the first two reading fails. What is beyond the third
// is not read, and Page.Cut says so. A chain longer than the last is given up.
const (
	totalTimeout = 30 * time.Second // from the first connection to the last byte
	idleTimeout  = 10 * time.Second // between two pieces of the answer
	maxBody      = 16 << 20         // bytes, unpacked
	maxRedirects = 10
)

// accept asks for what is read best.
const accept = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"

// Options are what a client works with.
type Options struct {
	Agent        string // what it calls itself: the User-Agent
	AllowPrivate bool   // read from private addresses, too
	// Proxy names the proxy of a request, nil for none; the environment's when
	// this is nil.
	Proxy func(*http.Request) (*url.URL, error)
}

// A Client fetches pages. Safe for concurrent use.
type Client struct {
	agent       string
	http        *http.Client
	total, idle time.Duration
}

// New returns a client. It does nothing until a page is asked for.
func New(opts Options) *Client {
	if opts.Proxy == nil {
		opts.Proxy = http.ProxyFromEnvironment
	}
	return &Client{
		agent: opts.Agent, total: totalTimeout, idle: idleTimeout,
		http: &http.Client{Transport: newGate(opts.AllowPrivate, opts.Proxy), CheckRedirect: redirected},
	}
}

// A Page is what a URL gave.
type Page struct {
	URL    string // where it was found at last, without credentials
	Moved  bool   // that is not where it was asked for
	Status int    // of HTTP
	Type   string // Content-Type as the server says it, "" when it does not
	Body   []byte // unpacked
	Cut    bool   // Body is only the beginning
}

var (
	errTotal = errors.New("the page was not complete in time")
	errIdle  = errors.New("the server stopped sending")
)

// Fetch reads the page at an http or https URL, whatever its status. It returns
// the cause of ctx when that ends first. No error holds credentials.
func (c *Client) Fetch(ctx context.Context, address string) (*Page, error) {
	asked, err := parse(address)
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer time.AfterFunc(c.total, func() { stop(fmt.Errorf("%w: after %v", errTotal, c.total)) }).Stop()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, asked.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("reading %s: the URL cannot be used", Shown(asked))
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", accept)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, explain(limited, Shown(asked), err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted of it
	if packed := resp.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return nil, fmt.Errorf("reading %s: the server packed the page as %q without being asked to", Shown(asked), packed)
	}
	quiet := time.AfterFunc(c.idle, func() { stop(fmt.Errorf("%w for %v", errIdle, c.idle)) })
	defer quiet.Stop()
	body, err := io.ReadAll(io.LimitReader(&watched{resp.Body, quiet, c.idle}, maxBody+1))
	if err != nil {
		return nil, explain(limited, Shown(asked), err)
	}
	page := &Page{
		URL: Shown(resp.Request.URL), Status: resp.StatusCode, Type: resp.Header.Get("Content-Type"),
		Body: body[:min(len(body), maxBody)], Cut: len(body) > maxBody,
	}
	page.Moved = page.URL != Shown(asked)
	return page, nil
}

// watched puts a timer off with each piece.
type watched struct {
	r     io.Reader
	timer *time.Timer
	idle  time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.timer.Reset(w.idle)
	}
	return n, err
}

// parse accepts the URLs of pages.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil { // its words hold the whole URL
		return nil, errors.New("that is not a URL which can be read: it is malformed")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, fmt.Errorf("reading %s: only http and https URLs with a host can be read", Shown(u))
	}
	return u, nil
}

// Shown is a URL as people may see it: without user and password.
func Shown(u *url.URL) string {
	bare := *u
	bare.User = nil
	return bare.String()
}

// redirected decides whether a redirect is followed.
func redirected(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("the page was redirected more than %d times", maxRedirects)
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return fmt.Errorf("the page was redirected to a %s URL, which is not read", req.URL.Scheme)
	}
	req.Header.Del("Referer") // where one was before is nobody's business
	return nil
}

// explain puts an error into words that show no credentials.
func explain(ctx context.Context, where string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		if !errors.Is(cause, errTotal) && !errors.Is(cause, errIdle) {
			return cause
		}
		return fmt.Errorf("reading %s: %w", where, cause)
	}
	if outer := new(url.Error); errors.As(err, &outer) {
		err = outer.Err
	}
	refused, unknown := new(RefusedError), new(net.DNSError)
	switch {
	case errors.As(err, &refused):
		err = refused
	case errors.As(err, &unknown) && unknown.IsNotFound:
		err = fmt.Errorf("there is no host %s", unknown.Name)
	}
	if text := secret.Hide(err.Error(), nil); text != err.Error() { // of a proxy, or of where a redirect leads
		err = errors.New(text)
	}
	return fmt.Errorf("reading %s: %w", where, err)
}
