package transcript

import (
	"log/slog"
	"slices"

	"veyyon.dev/veyyon/core/message"
)

// A Spoken is a message of the conversation together with its entry.
type Spoken struct {
	Entry   *Entry
	Message message.Message
}

// Speaking returns the entries that Messages are made of, without reading them:
// there are more only when some cannot be read.
func (l *Log) Speaking() []*Entry {
	entries, err := l.Snapshot().Context()
	if err != nil {
		slog.Error("the conversation cannot be read", "err", err)
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool {
		return e.Silent() || e.Type == typeMessage && e.Role == message.RoleOther
	})
}

// Spoken is Messages with the entry of each.
func (l *Log) Spoken() []Spoken {
	spoken, err := l.Snapshot().spoken()
	if err != nil {
		slog.Error("the conversation cannot be read", "err", err)
	}
	return spoken
}

func (s Snapshot) spoken() ([]Spoken, error) {
	entries, err := s.Context()
	if err != nil {
		return nil, err
	}
	speaking := slices.DeleteFunc(slices.Clone(entries), (*Entry).Silent)
	bodies, err := s.store.bodies(speaking)
	if err != nil {
		return nil, err
	}
	spoken := make([]Spoken, 0, len(bodies))
	for i, body := range bodies {
		if m := messageOf(speaking[i], body); m != nil {
			spoken = append(spoken, Spoken{speaking[i], m})
		}
	}
	return spoken, nil
}

// LastCompaction returns what the newest compaction on the path to the leaf
// says, nil when there is none.
func (l *Log) LastCompaction() *Compaction {
	for e := l.Leaf(); e != nil; e = e.Parent {
		if e.Type != typeCompaction {
			continue
		}
		if c, ok := l.Body(e).(*Compaction); ok {
			return c
		}
	}
	return nil
}

// LastCompactionID names the newest compaction on the path to the leaf; "" when
// there is none.
func (l *Log) LastCompactionID() string {
	for e := l.Leaf(); e != nil; e = e.Parent {
		if e.Type == typeCompaction {
			return e.ID
		}
	}
	return ""
}

// Compacted tells whether the leaf is a compaction: nothing has come since.
func (l *Log) Compacted() bool { return l.Leaf() != nil && l.Leaf().Type == typeCompaction }

// Silent tells whether the entry says nothing in the conversation: it notes a
// choice, a name or the like.
func (e *Entry) Silent() bool { return !speaks(e) }
