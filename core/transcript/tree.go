package transcript

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"

	"veyyon.dev/veyyon/core/message"
)

// tree is what the file holds, in file order. Parents are always earlier
// entries, so that no chain of them is endless.
type tree struct {
	entries []*Entry
	byID    map[string]*Entry
	// again has the last entry of each id that came more than once. It got
	// another id, but what names its own as its parent follows it.
	again map[string]*Entry
	leaf  *Entry // nil before the first entry
}

func (t *tree) add(e *Entry) {
	if t.byID == nil {
		t.byID = map[string]*Entry{}
	}
	t.entries = append(t.entries, e)
	t.byID[e.ID] = e
	t.leaf = e
}

// read adds the entry in the line, of which it keeps nothing; nil when it is none.
//
// An entry without an id, or with one that an earlier entry has, gets one made of
// its number, so that it is the same after every load. One without a parent, or
// whose parent is not an earlier entry (its line was torn, or it would be a
// circle), follows the one before it.
func (t *tree) read(line []byte) *Entry {
	e := &Entry{}
	var parent []byte
	whole := eachField(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			e.Type = typeName(value)
		case "id":
			e.ID, _ = unquote(value)
		case "parentId":
			parent = value
		case "timestamp":
			text, _ := unquote(value)
			e.Time = parseTime(text)
		case "message":
			e.Role = roleIn(value)
		}
	})
	if !whole || e.Type == "" || e.Type == "session" || e.Type == "title" {
		return nil // the latter two since a file has one header
	}
	if emptyBody(e.Type) == nil && !json.Valid(line) {
		return nil
	}
	if e.Type != typeMessage {
		e.Role = message.RoleOther
	}
	e.mended = !t.place(e, parent)
	id := e.ID
	for n := len(t.entries); e.ID == "" || t.byID[e.ID] != nil; n++ {
		e.mended, e.ID = true, fmt.Sprintf("%08x", n)
	}
	t.add(e)
	if id != e.ID && id != "" {
		if t.again == nil {
			t.again = map[string]*Entry{}
		}
		t.again[id] = e
	}
	return e
}

// place gives the entry its parent, and tells whether it is the one of the line.
func (t *tree) place(e *Entry, parent []byte) bool {
	if string(parent) == "null" {
		return true
	}
	if id, ok := unquote(parent); ok {
		if e.Parent = t.again[id]; e.Parent != nil {
			return false // the id is another's now
		}
		if e.Parent = t.byID[id]; e.Parent != nil {
			return true
		}
	}
	e.Parent = t.leaf
	return false
}

// typeName returns the text of a type, of ours the same memory each time.
func typeName(value []byte) string {
	text, _ := unquote(value)
	if body := emptyBody(text); body != nil {
		return body.kind()
	}
	return text
}

// roleIn returns the role of a message, RoleOther for one that is not ours. As we
// write messages it comes first, so that most need not be gone through.
func roleIn(raw []byte) message.Role {
	name := ""
	if rest, ok := bytes.CutPrefix(raw, []byte(`{"role":"`)); ok {
		text, _, _ := bytes.Cut(rest, []byte{'"'})
		name = string(text)
	} else {
		name, _ = unquote(fieldOf(raw, "role"))
	}
	switch role := message.Role(name); role {
	case message.RoleUser, message.RoleDeveloper, message.RoleAssistant, message.RoleToolResult, message.RoleBashExecution,
		message.RoleCustom, message.RoleBranchSummary, message.RoleCompactionSummary:
		return role
	case "hookMessage":
		return message.RoleCustom // its older name
	}
	return message.RoleOther
}

// newID returns an id that no entry has: 8 hexadecimal digits.
func (t *tree) newID(taken map[string]bool) string {
	for {
		var raw [4]byte
		_, _ = rand.Read(raw[:]) // it never fails
		id := hex.EncodeToString(raw[:])
		if t.byID[id] == nil && !taken[id] {
			return id
		}
	}
}

// Entries returns all entries in file order. The caller must not change the
// slice.
func (l *Log) Entries() []*Entry { return l.tree.entries }

// ByID returns the entry of that id, with equal ones in the file the first; nil
// if there is none.
func (l *Log) ByID(id string) *Entry { return l.tree.byID[id] }

// Leaf returns the entry that the next one will follow; nil for none. After
// Open it is the last one of the file.
func (l *Log) Leaf() *Entry { return l.tree.leaf }

// SetLeaf lets the next entry follow e, one of this Log's, or begin anew (nil).
// The file does not know the leaf until something is appended.
func (l *Log) SetLeaf(e *Entry) { l.tree.leaf = e }

// Body returns what the entry says; an *Unknown when that cannot be read. It is
// read from the file each time.
func (l *Log) Body(e *Entry) Body {
	body, err := l.body(e)
	if err != nil {
		slog.Error("an entry of the session cannot be read", "entry", e.ID, "err", err)
		return &Unknown{}
	}
	return body
}
