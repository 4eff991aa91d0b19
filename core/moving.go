package core

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/core/hub"
	"veyyon.dev/veyyon/core/session"
)

// moving gives something to the session in front. A handoff ends that session in
// a pool, beside the lane that commands are admitted on: what comes to the old
// one at that moment is given to the one that takes its place.
func moving[T any](ctx context.Context, a *Agent, give func(*session.Session) (T, error)) (T, error) {
	front := a.hub.Front()
	given, err := give(front)
	if !errors.Is(err, session.ErrClosed) {
		return given, err
	}
	next := a.successorOf(ctx, front)
	if next == front {
		return given, err // it has ended for good
	}
	return give(next)
}

// successorOf is the session in front once no change of it is under way; front
// itself when ctx ends before.
func (a *Agent) successorOf(ctx context.Context, front *session.Session) (next *session.Session) {
	next = front
	_ = a.hub.Change(ctx, func(m *hub.Members) error { next = m.Front(); return nil }) // fails only with ctx
	return next
}

// tell is moving for what only changes something.
func (a *Agent) tell(ctx context.Context, change func(*session.Session) error) error {
	_, err := moving(ctx, a, func(front *session.Session) (struct{}, error) { return struct{}{}, change(front) })
	return err
}
