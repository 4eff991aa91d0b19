package session

import (
	"context"
	"slices"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
)

// queues hold messages for turns to come, oldest first.
type queues struct {
	steering []message.Message
	followUp []message.Message
}

// Steer queues a message that the model hears at the next boundary. Idle, it
// begins a run of its own once released; in an empty session it waits for the
// first prompt.
func (s *Session) Steer(ctx context.Context, p Prompt) (release func(), err error) {
	return queue(ctx, s, func(st *state) { st.steer(p) })
}

// FollowUp queues a message for when the model would otherwise stop.
func (s *Session) FollowUp(ctx context.Context, p Prompt) (release func(), err error) {
	return queue(ctx, s, func(st *state) {
		st.queues.followUp = append(st.queues.followUp, p.message())
	})
}

// queue adds a message, unless what waits has gone on in another session.
func queue(ctx context.Context, s *Session, add func(*state)) (release func(), err error) {
	err = try(ctx, s, func(st *state) error {
		if st.moved {
			return ErrClosed
		}
		add(st)
		release = st.goer()
		return nil
	})
	return release, err
}

// goer returns what starts a run for the queues, if nothing runs then.
func (st *state) goer() func() {
	return func() {
		_ = st.s.do(st.life, (*state).goOn) // the session has ended, and its queues with it
	}
}

func (st *state) steer(p Prompt) {
	m := p.message()
	if m, ok := m.(*message.User); ok {
		m.Steering = true
	}
	st.queues.steering = append(st.queues.steering, m)
	st.s.steered.Store(true)
}

// takeSteering removes what steering is to be delivered now.
func (st *state) takeSteering() []message.Message {
	taken := dequeue(&st.queues.steering, st.choice.Steering)
	st.s.steered.Store(len(st.queues.steering) > 0)
	return taken
}

// takeFollowUps removes what follow-ups are to be delivered now.
func (st *state) takeFollowUps() []message.Message {
	return dequeue(&st.queues.followUp, st.choice.FollowUp)
}

func dequeue(queue *[]message.Message, mode QueueMode) []message.Message {
	n := len(*queue)
	if mode == QueueOneAtATime {
		n = min(n, 1)
	}
	taken := slices.Clone((*queue)[:n])
	*queue = slices.Delete(*queue, 0, n)
	return taken
}

// SetSteeringMode says how many steering messages are delivered at once.
func (s *Session) SetSteeringMode(ctx context.Context, mode QueueMode) error {
	return setMode(ctx, s, "steering", mode, func(c *Choice) *QueueMode { return &c.Steering }, QueueAll, QueueOneAtATime)
}

// SetFollowUpMode says how many follow-ups are delivered at once.
func (s *Session) SetFollowUpMode(ctx context.Context, mode QueueMode) error {
	return setMode(ctx, s, "follow-up", mode, func(c *Choice) *QueueMode { return &c.FollowUp }, QueueAll, QueueOneAtATime)
}

// SetInterruptMode says whether steering cuts tool calls short; it holds from
// the next run on.
func (s *Session) SetInterruptMode(ctx context.Context, mode InterruptMode) error {
	return setMode(ctx, s, "interrupt", mode, func(c *Choice) *InterruptMode { return &c.Interrupt }, InterruptImmediate, InterruptWait)
}

func setMode[M ~string](ctx context.Context, s *Session, kind string, mode M, field func(*Choice) *M, allowed ...M) error {
	if !slices.Contains(allowed, mode) {
		return fault.Newf(fault.Invalid, "Invalid %s mode: %s", kind, mode)
	}
	return s.do(ctx, func(st *state) { *field(&st.choice) = mode })
}
