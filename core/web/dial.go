package web

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// The bounds of a connection. At the first two the request fails; an answer with
// more headers than the third is refused.
const (
	dialTimeout    = 10 * time.Second // until an address has answered
	resolveTimeout = 3 * time.Second  // of the names that a proxy is to reach
	maxHeaders     = 256 << 10        // bytes
)

// A gate sends requests to where they may go. The check is made on the address
// that is dialled, so neither a redirect nor a name that resolves differently
// the second time gets around it.
type gate struct {
	direct  *http.Transport
	proxied *http.Transport
	proxy   func(*http.Request) (*url.URL, error)
	open    bool // all addresses are allowed
}

func newGate(open bool, proxy func(*http.Request) (*url.URL, error)) *gate {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if !open {
		dialer.Control = checkDial
	}
	g := &gate{proxy: proxy, open: open, direct: transport(dialer), proxied: transport(&net.Dialer{Timeout: dialTimeout})}
	g.proxied.Proxy = proxy
	return g
}

// transport keeps no connection, as hardly ever two pages come from one host in
// a row.
func transport(dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		TLSHandshakeTimeout: dialTimeout, MaxResponseHeaderBytes: maxHeaders,
	}
}

// checkDial is asked with each address before it is connected to.
func checkDial(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if what := refusal(to.Addr()); what != "" {
		return &RefusedError{IP: to.Addr().Unmap(), What: what}
	}
	return nil
}

// RoundTrip is http.RoundTripper.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	through, err := g.proxy(req)
	if err != nil {
		return nil, err
	}
	if through == nil {
		return g.direct.RoundTrip(req)
	}
	if !g.open {
		if err := checkProxied(req.Context(), req.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	return g.proxied.RoundTrip(req)
}

// checkProxied refuses what a proxy must not be asked for. The proxy resolves the
// name, so this can only look at what the name is here; one that is unknown here
// is left to the proxy, whose own rules hold.
func checkProxied(ctx context.Context, host string) error {
	if localName(host) {
		return &RefusedError{Host: host, What: "a name of this machine or its network"}
	}
	ctx, stop := context.WithTimeout(ctx, resolveTimeout)
	defer stop()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // unknown here
	}
	for _, ip := range found {
		if what := refusal(ip); what != "" {
			return &RefusedError{Host: host, IP: ip.Unmap(), What: what}
		}
	}
	return nil
}
