// Package transcript keeps sessions in files: one JSON line an entry, the
// entries forming a tree that only grows. It reads what crashes, full disks and
// other programs have left behind, and it never rewrites a line.
//
// In memory is only an index of the file; what entries say is read from it when
// it is asked for.
//
// Format: facts/agent 3.
package transcript

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// An Entry is one line of a session file and one node of its tree. Its fields
// are never changed once it is in a Log, so any goroutine may read them.
type Entry struct {
	Type   string
	ID     string       // no two of a Log are the same
	Parent *Entry       // nil for a root; always earlier in the file
	Time   time.Time    // zero when the line has none that can be read
	Role   message.Role // of a message of ours; RoleOther for all else

	// mended tells that the line in the file has another id or parent, or none.
	mended bool

	// held is what the entry says until that is in the file, or again when it is
	// there no more. The one who finds nil there may read offset and size, which
	// were set before and are never changed.
	held   atomic.Pointer[held]
	offset int64 // of the line in the file, in bytes
	size   int   // of the line without its end, in bytes
}

// held is what is kept of an entry in memory.
type held struct {
	line []byte // with its newline; nil when it is made of the body
	body Body   // nil when there is only the line
	end  int64  // where it ends in the file once it was written anew, in bytes
}

// Size is how long the line is, in bytes; 0 before it is in the file.
func (e *Entry) Size() int {
	if e.held.Load() != nil {
		return 0
	}
	return e.size
}

// settle tells that the line is in the file.
func (e *Entry) settle(offset int64, size int) {
	e.offset, e.size = offset, size
	e.held.Store(nil)
}

// base is what every entry's line begins with.
type base struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"`
	Timestamp string  `json:"timestamp,omitempty"`
}

// head returns the beginning of the entry's line, as an object of its own with
// a newline; without a time when at is zero.
func (e *Entry) head(at time.Time) ([]byte, error) {
	head := base{Type: e.Type, ID: e.ID}
	if !at.IsZero() {
		head.Timestamp = stamp(at)
	}
	if e.Parent != nil {
		head.ParentID = &e.Parent.ID
	}
	return marshal(head)
}

// encode returns the entry's line with its newline.
func (e *Entry) encode(body Body) ([]byte, error) {
	switch b := body.(type) {
	case *Unknown:
		return nil, errors.New("its type is unknown")
	case *Custom:
		if b.CustomType == "" {
			return nil, errors.New("it has no customType")
		}
	case *CustomMessage:
		if b.CustomType == "" {
			return nil, errors.New("it has no customType")
		}
	}
	line, err := e.head(e.Time)
	if err != nil {
		return nil, err
	}
	rest, err := marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s entry: %w", e.Type, err)
	}
	line[len(line)-2] = ',' // in place of the brace; a newline follows it
	return append(line[:len(line)-1], rest[1:]...), nil
}

// stamp is how times are written: UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
