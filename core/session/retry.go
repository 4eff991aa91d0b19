package session

import (
	"fmt"
	"math/rand/v2"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/turn"
)

// maxBackoff is the longest wait that is ours to choose; a provider may ask for
// more.
const maxBackoff = 8 * time.Second

// maxDoublings keeps the doubled delay within its type; any delay of a
// millisecond or more has reached maxBackoff before.
const maxDoublings = 20

// quotaWait follows a usage limit when the provider names no time.
const quotaWait = 30 * time.Minute

// retry waits before the model is asked again, or reports that it is not worth
// it: the failure cannot be helped by asking again, retries are off or used up,
// or the answer already held a complete tool call.
func (st *state) retry(o turn.Outcome) bool {
	r, opts := st.run, st.s.opts.Retry
	if r.ctx.Err() != nil || !st.choice.AutoRetry || !o.Err.Retryable() || len(o.Message.Content.ToolCalls()) > 0 {
		st.retriesFailed(o.Err.Message)
		return false
	}
	if r.attempt >= opts.Max {
		st.retriesFailed(o.Err.Message)
		return false
	}
	r.attempt++
	delay := backoff(r.attempt, opts.BaseDelayMs, o.Err)
	if st.fallBack(o.Err) {
		delay = 0 // it is another model that is asked
	}
	if limit := time.Duration(opts.MaxDelayMs) * time.Millisecond; limit > 0 && delay > limit {
		st.retriesFailed(fmt.Sprintf("Provider requested %dms wait, exceeds retry.maxDelayMs (%dms). Original error: %s",
			delay.Milliseconds(), opts.MaxDelayMs, o.Err.Message))
		return false
	}
	st.emit(event.AutoRetryStart{
		Attempt: r.attempt, MaxAttempts: opts.Max, DelayMs: delay.Milliseconds(), ErrorMessage: o.Err.Message, ErrorID: o.Err.ID(),
	})
	r.failed, r.backoff = o.Message, time.NewTimer(delay)
	return true
}

// backoff doubles from the base with some jitter, and respects the provider.
func backoff(attempt int, baseMs int64, err *model.Error) time.Duration {
	delay := min(time.Duration(baseMs)*time.Millisecond, maxBackoff) << min(attempt-1, maxDoublings)
	delay = time.Duration(float64(min(delay, maxBackoff)) * (0.75 + rand.Float64()/4))
	if err.RetryAfter == 0 && err.Class&model.ClassUsageLimit != 0 {
		return quotaWait
	}
	return max(delay, err.RetryAfter)
}

// forget takes a failed answer out of the context, so that it is not part of
// the next request. The transcript keeps what it holds.
func (st *state) forget(m *message.Assistant) {
	for i := len(st.messages) - 1; i >= 0; i-- {
		if st.messages[i] == message.Message(m) {
			st.messages = append(st.messages[:i:i], st.messages[i+1:]...)
			st.size.remove(m)
			st.generation++
			return
		}
	}
}

// askAgain follows the wait.
func (st *state) askAgain() {
	r := st.run
	st.forget(r.failed)
	r.failed, r.backoff = nil, nil
	st.again()
}

// again goes on as a run of its own, as hosts see it: agent_end will list the
// messages of this one.
func (st *state) again() {
	st.run.messages = nil
	st.emit(event.AgentStart{})
	st.nextTurn(st.takeSteering())
}

// retryDone reports the end of the retries: an answer came, or nobody wants one
// any more.
func (st *state) retryDone(answer *message.Assistant) {
	switch r := st.run; {
	case r.attempt == 0 || answer.StopReason == message.StopError:
	case answer.StopReason == message.StopAborted && r.cut == nil:
		st.retriesFailed(answer.ErrorMessage)
	default:
		st.emit(event.AutoRetryEnd{Success: true, Attempt: r.attempt})
		r.attempt = 0
		st.fellBack()
	}
}

// retriesFailed reports that no retry follows, if there had been any.
func (st *state) retriesFailed(text string) {
	if r := st.run; r.attempt > 0 {
		st.emit(event.AutoRetryEnd{Attempt: r.attempt, FinalError: text})
		r.attempt = 0
	}
}

// giveUpRetry ends the wait before a retry, and with it the run: the failed
// answer stands, and follow-ups wait for the next prompt.
func (st *state) giveUpRetry() {
	st.parked = true
	st.run.backoff.Stop()
	st.retriesFailed("Retry cancelled")
	st.failed(st.run.failed)
	st.endRun()
}
