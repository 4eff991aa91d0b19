package core

import (
	"context"

	"veyyon.dev/veyyon/core/session"
)

// Plans tells whether sessions have a plan mode.
func (a *Agent) Plans() bool { return a.opts.Plans }

// SetPlanning switches plan mode of the session in front on or off.
func (a *Agent) SetPlanning(ctx context.Context, on bool) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetPlanning(ctx, on) })
}

// Planning tells whether plan mode is on.
func (a *Agent) Planning(ctx context.Context) (bool, error) {
	return moving(ctx, a, func(front *session.Session) (bool, error) { return front.Planning(ctx) })
}
