package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// serve takes an event that a function of the host answers.
func (c *Client) serve(s *serving, e Event) bool {
	switch e.Type {
	case "host_tool_call":
		return c.serveTool(s, e)
	case "host_uri_request":
		return c.serveURI(s, e)
	case "host_tool_cancel", "host_uri_cancel":
		return s.cancel(e.target)
	case "extension_ui_request":
		if e.method == "cancel" {
			return s.cancel(e.target)
		}
		return c.serveDialog(s, e)
	}
	return false
}

func (c *Client) serveTool(s *serving, e Event) bool {
	var call struct {
		ToolCallID string          `json:"toolCallId"`
		ToolName   string          `json:"toolName"`
		Arguments  json.RawMessage `json:"arguments"`
	}
	tools := c.desk.tools.Load()
	if tools == nil || e.Decode(&call) != nil {
		return false
	}
	tool, ok := (*tools)[call.ToolName]
	if !ok {
		return false
	}
	s.run(e.id, func(ctx context.Context) error {
		result, err := fenced(func() (Result, error) {
			return tool.Run(ctx, ToolCall{call.ToolCallID, call.ToolName, call.Arguments, func(partial Result) error {
				partial.Content = orEmpty(partial.Content)
				return c.answer(ctx, "host_tool_update", map[string]any{"id": e.id, "partialResult": partial})
			}})
		})
		fields := map[string]any{"id": e.id}
		if err != nil {
			result, fields["isError"] = Text(err.Error()), true
		}
		result.Content = orEmpty(result.Content)
		fields["result"] = result
		if ctx.Err() != nil {
			return nil // withdrawn
		}
		return c.answer(s.ctx, "host_tool_result", fields)
	})
	return true
}

func (c *Client) serveURI(s *serving, e Event) bool {
	var request struct {
		Operation string `json:"operation"`
		URL       string `json:"url"`
		Content   string `json:"content"`
	}
	schemes := c.desk.schemes.Load()
	if schemes == nil || e.Decode(&request) != nil {
		return false
	}
	name, _, _ := strings.Cut(request.URL, ":")
	scheme, ok := (*schemes)[strings.ToLower(name)]
	if !ok {
		return false
	}
	s.run(e.id, func(ctx context.Context) error {
		resource, err := fenced(func() (Resource, error) {
			if request.Operation == "write" {
				return Resource{}, scheme.Write(ctx, request.URL, request.Content)
			}
			return scheme.Read(ctx, request.URL)
		})
		if ctx.Err() != nil {
			return nil // withdrawn
		}
		if err != nil {
			return c.answer(s.ctx, "host_uri_result", map[string]any{"id": e.id, "isError": true, "error": err.Error()})
		}
		if request.Operation == "write" {
			return c.answer(s.ctx, "host_uri_result", map[string]any{"id": e.id})
		}
		return c.answer(s.ctx, "host_uri_result", struct {
			ID string `json:"id"`
			Resource
		}{e.id, resource})
	})
	return true
}

func (c *Client) serveDialog(s *serving, e Event) bool {
	answer := c.desk.dialogs.Load()
	var d Dialog
	if answer == nil || e.Decode(&d) != nil {
		return false
	}
	switch d.Method {
	case "select", "confirm", "input", "editor":
	default:
		return false // it asks nothing
	}
	s.run(e.id, func(ctx context.Context) error {
		choice, err := fenced(func() (Choice, error) { return (*answer)(ctx, d) })
		if ctx.Err() != nil {
			return nil // withdrawn
		}
		return c.answer(s.ctx, "extension_ui_response", struct {
			ID string `json:"id"`
			Choice
			Cancelled bool `json:"cancelled,omitempty"`
		}{e.id, choice, err != nil || choice == Choice{}})
	})
	return true
}

// fenced turns a panic of the host's function into its error.
func fenced[T any](f func() (T, error)) (result T, err error) {
	if recovered := panics.Try(func() { result, err = f() }); recovered != nil {
		return result, fmt.Errorf("the host's function panicked: %v", recovered.Value)
	}
	return result, err
}

// serving is the work under way for the server, by the id of its request.
type serving struct {
	ctx  context.Context // the connection's
	stop context.CancelFunc
	jobs conc.WaitGroup

	mu      sync.Mutex
	cancels map[string]context.CancelFunc
}

func newServing(ctx context.Context) *serving {
	ctx, stop := context.WithCancel(ctx)
	return &serving{ctx: ctx, stop: stop, cancels: map[string]context.CancelFunc{}}
}

// run starts a job; it ends by itself, or with cancel or end. An error means
// that the connection has ended, and is dropped: nobody waits for the result.
func (s *serving) run(id string, job func(context.Context) error) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	s.jobs.Go(func() {
		defer s.cancel(id)
		_ = job(ctx)
	})
}

// cancel ends a job; false when there is none with this id.
func (s *serving) cancel(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel, ok := s.cancels[id]
	if ok {
		delete(s.cancels, id)
		cancel()
	}
	return ok
}

// end cancels all jobs and waits for them.
func (s *serving) end() {
	s.stop()
	s.jobs.Wait()
}
