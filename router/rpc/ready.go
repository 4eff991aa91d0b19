package rpc

import (
	"context"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// Ready sends the first frame. Announce follows, before any command is taken.
//
// Protocol: "Startup".
func Ready(ctx context.Context, out stages.Outbox) error {
	return out.Send(ctx, frames.Note{Name: "ready"})
}

// Announce sends the list of slash commands. The agent sends it again whenever
// the session in front is another one.
func Announce(ctx context.Context, agent *core.Agent, emit event.Sink) error {
	commands, err := agent.Commands(ctx)
	if err != nil {
		return err
	}
	emit(event.AvailableCommands{Commands: commands})
	return nil
}
