package router

import (
	"context"
	"sync"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/frames"
)

// errWithdrawn ends the context of a command that the host has taken back, and
// answers it unless its Finish has an answer of its own.
var errWithdrawn = fault.New(fault.Cancelled, "Request cancelled")

// inflight knows how to end the commands that pools have, by their ids. Of two
// commands with one id only the later can be taken back. Safe for concurrent
// use.
type inflight struct {
	mu      sync.Mutex
	cancels map[string]*withdrawal
}

// withdrawal ends one command.
type withdrawal struct{ cancel context.CancelCauseFunc }

func newInflight() *inflight { return &inflight{cancels: make(map[string]*withdrawal)} }

// add gives a command a context of its own. done forgets it.
func (f *inflight) add(ctx context.Context, id frames.ID) (own context.Context, done func()) {
	own, cancel := context.WithCancelCause(ctx)
	if id == nil {
		return own, func() { cancel(nil) }
	}
	w := &withdrawal{cancel}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancels[string(id)] = w
	return own, func() {
		cancel(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.cancels[string(id)] == w {
			delete(f.cancels, string(id))
		}
	}
}

// withdraw ends the command with this id. One that is not known, or over, is
// ignored.
func (f *inflight) withdraw(id frames.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w := f.cancels[string(id)]; w != nil {
		w.cancel(errWithdrawn)
	}
}
