// Package hub knows which sessions of a connection live: the one in front, which
// the host drives, those that go on in the background, and those that have been
// told to end and still unwind.
package hub

import (
	"context"
	"sync/atomic"

	"veyyon.dev/veyyon/core/session"
)

// A Hub holds the sessions of one connection. Safe for concurrent use.
type Hub struct {
	front atomic.Pointer[session.Session]
	// members is the table, and room for it: whoever has received it may change
	// it, and sends it back. So changes come one after the other, and a wait for
	// one has a context.
	members chan *Members
}

// New returns a hub with this session in front. limit is how many conversations
// may go on in the background.
func New(front *session.Session, limit int) *Hub {
	h := &Hub{members: make(chan *Members, 1)}
	h.front.Store(front)
	h.members <- &Members{hub: h, limit: limit}
	return h
}

// Front is the session that the host drives.
func (h *Hub) Front() *session.Session { return h.front.Load() }

// Finish lets the session in front end as soon as its host's commands have, for
// this reason, and each that takes its place.
func (h *Hub) Finish(ctx context.Context, reason error) {
	_ = h.Change(ctx, func(m *Members) error { // fails only when ctx has ended: then all ends at once
		m.finished = reason
		m.Front().Finish(ctx, reason)
		return nil
	})
}

// Change runs change alone among all that looks at the table or changes it. It
// fails with the error of change, or with the cause of ctx if that ends before
// the table is free, which may take as long as change waits for a disk, or for a
// run that unwinds.
func (h *Hub) Change(ctx context.Context, change func(*Members) error) error {
	select {
	case m := <-h.members:
		defer func() { h.members <- m }()
		return change(m)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
