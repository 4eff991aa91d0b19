package core

import (
	"context"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/session"
)

// Compact replaces old messages of the session by a summary; instructions may
// say what to look at. The running turn is aborted first. run waits for the
// model, and must be called once.
func (a *Agent) Compact(ctx context.Context, instructions string) (run func(context.Context) (*event.CompactionResult, error), err error) {
	return moving(ctx, a, func(front *session.Session) (func(context.Context) (*event.CompactionResult, error), error) {
		return front.Compact(ctx, instructions)
	})
}
