package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/stages"
)

// Sink returns what sends a session's events to the host, in order, for as long
// as ctx lives: that of the connection. Safe for concurrent use.
//
// Protocol: "Event Stream Schema".
func Sink(ctx context.Context, out stages.Outbox) event.Sink {
	return func(events ...event.Event) {
		var f frames.Outbound
		if len(events) == 1 {
			f = note(events[0])
		} else {
			batch := make(frames.Batch, len(events))
			for i, e := range events {
				batch[i] = note(e)
			}
			f = batch
		}
		_ = out.Send(ctx, f) // fails only when nobody reads any more
	}
}

// note wraps an event. Those that a slow host may get merged or replaced are
// wrapped in the types that know how.
func note(e event.Event) frames.Note {
	switch e := e.(type) {
	case *event.MessageUpdate:
		return frames.Note{Name: e.Name(), Body: wire.Update{Event: e}}
	case event.ToolUpdate:
		return frames.Note{Name: e.Name(), Body: wire.Progress(e)}
	}
	return frames.Note{Name: e.Name(), Body: e}
}
