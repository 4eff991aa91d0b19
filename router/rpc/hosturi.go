package rpc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/host"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// reservedSchemes mean something to the program itself (facts/rpc 11.1).
var reservedSchemes = []string{
	"agent", "artifact", "conflict", "file", "history", "http", "https", "issue", "local", "mcp",
	"memory", "pr", "rule", "skill", "ssh", "vault", "veyyon",
}

func (c *commands) setURISchemes(_ context.Context, given []wire.URIScheme) (router.Answer, error) {
	schemes, names := make([]host.Scheme, len(given)), make([]string, len(given))
	for i, scheme := range given {
		if slices.Contains(reservedSchemes, scheme.Name) {
			return router.Answer{}, fault.Newf(fault.Invalid, "Host URI scheme is reserved: %s://", scheme.Name)
		}
		schemes[i], names[i] = host.Scheme(scheme), scheme.Name
	}
	c.uris.replace(schemes)
	return keyed("schemes", names), nil
}

// URIs implements host.URIs over the wire.
//
// Protocol: "Host URI Sub-Protocol"; facts/rpc 11.2 to 11.4.
type URIs struct {
	ledger  *router.Ledger
	schemes atomic.Pointer[[]host.Scheme] // replaced as a whole
}

// NewURIs returns URIs without schemes.
func NewURIs(l *router.Ledger) *URIs {
	u := &URIs{ledger: l}
	u.replace(nil)
	return u
}

func (u *URIs) replace(schemes []host.Scheme) { u.schemes.Store(&schemes) }

// Scheme implements host.URIs.
func (u *URIs) Scheme(name string) (host.Scheme, bool) {
	for _, scheme := range *u.schemes.Load() {
		if scheme.Name == name {
			return scheme, true
		}
	}
	return host.Scheme{}, false
}

// Read implements host.URIs.
func (u *URIs) Read(ctx context.Context, url string) (host.Resource, error) {
	result, err := u.request(ctx, wire.HostURIRequest{Operation: "read", URL: url})
	if err != nil {
		return host.Resource{}, err
	}
	scheme, _ := u.Scheme(strings.ToLower(url[:max(0, strings.Index(url, "://"))]))
	resource := host.Resource{
		Content: result.Content, ContentType: cmp.Or(result.ContentType, "text/plain"),
		Notes: result.Notes, Immutable: scheme.Immutable,
	}
	if result.Immutable != nil {
		resource.Immutable = *result.Immutable
	}
	return resource, nil
}

// Write implements host.URIs.
func (u *URIs) Write(ctx context.Context, url, content string) error {
	_, err := u.request(ctx, wire.HostURIRequest{Operation: "write", URL: url, Content: &content})
	return err
}

func (u *URIs) request(ctx context.Context, request wire.HostURIRequest) (wire.HostURIResult, error) {
	question := router.Question{
		Name: wire.HostURIRequestName, Body: request, Reply: wire.HostURIResultName,
		Cancel: withdraw(wire.HostURICancelName),
	}
	reply, err := u.ledger.Ask(ctx, question, nil)
	if err != nil {
		return wire.HostURIResult{}, unanswered(err, "RPC client disconnected before host URI request completed",
			fmt.Sprintf("Host URI %s for %s was aborted", request.Operation, request.URL))
	}
	result := reply.Body.(wire.HostURIResult)
	if result.IsError {
		return result, hostError{text: cmp.Or(result.Error, result.Content, fmt.Sprintf("Host URI %s failed for %s", request.Operation, request.URL))}
	}
	return result, nil
}
