package session

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/transcript"
)

// Place is where a session works, and what goes with that; as in Options. It is
// never changed.
type Place struct {
	Dir    string
	Began  string
	System func() []string
	Rules  *rule.Set
	Gate   *approval.Gate
}

// cwdChanged is the type of the entry that keeps a change of place (facts/agent
// 4.4).
const cwdChanged = "cwd_changed"

// change is what it holds.
type change struct {
	Previous string `json:"previous"`
	Cwd      string `json:"cwd"`
}

// Move lets the session work elsewhere from now on, also when it is opened again.
// While something runs the code of its error is fault.Busy.
func (s *Session) Move(ctx context.Context, to Place) error {
	return try(ctx, s, func(st *state) error {
		switch {
		case st.stopped, st.moved:
			return ErrClosed
		case st.run != nil, st.writing != nil, len(st.next) > 0:
			return fault.New(fault.Busy, "Cannot move while streaming.")
		}
		c := change{s.Dir(), to.Dir}
		to.Began = to.Dir
		if to.Gate != nil {
			to.Gate.SetPlanning(st.planning)
		}
		s.place.Store(&to)
		st.readPrompt()
		st.readRules()
		st.memo = &model.Memo{}
		raw, _ := message.Marshal(c) // texts always encode
		st.wrote(st.log().Append(&transcript.Custom{CustomType: cwdChanged, Data: raw}))
		st.emit(event.CwdChanged(c))
		return nil
	})
}

// LastDir is the directory that the session in a log has worked in at last, or
// began in. The log must not be in use.
func LastDir(log *transcript.Log) string {
	for e := log.Leaf(); e != nil; e = e.Parent {
		if e.Type != "custom" {
			continue
		}
		body, ok := log.Body(e).(*transcript.Custom)
		var c change
		if ok && body.CustomType == cwdChanged && json.Unmarshal(body.Data, &c) == nil && c.Cwd != "" {
			return c.Cwd
		}
	}
	return log.Header().CWD
}
