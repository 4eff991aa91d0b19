package session

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
)

// Texts that the protocol or its clients fix.
const (
	busyText    = "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion."
	noModelText = "No model selected. Choose one with set_model or --model, or set an API key in the environment."
)

// Prompt accepts a prompt, or says why not. While a run goes on it is queued as
// Behavior says, or refused without one (fault.Busy). While an aborted run still
// unwinds it is accepted and begins after that. Without a model or a key for it
// the code is fault.NoModel or fault.NoCredentials.
func (s *Session) Prompt(ctx context.Context, p Prompt) (accepted Accepted, err error) {
	err = try(ctx, s, func(st *state) (failed error) {
		accepted, failed = st.prompt(p)
		return failed
	})
	return accepted, err
}

// AbortAndPrompt aborts what runs, and accepts the prompt in its place if it
// can; otherwise the errors are those of Prompt.
func (s *Session) AbortAndPrompt(ctx context.Context, p Prompt) (accepted Accepted, err error) {
	err = try(ctx, s, func(st *state) error {
		st.abort(ErrInterrupted)
		if err := st.ready(); err != nil {
			return err
		}
		accepted = st.accept(p)
		return nil
	})
	return accepted, err
}

func (st *state) prompt(p Prompt) (Accepted, error) {
	if st.moved {
		return Accepted{}, ErrClosed
	}
	if st.busy() {
		switch p.Behavior {
		case "":
			return Accepted{}, fault.New(fault.Busy, busyText)
		case "followUp":
			st.queues.followUp = append(st.queues.followUp, p.message())
		default: // any other value steers, as it always has
			st.steer(p)
		}
		return Accepted{}, nil
	}
	if err := st.ready(); err != nil {
		return Accepted{}, err
	}
	return st.accept(p), nil
}

// ready tells whether a run can begin.
func (st *state) ready() error {
	switch m := st.choice.Model; {
	case st.stopped, st.moved:
		return ErrClosed
	case st.timeUp():
		return errTimeUp
	case m == nil:
		return fault.New(fault.NoModel, noModelText)
	case !st.s.opts.Models.HasKey(m):
		return fault.Newf(fault.NoCredentials, "No API key found for %s. Set it in the environment or in models.yml.", m.Provider)
	}
	return nil
}

// message is what the prompt says.
func (p Prompt) message() message.Message {
	if p.Message != nil {
		return p.Message
	}
	return message.NewUser(p.Text, p.Images)
}

// busy tells whether a prompt was accepted that has neither ended nor been told
// to.
func (st *state) busy() bool {
	if st.held() && (st.run == nil || st.run.ctx.Err() != nil) {
		return false // it waits for its turn
	}
	if n := len(st.next); n > 0 {
		return st.next[n-1].aborted == nil
	}
	return st.run != nil && st.run.ctx.Err() == nil
}

// accept makes the prompt the next run. It begins when released, and not
// before the run under way has unwound.
func (st *state) accept(p Prompt) Accepted {
	next := &prompt{messages: []message.Message{p.message()}, fail: p.Fail, done: p.Done}
	st.parked = false
	next.home.Store(&home{st.s, st.life})
	if st.run == nil && !st.held() {
		st.open(next)
	} else {
		st.next = append(st.next, next)
	}
	return Accepted{Release: releaser(next)}
}

// releaser returns what lets the prompt begin, wherever it is then. The life of
// the session bounds the wait for its loop.
func releaser(p *prompt) func() {
	return func() {
		// This comes first: a session that takes the prompt over from another
		// looks at it after it has become its home.
		p.released.Store(true)
		at := p.home.Load()
		_ = at.s.do(at.life, (*state).beginReleased) // the session has ended: so has its prompt
	}
}
