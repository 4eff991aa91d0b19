package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// errSteered is why a batch was cut short: a queued message should be heard.
var errSteered = errors.New("a queued user message came first")

// UnwindWait is how long calls may take to end once they are told to, unless the
// Input says otherwise: the shell alone takes up to a second. One that is stuck in
// a system call never hears it; it is given up then, and its goroutine stays until
// the call returns.
const UnwindWait = 3 * time.Second

// peekEvery is how often a batch with an interruptible call looks for a queued
// message (facts/agent 1.7); one without looks when a call completes.
const peekEvery = 250 * time.Millisecond

// report is what a running call tells the turn: progress, or its end.
type report struct {
	call    *message.ToolCall
	output  tool.Output
	err     error
	runs    bool // it has been let run
	done    bool
	stopped bool // the batch had been told to stop when the call ended
}

// execute runs the calls of one answer: neighbours that may overlap together,
// an exclusive one alone, in the order they were made.
func (t *Turn) execute(ctx context.Context, in Input, calls []*message.ToolCall) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for len(calls) > 0 {
		if ctx.Err() != nil {
			t.skip(ctx, calls)
			return
		}
		n := wave(in.Tools, calls)
		t.together(ctx, stop, in, calls[:n])
		calls = calls[n:]
	}
}

// wave counts the calls that may run at once: one exclusive call, or as many
// others as stand in a row.
func wave(tools tool.Set, calls []*message.ToolCall) int {
	for i, call := range calls {
		if used, ok := tools.Lookup(call.Name); ok && used.Spec().Exclusive {
			return max(i, 1)
		}
	}
	return len(calls)
}

// together runs calls at once and reports them as they complete.
func (t *Turn) together(ctx context.Context, stop context.CancelCauseFunc, in Input, calls []*message.ToolCall) {
	reports := make(chan report) // the calls' goroutines send, nobody closes it: over tells when nobody receives any more
	over := make(chan struct{})
	defer close(over)
	send := func(r report) {
		select {
		case reports <- r:
		case <-over: // a tool's own goroutine, behind its end
		}
	}
	open := make(map[*message.ToolCall]bool, len(calls))
	for _, call := range calls {
		open[call] = true
		t.emit(event.ToolStart{ToolCallID: call.ID, ToolName: call.Name, Args: call.Arguments})
	}
	t.steps <- nil // a tool may itself talk to the host, and must not overtake its start; see Steps
	begin(ctx, in, calls, send)
	stopped, late := ctx.Done(), (<-chan time.Time)(nil)
	var peeks <-chan time.Time // nil, so never ready, without an interruptible call
	if in.Steered != nil && interruptible(in.Tools, calls) {
		ticker := time.NewTicker(peekEvery)
		defer ticker.Stop()
		peeks = ticker.C
	}
	for len(open) > 0 {
		var r report
		select {
		case r = <-reports:
		case <-stopped:
			stopped, late = nil, time.After(cmp.Or(in.Unwind, UnwindWait))
			continue
		case <-late:
			t.abandon(ctx, calls, open)
			return
		case <-peeks:
			if in.Steered() {
				stop(errSteered)
			}
			continue
		}
		if !open[r.call] {
			continue
		}
		if r.runs {
			t.emit(event.ToolRunning{ToolCallID: r.call.ID})
			continue
		}
		if !r.done {
			t.emit(event.ToolUpdate{ToolCallID: r.call.ID, ToolName: r.call.Name, Args: r.call.Arguments, PartialResult: cleanParts(r.output)})
			continue
		}
		delete(open, r.call)
		output := result(ctx, r)
		if in.Amend != nil {
			output = in.Amend(r.call, output)
		}
		t.finish(r.call, output)
		if errors.Is(r.err, tool.ErrStopRun) {
			in.Abort(r.err)
		}
		if in.Steered != nil && in.Steered() {
			stop(errSteered)
		}
	}
}

// interruptible tells whether a queued message is to end one of the calls.
func interruptible(tools tool.Set, calls []*message.ToolCall) bool {
	return slices.ContainsFunc(calls, func(call *message.ToolCall) bool {
		used, ok := tools.Lookup(call.Name)
		return ok && used.Spec().Interruptible
	})
}

// abandon answers the calls that have not heard that they are to stop.
func (t *Turn) abandon(ctx context.Context, calls []*message.ToolCall, open map[*message.ToolCall]bool) {
	for _, call := range calls {
		if open[call] {
			slog.Warn("a tool does not stop and is left behind", "tool", call.Name, "call", call.ID)
			t.finish(call, tool.ErrorOutput(abortedText(context.Cause(ctx).Error())+" The tool did not stop in time and was left behind."))
		}
	}
}

// result is what becomes of a finished call. One that was stopped by steering
// and failed is reported as skipped; one that completed keeps its result.
func result(ctx context.Context, r report) tool.Output {
	failed := r.err != nil || r.output.IsError
	switch {
	case failed && r.stopped && errors.Is(context.Cause(ctx), errSteered):
		return tool.ErrorOutput(skippedText)
	case r.err != nil:
		return tool.ErrorOutput(r.err.Error())
	default:
		return r.output
	}
}

// skip answers calls that were never begun.
func (t *Turn) skip(ctx context.Context, calls []*message.ToolCall) {
	text := skippedText
	if cause := context.Cause(ctx); !errors.Is(cause, errSteered) {
		text = fmt.Sprintf("Tool was not executed because the run was aborted: %v.", cause)
	}
	for _, call := range calls {
		t.emit(event.ToolStart{ToolCallID: call.ID, ToolName: call.Name, Args: call.Arguments})
		t.finish(call, tool.ErrorOutput(text))
	}
}

// refuse answers the calls of a message that broke off.
func (t *Turn) refuse(calls []*message.ToolCall, source, text, upstream string) {
	details, _ := message.Marshal(struct { // plain fields always encode
		Synthetic bool   `json:"__synthetic"`
		Source    string `json:"source"`
		Executed  bool   `json:"executed"`
		Upstream  string `json:"upstreamError,omitempty"`
	}{true, source, false, upstream})
	for _, call := range calls {
		output := tool.ErrorOutput(text)
		output.Details = details
		t.emit(event.ToolStart{ToolCallID: call.ID, ToolName: call.Name, Args: call.Arguments})
		t.finish(call, output)
	}
}

// finish closes a call: its end, then its result message.
func (t *Turn) finish(call *message.ToolCall, output tool.Output) {
	output = clean(output)
	m := &message.ToolResult{
		Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, Content: output.Content, Details: output.Details,
		IsError: output.IsError, Useless: output.Useless && !output.IsError, Timestamp: message.Now(),
	}
	t.outcome.Results = append(t.outcome.Results, m)
	t.emit(event.ToolEnd{ToolCallID: call.ID, ToolName: call.Name, Result: output, IsError: output.IsError})
	t.emit(event.MessageStart{Message: m})
	t.emit(event.MessageEnd{Message: m})
}
