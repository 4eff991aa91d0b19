package acp

import (
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/acp"
)

// A sink turns the events of a session into updates, in order. Safe for
// concurrent use.
//
// Protocol: facts/acp 6.3, 7 and 8.
type sink struct {
	session *session

	mu         sync.Mutex
	introduced bool             // the client has been told of the commands; before that it hears of none
	closed     bool             // nothing more is told
	messageID  string           // of the answer under way
	said       bool             // some of its text has been told
	blank      string           // thinking that is nothing but white space so far
	calls      map[string]*call // those under way, by id
	turn       outcome          // of the prompt under way
	streaming  bool             // something of an answer has been told
	batch      frames.Batch     // what is told when the mutex is given back
}

// lock takes the mutex. What it returns gives it back, behind what has been told
// meanwhile, which goes out in one piece.
func (s *sink) lock() (unlock func()) {
	s.mu.Lock()
	return func() {
		defer s.mu.Unlock()
		switch len(s.batch) {
		case 0:
			return
		case 1:
			s.session.server.send(s.batch[0])
		default:
			s.session.server.send(s.batch)
		}
		s.batch = nil // it is on its way, and never changed
	}
}

// begin opens a turn.
func (s *sink) begin() {
	defer s.lock()()
	s.turn, s.streaming = outcome{dirty: s.turn.dirty}, false
}

// finish closes a turn: calls that are still open have failed.
func (s *sink) finish() outcome {
	defer s.lock()()
	for id := range s.calls {
		s.update(wire.ToolCall{Update: updateCall, ToolCallID: id, Status: statusFailed})
	}
	s.calls, s.streaming = nil, false
	o := s.turn
	s.turn = outcome{}
	return o
}

// streams tells whether something of an answer has been told in this turn.
func (s *sink) streams() bool {
	defer s.lock()()
	return s.streaming
}

// end stops the sink: nothing more is told.
func (s *sink) end() {
	defer s.lock()()
	s.closed = true
}

// introduce tells what a client is told of a session first.
func (s *sink) introduce(commands []event.Command, info wire.SessionInfo) {
	defer s.lock()()
	s.introduced = true
	s.tellCommands(commands)
	info.Update = "session_info_update"
	s.update(info)
}

// send tells one thing.
func (s *sink) send(update any) {
	defer s.lock()()
	s.update(update)
}

// tellOptions tells all options, which are then told.
func (s *sink) tellOptions(options []wire.ConfigOption) {
	defer s.lock()()
	s.turn.dirty = false
	s.update(wire.ConfigOptions{Update: "config_option_update", Options: options})
}

// say tells a text under an id of its own.
func (s *sink) say(kind wire.ChunkKind, text string) {
	if text != "" {
		s.chunk(kind, uuid.NewString(), text)
	}
}

// update, chunk and note tell something; the mutex is held, so that all is told in
// order.
func (s *sink) update(update any) { s.note(wire.Update{SessionID: s.session.id, Update: update}) }

func (s *sink) chunk(kind wire.ChunkKind, id, text string) {
	s.note(wire.TextChunk{SessionID: s.session.id, Kind: kind, MessageID: id, Text: text})
}

func (s *sink) note(body any) {
	if !s.closed {
		s.batch = append(s.batch, frames.Note{Name: wire.UpdateMethod, Body: body})
	}
}

func (s *sink) tellCommands(commands []event.Command) {
	s.update(wire.Commands{Update: "available_commands_update", Commands: commandsOf(commands)})
}

// emit is an event.Sink.
func (s *sink) emit(events ...event.Event) {
	defer s.lock()()
	for _, e := range events {
		s.tell(e)
	}
}

func (s *sink) tell(e event.Event) {
	switch e := e.(type) {
	case event.MessageStart:
		if _, ok := e.Message.(*message.Assistant); ok {
			s.messageID, s.said, s.blank = uuid.NewString(), false, ""
			s.turn.ran = true
		}
	case *event.MessageUpdate:
		s.tellPart(e.Part)
	case event.MessageEnd:
		if answer, ok := e.Message.(*message.Assistant); ok {
			s.tellAnswer(answer)
		}
	case event.ToolStart:
		s.begun(e)
	case event.ToolRunning:
		s.update(wire.ToolCall{Update: updateCall, ToolCallID: e.ToolCallID, Status: statusRunning})
	case event.ToolUpdate:
		s.progressed(e)
	case event.ToolEnd:
		s.ended(e)
	case event.TodoReminder:
		s.plan(e.Todos)
	case event.TodoAutoClear:
		s.plan(nil)
	case event.CommandOutput:
		s.say(wire.AgentChunk, e.Text)
	case event.SessionInfoUpdate:
		s.update(wire.SessionInfo{Update: "session_info_update", Title: e.Title, UpdatedAt: stamp(time.Now())})
	case event.ConfigUpdate, event.ThinkingLevelChanged, event.FallbackApplied:
		s.turn.dirty = true // all options are told when the turn or the request has ended
	case event.PlanMode:
		s.update(wire.CurrentMode{Update: "current_mode_update", CurrentModeID: modeOf(e.On)})
		if e.Approved { // the session waits for this event, so it is asked for the options elsewhere
			s.session.server.works.Go(func() { _, _ = s.session.tellOptions(s.session.life) }) // an ended session has none
		}
	case event.AvailableCommands:
		if s.introduced {
			s.tellCommands(e.Commands)
		}
	case event.Notice:
		if s.session.notices {
			s.update(wire.Notice{Update: "notice", Severity: e.Level, Title: e.Message})
		}
	}
}

// tellPart tells a step of the answer under way.
func (s *sink) tellPart(p event.Part) {
	if p.Delta == "" {
		return
	}
	switch p.Kind {
	case event.TextDelta:
		s.said, s.streaming = true, true
		s.chunk(wire.AgentChunk, s.messageID, p.Delta)
	case event.ThinkingDelta:
		s.streaming = true
		if s.blank += p.Delta; strings.TrimSpace(s.blank) == "" {
			return
		}
		s.chunk(wire.ThoughtChunk, s.messageID, s.blank)
		s.blank = ""
	}
}

// tellAnswer closes an answer: what has not streamed is told now, and why it
// failed.
func (s *sink) tellAnswer(a *message.Assistant) {
	s.turn.last, s.turn.usage = a, s.turn.usage.Plus(a.Usage)
	if text := a.Content.Text(); !s.said && strings.TrimSpace(text) != "" {
		s.chunk(wire.AgentChunk, s.messageID, text)
	}
	s.said = false
}

// tellFailure tells why the last answer of a turn failed, as text: that is all
// that clients show.
func (s *sink) tellFailure() {
	defer s.lock()()
	if last := s.turn.last; last != nil && last.StopReason == message.StopError {
		s.say(wire.AgentChunk, last.ErrorMessage)
	}
}

// tellText, tellChunk and tellPlan are for the goroutine that replays.
func (s *sink) tellText(kind wire.ChunkKind, text string) {
	defer s.lock()()
	s.say(kind, text)
}

func (s *sink) tellChunk(kind wire.ChunkKind, id, text string) {
	defer s.lock()()
	s.chunk(kind, id, text)
}

func (s *sink) tellPlan(todos []event.Todo) {
	defer s.lock()()
	s.plan(todos)
}
