package session

import (
	"slices"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
)

// How a prompt ended.
const (
	PromptCompleted = "completed"
	PromptAborted   = "aborted"
	PromptFailed    = "failed"
)

// PromptEnd says how a prompt ended. Settled tells that nothing follows it by
// itself.
type PromptEnd struct {
	Status  string // one of the Prompt constants
	Settled bool
}

// promptEnd is how the run that has just ended went.
func (st *state) promptEnd(r *run) PromptEnd {
	end := PromptEnd{Status: PromptCompleted, Settled: st.settled()}
	for _, m := range slices.Backward(r.messages) {
		answer, ok := m.(*message.Assistant)
		if !ok {
			continue
		}
		switch answer.StopReason {
		case message.StopAborted:
			end.Status = PromptAborted
		case message.StopError:
			end.Status = PromptFailed
			if r.aborted() {
				end.Status = PromptAborted // in the wait before another answer
			}
		}
		break
	}
	return end
}

// settled tells whether nothing is under way and nothing begins by itself.
func (st *state) settled() bool {
	queued := len(st.queues.steering) > 0 || len(st.queues.followUp) > 0 && !st.parked
	return st.run == nil && st.writing == nil && len(st.next) == 0 && !queued && !st.jobsWillWake()
}

// tellSettled tells the host once that all has come to rest after a run.
func (st *state) tellSettled() {
	switch {
	case st.run != nil:
		st.unsettled = true
	case st.unsettled && st.settled():
		st.unsettled = false
		st.emit(event.SessionSettled{})
	}
}
