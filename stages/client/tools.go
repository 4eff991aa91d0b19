package client

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
)

// A Tool is a function of the host that the model may call.
//
// Run gets the call's arguments, a JSON object that fits Parameters. Its ctx
// ends when the call is aborted; then the result is not sent. An error is the
// tool's error result. It runs on a goroutine of its own.
type Tool struct {
	Name        string                                                   `json:"name"`
	Label       string                                                   `json:"label,omitempty"`
	Description string                                                   `json:"description"`
	Parameters  any                                                      `json:"parameters"` // a JSON Schema object
	Hidden      bool                                                     `json:"hidden,omitempty"`
	Run         func(ctx context.Context, call ToolCall) (Result, error) `json:"-"`
}

// A ToolCall is one call of a Tool. Update shows progress to the session.
type ToolCall struct {
	ToolCallID string
	ToolName   string
	Arguments  json.RawMessage
	Update     func(partial Result) error
}

// Result is what a tool gives.
type Result struct {
	Content []Content `json:"content"`
	Details any       `json:"details,omitempty"`
	IsError bool      `json:"isError,omitempty"`
}

// Content is a text, or an image with base64 data.
type Content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}

// Text is a Result with one text.
func Text(text string) Result { return Result{Content: []Content{{Type: "text", Text: text}}} }

// A Scheme is a family of virtual files that the host serves. Write is called
// only when Writable is set. Each call runs on a goroutine of its own.
type Scheme struct {
	Scheme      string                                                  `json:"scheme"`
	Description string                                                  `json:"description,omitempty"`
	Writable    bool                                                    `json:"writable,omitempty"`
	Immutable   bool                                                    `json:"immutable,omitempty"`
	Read        func(ctx context.Context, url string) (Resource, error) `json:"-"`
	Write       func(ctx context.Context, url, content string) error    `json:"-"`
}

// A Resource is a virtual file as read.
type Resource struct {
	Content     string   `json:"content"`
	ContentType string   `json:"contentType,omitempty"`
	Notes       []string `json:"notes,omitempty"`
	Immutable   bool     `json:"immutable,omitempty"`
}

// A Dialog is a question for the person: select, confirm, input or editor.
type Dialog struct {
	Method      string   `json:"method"`
	Title       string   `json:"title"`
	Message     string   `json:"message"`
	Options     []string `json:"options"`
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
	Timeout     int      `json:"timeout"` // ms, as the protocol counts; 0 for none
	Secret      bool     `json:"secret"`
}

// A Choice answers a Dialog: Value, or Confirmed for confirm. The zero Choice
// dismisses it.
type Choice struct {
	Value     *string `json:"value,omitempty"`
	Confirmed *bool   `json:"confirmed,omitempty"`
}

// A desk knows who serves what. Each registry is replaced as a whole.
type desk struct {
	tools   atomic.Pointer[map[string]Tool]
	schemes atomic.Pointer[map[string]Scheme]
	dialogs atomic.Pointer[func(context.Context, Dialog) (Choice, error)]
}

// SetHostTools replaces the host's tools and returns the names the server took.
func (c *Client) SetHostTools(ctx context.Context, tools ...Tool) ([]string, error) {
	byName := map[string]Tool{}
	for _, t := range tools {
		byName[strings.TrimSpace(t.Name)] = t
	}
	// At once, since a call may come right behind the answer.
	before := c.desk.tools.Swap(&byName)
	var taken struct {
		ToolNames []string `json:"toolNames"`
	}
	err := c.Call(ctx, "set_host_tools", map[string]any{"tools": orEmpty(tools)}, &taken)
	if err != nil {
		c.desk.tools.CompareAndSwap(&byName, before)
	}
	return taken.ToolNames, err
}

// SetHostURISchemes replaces the host's URI schemes and returns their names as
// the server knows them.
func (c *Client) SetHostURISchemes(ctx context.Context, schemes ...Scheme) ([]string, error) {
	byName := map[string]Scheme{}
	for _, s := range schemes {
		byName[strings.ToLower(strings.TrimSpace(s.Scheme))] = s
	}
	before := c.desk.schemes.Swap(&byName)
	var taken struct {
		Schemes []string `json:"schemes"`
	}
	err := c.Call(ctx, "set_host_uri_schemes", map[string]any{"schemes": orEmpty(schemes)}, &taken)
	if err != nil {
		c.desk.schemes.CompareAndSwap(&byName, before)
	}
	return taken.Schemes, err
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// OnDialog lets answer serve the dialogs of the server; an error dismisses
// them. Its ctx ends when the question is withdrawn. Without it dialogs are
// events, to be answered with Raw.
func (c *Client) OnDialog(answer func(ctx context.Context, d Dialog) (Choice, error)) {
	c.desk.dialogs.Store(&answer)
}
