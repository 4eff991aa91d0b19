package session

import (
	"context"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
)

// Texts that the protocol or its clients fix.
const (
	busyText    = "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion."
	noModelText = "No model selected. Choose one with set_model or --model, or set an API key in the environment."
)

// errInterrupted is why a person's abort ends a run; its text is shown.
var errInterrupted = fault.New(fault.Cancelled, "Interrupted by user")

// Prompt accepts a prompt, or says why not. While a run goes on it is queued as
// Behavior says, or refused without one. While an aborted run still unwinds it
// is accepted and begins after that.
func (s *Session) Prompt(ctx context.Context, p Prompt) (accepted Accepted, err error) {
	failed := error(nil)
	err = s.do(ctx, func(st *state) { accepted, failed = st.prompt(p) })
	if err == nil {
		err = failed
	}
	return accepted, err
}

// AbortAndPrompt aborts what runs, and accepts the prompt in its place if it
// can.
func (s *Session) AbortAndPrompt(ctx context.Context, p Prompt) (accepted Accepted, err error) {
	failed := error(nil)
	err = s.do(ctx, func(st *state) {
		st.abort(errInterrupted)
		if failed = st.ready(); failed == nil {
			accepted = st.accept(p)
		}
	})
	if err == nil {
		err = failed
	}
	return accepted, err
}

func (st *state) prompt(p Prompt) (Accepted, error) {
	if st.busy() {
		switch p.Behavior {
		case "":
			return Accepted{}, fault.New(fault.Busy, busyText)
		case "followUp":
			st.queues.followUp = append(st.queues.followUp, message.NewUser(p.Text, p.Images))
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
	case st.stopped:
		return ErrClosed
	case m == nil:
		return fault.New(fault.NoModel, noModelText)
	case !st.s.opts.Models.HasKey(m):
		return fault.Newf(fault.NoCredentials, "No API key found for %s. Set it in the environment or in models.yml.", m.Provider)
	}
	return nil
}

// busy tells whether a prompt was accepted that has neither ended nor been told
// to.
func (st *state) busy() bool {
	if n := len(st.next); n > 0 {
		return st.next[n-1].aborted == nil
	}
	return st.run != nil && st.run.ctx.Err() == nil
}

// accept makes the prompt the next run. It begins when released, and not
// before the run under way has unwound.
func (st *state) accept(p Prompt) Accepted {
	next := &prompt{messages: []message.Message{message.NewUser(p.Text, p.Images)}, fail: p.Fail}
	st.parked = false
	if st.run == nil {
		st.open(next)
	} else {
		st.next = append(st.next, next)
	}
	return Accepted{Release: st.releaser(next)}
}

// releaser returns what lets the prompt begin. The life of the session bounds
// the wait for its loop.
func (st *state) releaser(p *prompt) func() {
	return func() {
		_ = st.s.do(st.life, func(st *state) { // the session has ended: so has its prompt
			p.released = true
			st.beginReleased()
		})
	}
}

// open makes the prompt the run under way; from here on the session streams.
func (st *state) open(p *prompt) {
	ctx, cancel := context.WithCancelCause(st.life)
	st.run = &run{prompt: p, ctx: ctx, cancel: cancel, steering: st.choice.Interrupt == InterruptImmediate}
	if p.aborted != nil {
		cancel(p.aborted)
	}
}

// beginReleased begins the run under way if it waits only for its release.
func (st *state) beginReleased() {
	r := st.run
	if r == nil || r.begun || !r.prompt.released {
		return
	}
	if err := st.ready(); err != nil && r.ctx.Err() == nil {
		st.run = nil
		r.cancel(err)
		if r.prompt.fail != nil {
			r.prompt.fail(err)
		}
		st.settle(r)
		return
	}
	r.begun = true
	st.emit(event.AgentStart{})
	messages := r.prompt.messages
	if r.ctx.Err() == nil {
		messages = append(messages, st.takeSteering()...)
	}
	st.nextTurn(messages)
}

// say adds a message to the run: to the context, the transcript and the host.
func (st *state) say(m message.Message) {
	st.run.messages = append(st.run.messages, m)
	st.record(m)
	st.emit(event.MessageStart{Message: m})
	st.emit(event.MessageEnd{Message: m})
}

// abort tells the run, the prompts behind it and the commands to end.
func (st *state) abort(reason error) {
	st.abortBash(reason)
	st.abortRuns(reason)
}

func (st *state) abortRuns(reason error) {
	for _, p := range st.next {
		if p.aborted == nil {
			p.aborted = reason
		}
	}
	if st.run == nil {
		return
	}
	st.parked = true
	st.run.cancel(reason)
	if st.run.backoff != nil {
		st.giveUpRetry("Retry cancelled")
	}
}

// Abort tells what runs to end. wait returns when the last of it has unwound
// and its agent_end is in the outbox; it is nil when nothing ran.
func (s *Session) Abort(ctx context.Context) (wait func(context.Context) error, err error) {
	ended, err := ask(ctx, s, func(st *state) chan struct{} {
		st.abort(errInterrupted)
		last := st.lastPrompt()
		if last == nil {
			return nil
		}
		ended := make(chan struct{})
		last.ended = append(last.ended, ended)
		return ended
	})
	if err != nil || ended == nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		select {
		case <-ended:
			return nil
		case <-s.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}, nil
}

// lastPrompt is the one that ends last of those running or accepted.
func (st *state) lastPrompt() *prompt {
	if n := len(st.next); n > 0 {
		return st.next[n-1]
	}
	if st.run != nil {
		return st.run.prompt
	}
	return nil
}

// endRun closes the prompt: the session is idle before its agent_end is told,
// and what was queued or accepted meanwhile goes on.
func (st *state) endRun() {
	r := st.run
	st.run = nil
	r.cancel(nil)
	st.flushLate()
	st.emit(event.AgentEnd{Messages: r.messages})
	st.settle(r)
}

// settle wakes those who waited for the run, and begins what comes next.
func (st *state) settle(r *run) {
	for _, ended := range r.prompt.ended {
		close(ended)
	}
	if len(st.next) > 0 {
		p := st.next[0]
		st.next = st.next[1:]
		st.open(p)
		st.beginReleased()
		return
	}
	st.goOn()
}

// goOn begins a run for queued messages that would otherwise wait for nobody:
// steering always, follow-ups unless the person has just aborted.
func (st *state) goOn() {
	if st.run != nil || st.stopped || len(st.messages) == 0 || st.ready() != nil {
		return
	}
	queued := st.takeSteering()
	if len(queued) == 0 && !st.parked && st.answered() {
		queued = st.takeFollowUps()
	}
	if len(queued) == 0 {
		return
	}
	st.open(&prompt{messages: queued, released: true})
	st.beginReleased()
}

// answered tells whether the conversation stands at an answer.
func (st *state) answered() bool {
	role := st.messages[len(st.messages)-1].Speaker()
	return role == message.RoleAssistant || role == message.RoleToolResult
}

// stop ends the session: its run is told why, and the loop ends when it has
// unwound and the host's commands have ended.
func (st *state) stop(reason error) {
	st.stopped = true
	st.abortRuns(reason)
	for _, p := range st.next {
		p.released = true // its answer was not sent; the prompt is on record all the same
	}
	if st.run != nil {
		st.run.prompt.released = true
		st.beginReleased()
	}
}

// Stop ends the session and all that runs in it, and returns at once; Done
// tells when it has ended. With mute its host hears nothing more of it.
func (s *Session) Stop(ctx context.Context, reason error, mute bool) {
	_ = s.do(ctx, func(st *state) { // an ended session is what was asked for
		st.muted = st.muted || mute
		st.abortBash(reason)
		st.stop(reason)
	})
}

// Finish ends the session as Stop does, but lets the host's commands go on.
func (s *Session) Finish(ctx context.Context, reason error) {
	_ = s.do(ctx, func(st *state) { st.stop(reason) }) // as above
}

// Settled waits until nothing runs and nothing is accepted.
func (s *Session) Settled(ctx context.Context) error {
	for {
		ended, err := ask(ctx, s, func(st *state) chan struct{} {
			last := st.lastPrompt()
			if last == nil {
				return nil
			}
			ended := make(chan struct{})
			last.ended = append(last.ended, ended)
			return ended
		})
		if err != nil || ended == nil {
			return err
		}
		select {
		case <-ended:
		case <-s.done:
			return ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
