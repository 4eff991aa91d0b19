package turn

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/validate"
)

// use is one call on its way to its tool.
type use struct {
	report report
	send   func(report)
	tool   tool.Tool
	call   tool.Call
	ask    func(context.Context) *tool.Output // asks a person whether it runs; nil when nobody is asked
	run    bool                               // it runs
}

// begin starts the calls; each ends with one done report. Those that a person is
// asked about come one after the other, in the order they were made, and hold up
// none of the others.
func begin(ctx context.Context, in Input, calls []*message.ToolCall, send func(report)) {
	var asked []*use
	for _, call := range calls {
		u := &use{report: report{call: call, done: true}, send: send}
		u.fence(func() { u.admit(in) })
		if u.ask != nil {
			asked = append(asked, u)
			continue
		}
		go u.work(ctx) // ends with its report
	}
	if len(asked) == 0 {
		return
	}
	go func() { // ends with the last answer, for which ctx does not wait
		for _, u := range asked {
			u.fence(func() { u.refuse(u.ask(ctx)) })
			go u.work(ctx) // ends with its report
		}
	}()
}

// admit finds the tool and checks the arguments, and whether the call may run.
func (u *use) admit(in Input) {
	call := u.report.call
	found, ok := in.Tools.Lookup(call.Name)
	if !ok {
		u.report.err = fault.Newf(fault.NotFound, "Tool %s not found", call.Name)
		return
	}
	spec := found.Spec()
	args, err := validate.Check(spec.Parameters, call.Name, call.Arguments)
	if err != nil {
		u.report.err = err
		return
	}
	u.tool = found
	u.call = tool.Call{
		ID: call.ID, Args: args, Dir: in.Dir, Session: in.Session, Spill: in.Spill,
		Update: func(o tool.Output) { u.send(report{call: call, output: o}) },
	}
	if in.Approve == nil {
		u.run = true
		return
	}
	refusal, ask := in.Approve(spec, u.call)
	if u.ask = ask; ask == nil {
		u.refuse(refusal)
	}
}

// refuse lets the call run, unless there is a refusal in its place.
func (u *use) refuse(refusal *tool.Output) {
	if refusal == nil {
		u.run = true
		return
	}
	u.report.output = *refusal
}

// work runs the call, if it may run, and ends with its done report.
func (u *use) work(ctx context.Context) {
	if u.run {
		u.send(report{call: u.report.call, runs: true})
		u.fence(func() { u.report.output, u.report.err = u.tool.Run(ctx, u.call) })
	}
	u.report.stopped = ctx.Err() != nil
	u.send(u.report)
}

// fence turns a panic into the end of the call.
func (u *use) fence(f func()) {
	if caught := panics.Try(f); caught != nil {
		slog.Error("a tool panicked", "tool", u.report.call.Name, "panic", caught.Value, "stack", string(caught.Stack))
		u.report.err = fmt.Errorf("the tool failed inside: %v", caught.Value)
	}
}
