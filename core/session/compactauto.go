package session

import (
	"errors"
	"time"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
)

// Why a session compacts by itself, and what that does, as hosts read it; they
// accept no other words (facts/rpc 7).
const (
	reasonThreshold = "threshold"
	reasonOverflow  = "overflow"
	reasonIdle      = "idle"

	actionSummary = "context-full"
)

// regrown is how large a context has to be for the next attempt to compact it,
// after one that left so many tokens: what could not be made shorter then is not
// paid for at each turn. It is grown by a fourth, or less where the window ends
// before that, but by a sixteenth of that at least.
func regrown(attempted, window int) int {
	growth := attempted / 4
	if left := window - attempted; left > 0 {
		growth = min(growth, max(left/2, window/16))
	}
	return attempted + growth
}

// What the model is told behind a compaction that followed its answer, since it
// may have stopped in the middle of its work (facts/agent 4.4).
const (
	compactedText = "The conversation was compacted since it had become too long; the summary stands at its beginning. "
	goOnText      = compactedText + "Your last answer was cut off at its limit. Go on where it stopped."
	nextStepText  = compactedText + "Go on if there are steps left that the person asked for; else say in one sentence that the work is done."
)

// makeRoom compacts the context if it, with the messages that are about to join,
// is too full, and then calls then on the loop, telling whether it was compacted.
// It is false when the caller is to go on at once: there is room, or none can be
// made.
func (st *state) makeRoom(pending []message.Message, then func(compacted bool)) bool {
	tokens, threshold := st.contextTokens()+compaction.Total(pending), st.threshold()
	if threshold == 0 || tokens <= threshold || tokens < regrown(st.attempted, st.choice.Model.ContextWindow) || st.held() || !st.choice.Compact || st.stopped {
		return false
	}
	ratio := st.ratio(tokens)
	if tokens -= int(float64(st.prune()) * ratio); tokens <= threshold {
		return false
	}
	planned, err := st.plan(tokens)
	if err != nil {
		st.shrink(ratio) // costs no request, so the next turn may try again
		return false
	}
	st.compactItself(reasonThreshold, planned, func(err error) {
		st.attempted = st.contextTokens() + compaction.Total(pending)
		then(err == nil)
	})
	return true
}

// threshold is how many tokens the context may hold; 0 is no limit.
func (st *state) threshold() int {
	if st.choice.Model == nil {
		return 0
	}
	return st.s.opts.Compaction.Threshold(st.choice.Model.ContextWindow)
}

// prune replaces tool results that say nothing any more; it returns about how
// many tokens that saved. The transcript keeps them whole.
func (st *state) prune() int {
	opts := st.s.opts.Compaction
	st.entryIDs() // before what was loaded is replaced
	pruned, saved := compaction.Prune(st.messages, compaction.Pruning{
		SupersedeReads: opts.SupersedeReads, DropUseless: opts.DropUseless, At: message.Now(),
	})
	st.replaced(pruned, saved)
	return saved
}

// shrink shortens tool results that alone fill the context.
func (st *state) shrink(ratio float64) int {
	st.entryIDs() // as above
	shrunk, saved := compaction.Shrink(st.messages, st.room(ratio), message.Now())
	st.replaced(shrunk, saved)
	return saved
}

// replaced takes over the context with shorter messages in it.
func (st *state) replaced(messages []message.Message, saved int) {
	if saved > 0 {
		for i, m := range messages {
			if old := st.messages[i]; old != m {
				if id := st.entries[old]; id != "" {
					st.entries[m] = id
				}
				delete(st.entries, old) // or it would stay in memory
			}
		}
		st.messages = messages
		st.size.begin(messages)
	}
}

// compactItself compacts and tells the host of it; then hears how it went, after
// the host. In a run it ends with the run.
func (st *state) compactItself(reason string, p *planned, then func(error)) {
	life := st.life
	if st.run != nil {
		life = st.run.ctx
	}
	w := st.openWriting(life, true)
	st.emit(event.CompactionStart{Reason: reason, Action: actionSummary})
	st.summarise(w, p, func(st *state, result *event.CompactionResult, err error) {
		st.endWriting(w)
		end := event.CompactionEnd{Action: actionSummary, Result: result, WillRetry: err == nil && reason == reasonOverflow}
		switch {
		case errors.Is(err, errCompactCancelled):
			end.Aborted = true
		case err != nil && reason == reasonOverflow:
			end.ErrorMessage = "Context overflow recovery failed: " + err.Error()
		case err != nil:
			end.ErrorMessage = "Auto-compaction failed: " + err.Error()
		}
		st.emit(end)
		then(err)
	})
}

// roomForPrompt makes room before the run under way begins. It is true when the
// run is to wait.
func (st *state) roomForPrompt() bool {
	r := st.run
	if r.roomy || r.ctx.Err() != nil {
		return false
	}
	r.roomy = true
	return st.makeRoom(r.prompt.messages, func(bool) { st.beginReleased() })
}

// afterTools goes on behind a turn whose tools have run.
func (st *state) afterTools() {
	goOn := func(bool) {
		if st.run.ctx.Err() != nil {
			st.abortedTurn()
			st.endRun()
			return
		}
		st.nextTurn(st.takeSteering())
	}
	if !st.s.opts.Compaction.MidTurn || !st.makeRoom(nil, goOn) {
		goOn(false)
	}
}

// afterAnswer goes on behind an answer without calls.
func (st *state) afterAnswer(answer *message.Assistant) {
	goOn := func(compacted bool) {
		queued := len(st.queues.steering)+len(st.queues.followUp) > 0
		switch {
		case st.run.ctx.Err() != nil:
			st.endRun()
		case compacted && !queued && st.s.opts.Compaction.AutoContinue && st.limit() == "":
			if answer.StopReason == message.StopLength {
				st.instruct(goOnText)
			} else {
				st.instruct(nextStepText)
			}
			st.again()
		default:
			st.stopOrGoOn()
		}
	}
	if !st.makeRoom(nil, goOn) {
		goOn(false)
	}
}

// armIdle compacts the session if it stays idle for long enough. The timer's
// goroutine ends with the session.
func (st *state) armIdle() {
	opts := st.s.opts.Compaction
	if opts.IdleAfter <= 0 || st.stopped {
		return
	}
	if st.idleTimer != nil {
		st.idleTimer.Stop()
	}
	s, life := st.s, st.life
	st.idleTimer = time.AfterFunc(time.Duration(opts.IdleAfter)*time.Second, func() {
		_ = s.do(life, (*state).compactIdle) // the session has ended: there is nothing to compact
	})
}

// compactIdle follows the wait; it may come when something has begun since.
func (st *state) compactIdle() {
	tokens := st.contextTokens()
	if st.run != nil || st.held() || st.stopped || !st.choice.Compact || tokens <= st.s.opts.Compaction.IdleTokens || st.ready() != nil {
		return
	}
	planned, err := st.plan(tokens)
	if err != nil {
		return // it was compacted already, or is small
	}
	st.compactItself(reasonIdle, planned, func(error) { st.beginNext() })
}
