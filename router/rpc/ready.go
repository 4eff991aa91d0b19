package rpc

import (
	"context"

	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// Ready sends the first frame. The agent's Announce follows, before any command
// is taken.
//
// Protocol: "Startup".
func Ready(ctx context.Context, out stages.Outbox) error {
	return out.Send(ctx, frames.Note{Name: "ready"})
}
