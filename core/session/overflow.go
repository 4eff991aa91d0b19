package session

import (
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/turn"
)

// overflowText tells that nothing more is tried.
const overflowText = "The conversation does not fit into the context window of the model even after it was made shorter."

// overflowed makes the context shorter after a request that was too large, once,
// and asks again. It is false when that is not so or not worth it: then the error
// stands.
func (st *state) overflowed(o turn.Outcome) bool {
	r := st.run
	if o.Err.Class&model.ClassOverflow == 0 || r.ctx.Err() != nil || !st.choice.Compact || !mayBeRetried(o.Message) || st.held() {
		return false
	}
	if r.overflowed {
		st.tellDeadEnd()
		return false
	}
	r.overflowed = true
	// What does not fit is more than the window, whatever was counted before.
	tokens := max(st.contextTokens(), st.choice.Model.ContextWindow)
	ratio := st.ratio(tokens)
	st.failed(o.Message) // the file keeps it; the context does not
	st.forget(o.Message)
	before := tokens
	tokens -= int(float64(st.prune()) * ratio)
	planned, err := st.plan(tokens)
	if err != nil {
		if tokens -= int(float64(st.shrink(ratio)) * ratio); tokens < before {
			st.again()
			return true
		}
		st.overflowStands(o.Message)
		return true
	}
	st.compactItself(reasonOverflow, planned, func(err error) {
		switch {
		case r.ctx.Err() != nil:
			st.take(o.Message)
			st.endRun()
		case err != nil:
			st.overflowStands(o.Message)
		default:
			st.attempted = st.contextTokens()
			st.again()
		}
	})
	return true
}

// overflowStands ends the run with the answer that failed, which is stored.
func (st *state) overflowStands(failed *message.Assistant) {
	st.take(failed)
	st.retriesFailed(failed.ErrorMessage)
	st.tellDeadEnd()
	st.endRun()
}

func (st *state) tellDeadEnd() {
	st.emit(event.Notice{Level: "warning", Message: overflowText, Source: "compaction"})
}
