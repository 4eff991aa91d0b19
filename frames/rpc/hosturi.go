package rpc

import (
	"regexp"
	"strings"
	"sync"

	"veyyon.dev/veyyon/frames"
)

// The frames of the host URI sub-protocol.
const (
	HostURIRequestName = "host_uri_request"
	HostURICancelName  = "host_uri_cancel"
	HostURIResultName  = "host_uri_result"
)

// URIScheme is a scheme as set_host_uri_schemes brings it; Name is lower-case.
type URIScheme struct {
	Name        string
	Description string
	Writable    bool
	Immutable   bool
}

// HostURIRequest is the body of a host_uri_request. Content is nil for a read;
// a write has it even when it is empty.
type HostURIRequest struct {
	Operation string  `json:"operation"`
	URL       string  `json:"url"`
	Content   *string `json:"content,omitempty"`
}

// HostURIResult is the body of a host_uri_result.
type HostURIResult struct {
	Content     string
	ContentType string // "" when absent
	Notes       []string
	Immutable   *bool // nil when absent
	IsError     bool
	Error       string
}

var (
	errSchemeEmpty = wrong("Host URI scheme must be a non-empty string")
	schemePattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`) })
)

// DecodeURISchemes reads the schemes of set_host_uri_schemes (facts/rpc 11.1):
// in the order of their first mention, of which the last definition counts.
func DecodeURISchemes(o Object) ([]URIScheme, error) {
	items, err := o.Array("schemes")
	if err != nil {
		return nil, err
	}
	schemes, place := []URIScheme{}, map[string]int{}
	for _, item := range items {
		if !frames.IsObject(item) {
			return nil, errSchemeEmpty
		}
		scheme, err := decodeScheme(Object(item))
		if err != nil {
			return nil, err
		}
		if at, seen := place[scheme.Name]; seen {
			schemes[at] = scheme
			continue
		}
		place[scheme.Name] = len(schemes)
		schemes = append(schemes, scheme)
	}
	return schemes, nil
}

func decodeScheme(o Object) (URIScheme, error) {
	name := strings.ToLower(trimmed(o, "scheme"))
	if name == "" {
		return URIScheme{}, errSchemeEmpty
	}
	if !schemePattern().MatchString(name) {
		return URIScheme{}, wrong("Host URI scheme contains invalid characters: %s", clip(o.Shown("scheme")))
	}
	return URIScheme{
		Name: name, Description: trimmed(o, "description"),
		Writable: o.IsTrue("writable"), Immutable: o.IsTrue("immutable"),
	}, nil
}

// decodeHostURIResult takes any frame: nothing but its id is checked (facts/rpc
// 2.4), and a field of another type is as good as absent.
func decodeHostURIResult(o Object) (any, bool) {
	result := HostURIResult{IsError: o.Truthy("isError")}
	result.Content, _ = o.OptString("content")
	result.ContentType, _ = o.OptString("contentType")
	result.Error, _ = o.OptString("error")
	if immutable, err := o.Bool("immutable"); err == nil {
		result.Immutable = &immutable
	}
	notes, _ := o.Array("notes")
	for _, note := range notes {
		if frames.IsString(note) {
			result.Notes = append(result.Notes, frames.Unquote(note))
		}
	}
	return result, true
}
