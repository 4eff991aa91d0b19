package session

import (
	"context"

	"veyyon.dev/veyyon/core/message"
)

// Carry is what waits in one session and goes on in another: queued messages and
// accepted prompts that have not begun.
type Carry struct {
	steering, followUp []message.Message
	prompts            []*prompt
	parked             bool
}

// home is the session whose loop a prompt belongs to.
type home struct {
	s    *Session
	life context.Context // the session's: it bounds the wait for its loop
}

// TakeQueues removes from the session what waits in it, for TakeOver in another.
// A prompt that is released meanwhile begins there. The session takes no more:
// what comes later is refused with ErrClosed, and belongs to the other one too.
func (s *Session) TakeQueues(ctx context.Context) (Carry, error) {
	return ask(ctx, s, func(st *state) Carry {
		c := Carry{steering: st.queues.steering, followUp: st.queues.followUp, prompts: st.next, parked: st.parked}
		st.queues, st.next, st.moved = queues{}, nil, true
		st.s.steered.Store(false)
		return c
	})
}

// KeepQueues lets what waits behind a handoff document begin here after all, c
// too, which has been taken: the session that was to take it over could not be
// had.
func (s *Session) KeepQueues(ctx context.Context, c Carry) error {
	return s.do(ctx, func(st *state) {
		st.handed, st.moved = false, false
		st.carryOn(c)
		st.beginNext()
	})
}

// TakeOver puts what waited in another session behind what waits here. release
// lets it begin, and is called once the host knows of this session.
func (s *Session) TakeOver(ctx context.Context, c Carry) (release func(), err error) {
	return ask(ctx, s, func(st *state) func() {
		st.carryOn(c)
		return func() {
			_ = s.do(st.life, func(st *state) { // the session has ended, and its prompts with it
				st.beginReleased()
				st.goOn()
			})
		}
	})
}

// carryOn puts what waited elsewhere behind what waits here.
func (st *state) carryOn(c Carry) {
	st.queues.steering = append(st.queues.steering, c.steering...)
	st.queues.followUp = append(st.queues.followUp, c.followUp...)
	st.s.steered.Store(len(st.queues.steering) > 0)
	st.parked = st.parked || c.parked
	for _, p := range c.prompts {
		p.home.Store(&home{st.s, st.life})
		if st.run == nil && len(st.next) == 0 && !st.held() {
			st.open(p)
		} else {
			st.next = append(st.next, p)
		}
	}
}
