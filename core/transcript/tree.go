package transcript

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"slices"
)

// tree is what the file holds, in file order. Parents are always earlier
// entries, so that no chain of them is endless.
type tree struct {
	entries []*Entry
	byID    map[string]*Entry // with equal ids, the last one
	leaf    *Entry            // nil before the first entry
}

func (t *tree) add(e *Entry) {
	if t.byID == nil {
		t.byID = map[string]*Entry{}
	}
	t.entries = append(t.entries, e)
	t.byID[e.ID] = e
	t.leaf = e
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

// ByID returns the entry of that id; nil if there is none.
func (l *Log) ByID(id string) *Entry { return l.tree.byID[id] }

// Leaf returns the entry that the next one will follow; nil for none. After
// Open it is the last one of the file.
func (l *Log) Leaf() *Entry { return l.tree.leaf }

// SetLeaf lets the next entry follow e, one of this Log's, or begin anew (nil).
// The file does not know the leaf until something is appended.
func (l *Log) SetLeaf(e *Entry) { l.tree.leaf = e }

// PathTo returns the entries from the root to e.
func (l *Log) PathTo(e *Entry) []*Entry {
	var path []*Entry
	for ; e != nil; e = e.Parent {
		path = append(path, e)
	}
	slices.Reverse(path)
	return path
}

// Body returns what the entry says; an *Unknown when that cannot be read.
func (l *Log) Body(e *Entry) Body {
	if e.body != nil {
		return e.body
	}
	body, err := decodeBody(e.Type, e.raw)
	if err != nil {
		slog.Warn("an entry of the session cannot be read", "file", l.path, "entry", e.ID, "type", e.Type, "err", err)
		unknown := &Unknown{}
		if json.Valid(e.raw) {
			unknown.Raw = e.raw
		}
		body = unknown
	}
	e.body, e.raw = mapContent(body, l.blobs.in), nil
	return e.body
}
