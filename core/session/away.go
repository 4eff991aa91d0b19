package session

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/core/fault"
)

// errLeft is why a session that went on without its host ends: it has nothing
// more to do.
var errLeft = fault.New(fault.Cancelled, "The conversation has ended in the background")

// Leave lets the session go on without its host, which hears nothing more of it
// once Leave has returned. It ends by itself when its runs, commands and jobs
// have. streaming tells whether a turn goes on; ended that the session had
// nothing more to do and closes at once.
//
// Protocol: "Background conversations".
func (s *Session) Leave(ctx context.Context) (streaming, ended bool, err error) {
	err = s.do(ctx, func(st *state) {
		st.muted, st.leaving = true, true
		st.s.Gate().Leave()
		streaming, ended = st.streaming(), st.idle()
	})
	return streaming, ended, err
}

// Return keeps the session from ending by itself: its host comes back. It is
// false when the session has ended or been told to. The host hears of it only
// from Listen on.
func (s *Session) Return(ctx context.Context) (bool, error) {
	back, err := ask(ctx, s, func(st *state) bool {
		st.leaving = false
		return !st.stopped
	})
	if errors.Is(err, ErrClosed) {
		return false, nil
	}
	return back, err
}

// Listen lets the host hear of the session from now on.
func (s *Session) Listen(ctx context.Context) error {
	return s.do(ctx, func(st *state) {
		st.muted = false
		st.s.Gate().Return()
	})
}

// idle tells whether nothing runs here and nothing is about to.
func (st *state) idle() bool {
	return st.run == nil && st.writing == nil && len(st.next) == 0 && len(st.bash) == 0 && st.s.board.Running() == 0
}

// endIfLeft ends a session without a host that has nothing more to do.
func (st *state) endIfLeft() {
	if st.leaving && !st.stopped && st.idle() {
		st.stop(errLeft)
	}
}

// Glance is what a list of conversations shows of one.
type Glance struct {
	Title     string
	Streaming bool
	Ended     bool // it has nothing more to do, or has been told to end
}

// Glance looks at the session.
func (s *Session) Glance(ctx context.Context) (Glance, error) {
	return ask(ctx, s, func(st *state) Glance {
		title, _ := st.log().Title()
		return Glance{Title: title, Streaming: st.streaming(), Ended: st.stopped}
	})
}
