package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/session"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// filter says which events the host gets: those that are named, or all. A nil
// filter is that of a host that has never asked: all but the events beyond the
// protocol.
type filter struct{ names map[string]bool } // nil for all

// beyond tells which events no host gets unasked (decisions 28).
func beyond(e event.Event) bool {
	switch e.(type) {
	case event.SessionSettled, promptResult:
		return true
	}
	return false
}

func (f *filter) passes(e event.Event) bool {
	switch {
	case f == nil:
		return !beyond(e)
	case f.names == nil:
		return true
	}
	return f.names[e.Name()]
}

// eventFilter is the data of set_event_filter; null stands for all events.
type eventFilter struct {
	Events         []string `json:"events"`
	MessageUpdates string   `json:"messageUpdates"`
}

// setEventFilter holds from the next event on. Answers and what is asked of the
// host are no events and always come.
func (c *commands) setEventFilter(_ context.Context, f wire.EventFilter) (router.Answer, error) {
	next := &filter{}
	if f.Events != nil {
		next.names = make(map[string]bool, len(f.Events))
		for _, name := range f.Events {
			next.names[name] = true
		}
	}
	if f.MessageUpdates != "" {
		c.agent.SetFullUpdates(f.MessageUpdates == "full")
	}
	c.sink.filter.Store(next)
	answer := eventFilter{Events: f.Events, MessageUpdates: "delta"}
	if c.agent.FullUpdates() {
		answer.MessageUpdates = "full"
	}
	return router.Answer{Data: answer}, nil
}

const promptResultName = "prompt_result"

// localResult tells that a prompt was answered and then stayed local.
//
// Protocol: "prompt payload".
type localResult struct {
	ID           rawID `json:"id,omitempty"`
	AgentInvoked bool  `json:"agentInvoked"` // false
}

func (localResult) Name() string { return promptResultName }

// stayedLocal returns what tells the host that the prompt of this id did.
func (c *commands) stayedLocal(later router.Later) func() {
	return func() { c.sink.Emit(localResult{ID: rawID(later.ID)}) }
}

// promptResult tells a host that asked for it how the run of its prompt ended.
type promptResult struct {
	ID             rawID  `json:"id,omitempty"`
	AgentInvoked   bool   `json:"agentInvoked"`
	Status         string `json:"status"` // completed, aborted or failed
	SessionSettled bool   `json:"sessionSettled"`
}

// rawID is a correlation id, which is JSON already.
type rawID []byte

// MarshalJSON returns the id as it came.
func (id rawID) MarshalJSON() ([]byte, error) { return id, nil }

func (promptResult) Name() string { return promptResultName }

// result returns what tells the host how the prompt of this id ended.
func (c *commands) result(later router.Later) func(session.PromptEnd) {
	return func(end session.PromptEnd) {
		c.sink.Emit(promptResult{ID: rawID(later.ID), AgentInvoked: true, Status: end.Status, SessionSettled: end.Settled})
	}
}
