package transcript

import (
	"log/slog"
	"slices"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// Messages returns the conversation from the root to the leaf. With a
// compaction on the way it begins with the summary of the last one, then has
// what that kept, then what came after. Images are whole again. Entries that
// cannot be read are left out and logged.
func (l *Log) Messages() []message.Message {
	messages, err := l.Snapshot().Messages()
	if err != nil {
		slog.Error("the conversation cannot be read", "err", err)
		return []message.Message{}
	}
	return messages
}

// Context returns the entries that the conversation is made of, in its order: the
// path to the leaf, or the last compaction on it, what that kept and what came
// after. Not each of them is a message.
func (s Snapshot) Context() ([]*Entry, error) {
	path := pathTo(s.leaf)
	for at := len(path) - 1; at >= 0; at-- {
		if path[at].Type != typeCompaction {
			continue
		}
		body, err := s.store.body(path[at])
		if err != nil {
			return nil, err
		}
		compaction, ok := body.(*Compaction)
		if !ok {
			continue
		}
		kept := slices.IndexFunc(path[:at], s.isFirstKept(compaction))
		if kept < 0 {
			kept = at
		}
		// An older compaction is no part of the conversation.
		rest := slices.DeleteFunc(path[kept:at:at], func(e *Entry) bool { return e.Type == typeCompaction })
		return slices.Concat(path[at:at+1], rest, path[at+1:]), nil
	}
	return path, nil
}

func (s Snapshot) isFirstKept(c *Compaction) func(*Entry) bool {
	if at := c.FirstKeptEntryIndex - 1; c.FirstKeptEntryID == "" && at >= 0 && at < len(s.entries) {
		return func(e *Entry) bool { return e == s.entries[at] }
	}
	return func(e *Entry) bool { return e.ID == c.FirstKeptEntryID }
}

// messagesOf returns the messages that these entries, in path order, are to the
// conversation. Some are none.
func (s Snapshot) messagesOf(entries []*Entry) ([]message.Message, error) {
	speaking := slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return !speaks(e) })
	bodies, err := s.store.bodies(speaking)
	if err != nil {
		return nil, err
	}
	messages, lost := make([]message.Message, 0, len(bodies)), 0
	for i, body := range bodies {
		if m := messageOf(speaking[i], body); m != nil {
			messages = append(messages, m)
		} else if _, unread := body.(*Unknown); unread {
			lost++
		}
	}
	if lost > 0 {
		slog.Warn("messages of the session cannot be read", "file", s.store.path(), "messages", lost)
	}
	return messages, nil
}

// speaks tells whether the entry may be a message to the conversation.
func speaks(e *Entry) bool {
	switch e.Type {
	case typeMessage, typeCustomMessage, typeBranchSummary, typeCompaction:
		return true
	}
	return false
}

// messageOf returns what the entry is to the conversation, nil for nothing.
func messageOf(e *Entry, body Body) message.Message {
	at := millis(e.Time)
	switch b := body.(type) {
	case *Message:
		if b.Message.Speaker() != message.RoleOther {
			return b.Message
		}
	case *CustomMessage:
		return &message.Custom{
			Role: message.RoleCustom, CustomType: b.CustomType, Content: b.Content, Display: b.Display,
			Details: b.Details, Attribution: b.Attribution, Timestamp: at,
		}
	case *BranchSummary:
		return &message.BranchSummary{Role: message.RoleBranchSummary, Summary: b.Summary, FromID: b.FromID, Timestamp: at}
	case *Compaction:
		return &message.CompactionSummary{
			Role: message.RoleCompactionSummary, Summary: b.Summary, ShortSummary: b.ShortSummary,
			TokensBefore: b.TokensBefore, Timestamp: at,
		}
	}
	return nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Choices is what was last chosen on the path to the leaf; "" for what was not.
type Choices struct {
	Model      string // "provider/id", for the role "default" or as last answered
	Thinking   string // effective level
	Configured string // level asked for
}

// Choices returns what a session that goes on here begins with.
func (l *Log) Choices() Choices {
	var c Choices
	answered, thought := "", false
	for e := l.Leaf(); e != nil && (c.Model == "" || !thought); e = e.Parent {
		answer := e.Role == message.RoleAssistant && answered == ""
		if !answer && e.Type != typeModelChange && e.Type != typeThinkingChange {
			continue // without reading it
		}
		switch b := l.Body(e).(type) {
		case *ModelChange:
			if c.Model == "" && (b.Role == "" || b.Role == "default") {
				c.Model = b.Model
			}
		case *ThinkingChange:
			if !thought {
				thought, c.Thinking, c.Configured = true, orEmpty(b.ThinkingLevel), orEmpty(b.Configured)
			}
		case *Message:
			if m, ok := b.Message.(*message.Assistant); ok {
				answered = m.Provider + "/" + m.Model
			}
		}
	}
	if c.Model == "" {
		c.Model = answered
	}
	return c
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
