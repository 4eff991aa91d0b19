package session

import (
	"context"
	"log/slog"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// state is all that changes in a session. It is a local variable of Loop;
// everything here runs on that goroutine.
type state struct {
	s      *Session
	life   context.Context // ends with the session
	system []string        // the blocks of the system prompt

	messages []message.Message // the context, oldest first
	seen     seen              // what models see of it
	// generation counts how often messages have been taken out of the context:
	// what a host has counted so far no longer holds then.
	generation int
	size       contextSize
	memo       *model.Memo // of the requests, which grow by what is new
	forced     string      // the tool that the next answer must call, "" for none
	fresh      int         // how often the person wanted what providers remember left behind
	choice     Choice
	todos      []tool.Phase
	callIDs    callIDs
	fallback   fallback
	conduct    conduct
	rules      *rule.Watcher // the turn's while it runs; nil without rules

	entries   map[message.Message]string // ids of the entries the messages come from, see entryIDs
	loaded    []*transcript.Entry        // of the messages at the beginning, until they are in entries
	writing   *writing                   // what a model writes about the conversation, nil for nothing
	handed    bool                       // a handoff document was written; what waits goes on elsewhere
	moved     bool                       // it did: nothing is accepted here any more
	attempted int                        // tokens of the context after the last attempt to compact it
	idleTimer *time.Timer                // the wait before an idle session is compacted, nil for none

	run       *run      // the prompt under way, nil when idle
	next      []*prompt // accepted while something else has to end first, in order
	queues    queues
	late      []*message.BashExecution // finished while the run went on; they join at its end
	parked    bool                     // the person aborted, or the host wants it so: follow-ups and results of jobs wait for the next prompt
	bash      map[*bashRun]struct{}
	told      bool // what opts.Busy has been told
	stopped   bool
	killed    bool // the hard stop: there is nobody left to hear of anything
	muted     bool // the host has left this session: no more events
	unsettled bool // a run has begun since the host was told that all is at rest
	planning  bool // plan mode is on
	leaving   bool // it goes on without its host, and ends when it is idle
	warned    bool // a failed write has been reported
}

func newState(s *Session, life context.Context) *state {
	st := &state{s: s, life: life, choice: s.opts.Choice, bash: map[*bashRun]struct{}{}, todos: []tool.Phase{}, callIDs: callIDs{}, memo: &model.Memo{}}
	st.load()
	st.log().Remember(st.recall)
	return st
}

// load takes over what the transcript holds. In a new one it notes what the
// session begins with.
func (st *state) load() {
	if st.log().Leaf() == nil && st.choice.Model != nil {
		st.wrote(st.log().Append(&transcript.ModelChange{Model: st.choice.Model.Ref()}, st.thinking()))
	}
	st.readPrompt()
	st.readRules()
	for _, m := range st.log().Messages() {
		st.take(m)
	}
	st.loaded = st.loadedFrom()
	st.loadTodos()
}

// readPrompt takes the system prompt as it is now. It changes between runs only:
// within one it would cost the provider's cache of the conversation.
func (st *state) readPrompt() {
	if system := st.s.place.Load().System; system != nil {
		st.system = system()
	}
}

func (st *state) readRules() {
	st.rules = nil
	if rules := st.s.place.Load().Rules; rules != nil {
		st.rules = rule.NewWatcher(rules, st.log().HeardRules())
	}
}

func (st *state) log() *transcript.Log { return st.s.opts.Log }

func (st *state) over() bool {
	return st.stopped && st.run == nil && st.writing == nil && st.s.board.Running() == 0 && (st.killed || len(st.bash) == 0)
}

func (st *state) close() {
	if st.idleTimer != nil {
		st.idleTimer.Stop()
	}
	st.flushLate()
	st.keepResults()
	if err := st.log().Close(); err != nil {
		slog.Warn("closing the transcript", "file", st.log().Path(), "err", err)
	}
}

// emit tells the host, unless it has left this session.
func (st *state) emit(events ...event.Event) {
	if !st.muted {
		st.s.opts.Emit(events...)
	}
}

// streaming is what hosts call isStreaming: from the acceptance of a prompt
// until its agent_end is about to be written.
func (st *state) streaming() bool { return st.run != nil }

// take adds a message to the context, without storing or telling it.
func (st *state) take(m message.Message) {
	if m.Speaker() == message.RoleOther {
		return
	}
	st.messages = append(st.messages, m)
	st.size.add(m)
	st.callIDs.note(m)
}

// record adds a message to the context and the transcript.
func (st *state) record(m message.Message) {
	st.take(m)
	st.store(m)
}

// store adds a message to the transcript.
func (st *state) store(m message.Message) {
	err := st.log().Append(entryOf(m))
	st.noteEntry(m, err)
	st.wrote(err)
}

// entryOf is how the transcript keeps a message.
func entryOf(m message.Message) transcript.Body {
	if c, ok := m.(*message.Custom); ok {
		return &transcript.CustomMessage{CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details, Attribution: c.Attribution}
	}
	return &transcript.Message{Message: m}
}

// level is the effective thinking level.
func (st *state) level() model.Level {
	if st.choice.Model == nil {
		return model.LevelOff
	}
	return registry.Effective(st.choice.Model, st.choice.Thinking)
}
