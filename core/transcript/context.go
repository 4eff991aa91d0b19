package transcript

import (
	"slices"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// Messages returns the conversation from the root to the leaf. With a
// compaction on the way it begins with the summary of the last one, then has
// what that kept, then what came after. Images are whole again.
func (l *Log) Messages() []message.Message {
	messages := []message.Message{}
	for i, e := range l.context() {
		if i > 0 && e.Type == typeCompaction {
			continue // an older one
		}
		if m := l.message(e); m != nil {
			messages = append(messages, m)
		}
	}
	return messages
}

// context returns the entries of the path that count, a compaction first if
// there is one.
func (l *Log) context() []*Entry {
	path := l.PathTo(l.Leaf())
	for at := len(path) - 1; at >= 0; at-- {
		compaction, ok := l.compaction(path[at])
		if !ok {
			continue
		}
		kept := slices.Index(path[:at], l.firstKept(compaction))
		if kept < 0 {
			kept = at
		}
		return slices.Concat(path[at:at+1], path[kept:at], path[at+1:])
	}
	return path
}

func (l *Log) compaction(e *Entry) (*Compaction, bool) {
	if e.Type != typeCompaction {
		return nil, false
	}
	c, ok := l.Body(e).(*Compaction)
	return c, ok
}

func (l *Log) firstKept(c *Compaction) *Entry {
	if at := c.FirstKeptEntryIndex - 1; c.FirstKeptEntryID == "" && at >= 0 && at < len(l.tree.entries) {
		return l.tree.entries[at]
	}
	return l.ByID(c.FirstKeptEntryID)
}

// message returns what the entry is to the conversation, nil for nothing.
func (l *Log) message(e *Entry) message.Message {
	switch e.Type {
	case typeMessage, typeCustomMessage, typeBranchSummary, typeCompaction:
	default:
		return nil // without decoding it
	}
	at := millis(e.Time)
	switch b := l.Body(e).(type) {
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
		switch e.Type {
		case typeMessage, typeModelChange, typeThinkingChange:
		default:
			continue
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
			if m, ok := b.Message.(*message.Assistant); ok && answered == "" {
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
