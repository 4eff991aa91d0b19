// Package host says what the agent may ask of the program that drives it. The
// router implements these over the wire; a test implements them in memory.
package host

import (
	"context"
	"encoding/json"
	"errors"

	"veyyon.dev/veyyon/core/event"
)

// ErrGone means that the host has disconnected and will answer nothing more.
var ErrGone = errors.New("the host has disconnected")

// ToolCall asks the host to run one of its own tools.
type ToolCall struct {
	ToolCallID string
	ToolName   string
	Arguments  json.RawMessage // a JSON object that fits the tool's schema
}

// Tools runs the host's tools. Safe for concurrent use.
//
// Call waits for the host's result; updates reach fn in order, on the caller's
// goroutine. The error's text is for the model: the host's own error text, or
// that the call was aborted (the host has then been sent the cancel frame), or
// that the host has gone (errors.Is ErrGone).
//
// Protocol: "Host Tool Sub-Protocol".
type Tools interface {
	Call(ctx context.Context, call ToolCall, fn func(event.ToolOutput)) (event.ToolOutput, error)
}

// Resource is what stands behind a host URI.
type Resource struct {
	Content     string
	ContentType string // text/plain unless the host says otherwise
	Notes       []string
	Immutable   bool
}

// URIs reads and writes the host's virtual files. Safe for concurrent use.
// Scheme tells whether a lower-case scheme is the host's. Errors are texts for
// the model, as with Tools.
//
// Protocol: "Host URI Sub-Protocol".
type URIs interface {
	Scheme(name string) (Scheme, bool)
	Read(ctx context.Context, url string) (Resource, error)
	Write(ctx context.Context, url, content string) error
}

// Scheme is one URI scheme of the host; Name is lower-case.
type Scheme struct {
	Name        string
	Description string
	Writable    bool
	Immutable   bool
}
