package session

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/turn"
)

// prompt is an accepted prompt that has not begun.
type prompt struct {
	messages []message.Message // empty for a run that only continues
	fail     func(error)
	done     func(PromptEnd)      // nil for none
	released atomic.Bool          // set by whoever releases it
	home     atomic.Pointer[home] // written by the loop it belongs to
	aborted  error                // the reason, once aborted before it began
	ended    []chan struct{}      // closed by settle, once the prompt has ended
}

// run is a prompt under way, with all its retries.
type run struct {
	prompt     *prompt
	begun      bool // agent_start has been told
	ctx        context.Context
	cancel     context.CancelCauseFunc
	messages   []message.Message  // what agent_end lists
	turn       *turn.Turn         // nil before the prompt is released and while a retry waits
	failed     *message.Assistant // the answer that a retry is to replace, while it waits
	backoff    *time.Timer        // the wait, nil when none is on
	attempt    int                // retries so far, 0 when the last answer was good
	pauses     int                // pause_turn answers in a row
	cut        *cutOff            // the answer that a rule has just cut off, nil otherwise
	roomy      bool               // its prompt has been found to fit, or been made to
	overflowed bool               // the context was made shorter since the last good answer
	forced     bool               // a turn has been told which tool to call, and none has answered since
	steering   bool               // interrupt mode immediate, as it was when the run began
}

// aborted tells whether somebody ended the run before it ended by itself.
func (r *run) aborted() bool {
	cause := context.Cause(r.ctx)
	return cause != nil && !errors.Is(cause, context.Canceled)
}

// open makes the prompt the run under way; from here on the session streams.
func (st *state) open(p *prompt) {
	ctx, cancel := st.runLife()
	st.run = &run{prompt: p, ctx: ctx, cancel: cancel, steering: st.choice.Interrupt == InterruptImmediate}
	if p.aborted != nil {
		cancel(p.aborted)
	}
}

// errTimeUp is why the deadline ends a run; its text is shown.
var errTimeUp = fault.New(fault.Cancelled, "The time limit of the session (--max-time) has been reached")

func (st *state) timeUp() bool {
	deadline := st.s.opts.Deadline
	return !deadline.IsZero() && !time.Now().Before(deadline)
}

// runLife is the context of a run: that of the session, to the deadline.
func (st *state) runLife() (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(st.life)
	if st.s.opts.Deadline.IsZero() {
		return ctx, cancel
	}
	timer := time.AfterFunc(time.Until(st.s.opts.Deadline), func() { cancel(errTimeUp) })
	return ctx, func(cause error) {
		timer.Stop()
		cancel(cause)
	}
}

// beginReleased begins the run under way if it waits only for its release.
func (st *state) beginReleased() {
	r := st.run
	if r == nil || r.begun || !r.prompt.released.Load() || st.writing != nil && st.writing.begin == nil {
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
	st.readPrompt()
	if st.roomForPrompt() {
		return
	}
	r.begun = true
	st.revert()
	st.emit(event.AgentStart{})
	st.clearTodos()
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

// endRun closes the prompt: the session is idle before its agent_end is told,
// and what was queued or accepted meanwhile goes on.
func (st *state) endRun() {
	r := st.run
	st.unforce()
	st.run = nil
	r.cancel(nil)
	st.flushLate()
	st.emit(event.AgentEnd{Messages: r.messages})
	st.settle(r)
}

// settle wakes those who waited for the run, and begins what comes next.
func (st *state) settle(r *run) {
	if r.begun && r.prompt.done != nil && !st.muted {
		r.prompt.done(st.promptEnd(r))
	}
	for _, ended := range r.prompt.ended {
		close(ended)
	}
	st.beginWriting()
	st.beginNext()
}

// beginNext begins the next prompt that was accepted, or what is queued, unless
// all has to wait.
func (st *state) beginNext() {
	if st.run != nil || st.held() {
		return
	}
	st.armIdle()
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
// steering always, follow-ups and results of jobs unless the person has just
// aborted.
func (st *state) goOn() {
	if st.run != nil || st.held() || st.stopped || len(st.messages) == 0 || st.ready() != nil {
		return
	}
	queued := st.takeSteering()
	if len(queued) == 0 && !st.parked && st.answered() {
		queued = st.takeFollowUps()
	}
	if len(queued) == 0 && !st.parked && !st.spent() {
		queued = st.jobResults()
	}
	if len(queued) == 0 {
		return
	}
	p := &prompt{messages: queued}
	p.released.Store(true)
	st.open(p)
	st.beginReleased()
}

// answered tells whether the conversation stands at an answer; what the host
// ran since does not count.
func (st *state) answered() bool {
	for _, m := range slices.Backward(st.messages) {
		switch {
		case m.Speaker() == message.RoleAssistant, m.Speaker() == message.RoleToolResult:
			return true
		case byPerson(m):
			return false
		}
	}
	return false
}
