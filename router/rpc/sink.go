package rpc

import (
	"context"
	"sync/atomic"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/stages"
)

// A Sink sends events to the host, in order, for as long as its context lives:
// that of the connection. Safe for concurrent use.
//
// Protocol: "Event Stream Schema".
type Sink struct {
	ctx    context.Context
	out    stages.Outbox
	filter atomic.Pointer[filter] // nil until the host has set one
}

// NewSink returns a sink without a filter.
func NewSink(ctx context.Context, out stages.Outbox) *Sink { return &Sink{ctx: ctx, out: out} }

// Emit is an event.Sink.
func (s *Sink) Emit(events ...event.Event) {
	keep := s.filter.Load()
	if len(events) == 1 {
		if known(events[0]) && keep.passes(events[0]) {
			s.send(note(events[0]))
		}
		return
	}
	batch := make(frames.Batch, 0, len(events))
	for _, e := range events {
		if known(e) && keep.passes(e) {
			batch = append(batch, note(e))
		}
	}
	if len(batch) > 0 {
		s.send(batch)
	}
}

func (s *Sink) send(f frames.Outbound) {
	_ = s.out.Send(s.ctx, f) // fails only when nobody reads any more
}

// known tells whether the protocol has a frame for the event.
func known(e event.Event) bool {
	switch e := e.(type) {
	case event.ToolRunning, event.PlanMode:
		return false
	case event.SubagentEvent:
		return known(e.Event)
	}
	return true
}

// note wraps an event. Those that a slow host may get merged or replaced are
// wrapped in the types that know how.
func note(e event.Event) frames.Note {
	switch e := e.(type) {
	case *event.MessageUpdate:
		return frames.Note{Name: e.Name(), Body: wire.Update{Event: e}}
	case event.SubagentProgress:
		return frames.Note{Name: e.Name(), Body: wire.AgentReport(e)}
	case event.SubagentEvent:
		return frames.Note{Name: e.Name(), Body: wire.SubagentEvent{ID: e.ID, Event: note(e.Event)}}
	case event.ToolUpdate:
		return frames.Note{Name: e.Name(), Body: wire.Progress(e)}
	}
	return frames.Note{Name: e.Name(), Body: e}
}
