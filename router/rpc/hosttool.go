package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

func (c *commands) setHostTools(ctx context.Context, given []wire.HostTool) (router.Answer, error) {
	tools := make([]core.HostTool, len(given))
	for i, tool := range given {
		tools[i] = core.HostTool(tool)
	}
	names, err := c.agent.SetHostTools(ctx, tools)
	return keyed("toolNames", names), err
}

// Tools implements host.Tools over the wire.
//
// Protocol: "Host Tool Sub-Protocol"; facts/rpc 10.2 to 10.4.
type Tools struct {
	Ledger *router.Ledger
	Images picture.Fitter // makes images of the host fit for models
}

// Call implements host.Tools.
func (t Tools) Call(ctx context.Context, call host.ToolCall, fn func(event.ToolOutput)) (event.ToolOutput, error) {
	question := router.Question{
		Name: wire.HostToolCallName, Body: wire.HostToolCall(call),
		Reply: wire.HostToolResultName, Update: wire.HostToolUpdateName,
		Cancel: withdraw(wire.HostToolCancelName),
	}
	reply, err := t.Ledger.Ask(ctx, question, func(r frames.Reply) { fn(r.Body.(event.ToolOutput)) })
	if err != nil {
		return event.ToolOutput{}, unanswered(err, "RPC client disconnected before host tool execution completed",
			fmt.Sprintf("Host tool \"%s\" was aborted", call.ToolName))
	}
	result := reply.Body.(wire.HostToolResult)
	if result.IsError {
		return event.ToolOutput{}, hostError{text: toolErrorText(result.Output.Content)}
	}
	result.Output.Content = picture.FitBlocks(t.Images, result.Output.Content)
	return result.Output, nil
}

// toolErrorText is the text of a call that the host calls an error.
func toolErrorText(content message.Blocks) string {
	return cmp.Or(strings.TrimSpace(content.Join("\n")), "Host tool execution failed")
}

// A hostError has the text that the protocol gives a failed ask, for the model,
// and keeps the cause to be told apart.
type hostError struct {
	text  string
	cause error
}

func (e hostError) Error() string { return e.text }
func (e hostError) Unwrap() error { return e.cause }

// unanswered turns an error of Ask into one with the text for how it ended.
func unanswered(err error, gone, aborted string) error {
	if errors.Is(err, host.ErrGone) {
		return hostError{gone, err}
	}
	return hostError{aborted, err}
}

// withdraw makes the frames that take an ask back.
func withdraw(name string) func(id, target string) frames.Outbound {
	return func(id, target string) frames.Outbound {
		return frames.Note{Name: name, Body: wire.Withdrawal{ID: id, TargetID: target}}
	}
}
