package router

import (
	"cmp"
	"fmt"
	"log/slog"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/frames"
)

// The router's own refusals.
var (
	errBacklog = fault.New(fault.Busy, "too many commands are waiting; this one was not read")
	errWaiting = fault.New(fault.Busy, "too many commands are waiting for the same thing")
)

// refuse turns an error into what the host is told.
func refuse(err error) *frames.Fault {
	code := string(fault.CodeOf(err))
	return &frames.Fault{Text: cmp.Or(err.Error(), code), Code: code, About: fault.AboutOf(err)}
}

// refuseArguments is refuse for what the codec says of a command's arguments.
func refuseArguments(err error) *frames.Fault { return refuse(fault.Wrap(fault.Invalid, err)) }

// fenced runs f, a part of the command name, and turns a panic into an error.
func fenced(name string, f func() error) (err error) {
	recovered := panics.Try(func() { err = f() })
	if recovered == nil {
		return err
	}
	slog.Error("command panicked", "command", name, "panic", recovered.Value, "stack", string(recovered.Stack))
	return fmt.Errorf("internal error: %v", recovered.Value)
}
