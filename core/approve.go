package core

import (
	"context"

	"veyyon.dev/veyyon/core/approval"
)

// gate stands before the tools of a session that works in dir.
func (a *Agent) gate(dir string) *approval.Gate {
	if a.opts.Approval == nil {
		return nil
	}
	return approval.NewGate(*a.opts.Approval, dir)
}

// Bypassed tells whether nobody is asked about the calls of the session in front.
func (a *Agent) Bypassed(context.Context) bool {
	gate := a.hub.Front().Gate()
	return gate == nil || gate.Bypassed()
}

// SetBypass says whether nobody is to be asked, for as long as the session in
// front lasts.
func (a *Agent) SetBypass(_ context.Context, on bool) {
	if gate := a.hub.Front().Gate(); gate != nil {
		gate.SetBypass(on)
	}
}
