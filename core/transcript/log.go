package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"veyyon.dev/veyyon/core/message"
)

// Options say where sessions are kept.
type Options struct {
	Dir    string // folder of new session files; "" keeps a new session in memory only
	Blobs  string // folder of large images; "" leaves them in the session file
	CWD    string // working folder of a new session, absolute
	Parent string // the session a new one comes from: a path or an id, stored as it is
}

// Header is the second line of a file, or its first when it has no title slot.
type Header struct {
	Type                   string      `json:"type"`              // session
	Version                int         `json:"version,omitempty"` // 3; 1 has none
	ID                     string      `json:"id"`
	Timestamp              string      `json:"timestamp"`
	CWD                    string      `json:"cwd"`
	Title                  string      `json:"title,omitempty"`
	TitleSource            TitleSource `json:"titleSource,omitempty"`
	ParentSession          string      `json:"parentSession,omitempty"`
	ProviderPromptCacheKey string      `json:"providerPromptCacheKey,omitempty"`
}

const version = 3

// A Log is one session's file and the tree in it. One goroutine only.
//
// While it lives it is the only writer of its file. The file comes into being
// with the first message; what was appended earlier is written then.
type Log struct {
	*store
	closed  bool
	wanted  bool     // the file must exist
	pending []*Entry // those that are not in the file yet, in order
	end     int64    // where the last line in the file ends, in bytes
	recall  func() map[string]message.Message
	renewed *Renewed // what has happened to the file and was not told yet

	header  Header
	title   string
	source  TitleSource // "" when there is no title
	titled  time.Time   // when the title was set
	hasSlot bool
	skipped int
	tree    tree
	labels  labels
}

// ErrInvalid means that an entry cannot be stored as JSON; it was not added.
var ErrInvalid = errors.New("the entry cannot be stored")

// New begins a session.
func New(o Options) (*Log, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("making a session id: %w", err)
	}
	began := time.Now()
	l := begin(o, id.String(), began)
	if o.Dir != "" {
		l.move(filepath.Join(o.Dir, fileName(l.header.ID, began)), nil)
	}
	return l, nil
}

func begin(o Options, id string, began time.Time) *Log {
	header := Header{Type: "session", Version: version, ID: id, Timestamp: stamp(began), CWD: o.CWD, ParentSession: o.Parent}
	return &Log{header: header, titled: began, hasSlot: true, store: newStore("", nil, blobs(o.Blobs))}
}

// Path is where the file is or will be; "" for a session in memory. It changes
// only when another file takes the path. Any goroutine may ask.
func (l *Log) Path() string { return l.path() }

// ID is the session's id.
func (l *Log) ID() string { return l.header.ID }

// Header is the header as it was read or will be written; its title may be out
// of date, see Title.
func (l *Log) Header() Header { return l.header }

// Title returns the session's title and who chose it; "" when it has none.
func (l *Log) Title() (string, TitleSource) { return l.title, l.source }

// Skipped counts the lines that could not be read.
func (l *Log) Skipped() int { return l.skipped }

// AppendMessage appends a message, which must not be changed afterwards.
func (l *Log) AppendMessage(m message.Message) error { return l.Append(&Message{m}) }

// Append adds entries below the leaf, each in one write. With ErrInvalid nothing
// was added. A Renewed error tells that all was stored, but what has happened to
// the file before. With any other error the entries are part of the session, and
// are written with the next append that succeeds. The bodies must not be changed
// afterwards.
func (l *Log) Append(bodies ...Body) error {
	if l.closed {
		return os.ErrClosed
	}
	if err := l.add(bodies); err != nil {
		return err
	}
	return l.write()
}

// add makes entries of the bodies, which are then pending.
func (l *Log) add(bodies []Body) error {
	entries := make([]*Entry, len(bodies))
	parent, taken, now := l.tree.leaf, map[string]bool{}, time.Now()
	for i, body := range bodies {
		id := l.tree.newID(taken)
		taken[id] = true
		e := &Entry{Type: body.kind(), ID: id, Parent: parent, Time: now.Truncate(time.Millisecond)}
		if m, ok := body.(*Message); ok {
			e.Role = m.Message.Speaker()
		}
		if err := l.hold(e, body); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		entries[i], parent = e, e
	}
	for i, e := range entries {
		l.tree.add(e)
		l.labels.note(bodies[i])
		called, ok := bodies[i].(*CustomMessage) // a skill, in place of a message
		l.wanted = l.wanted || e.Type == typeMessage || ok && called.Attribution == "user"
	}
	l.pending = append(l.pending, entries...)
	return nil
}

// hold lets the entry keep the body, and the line that is to be written. While
// others wait for the disk it keeps no line: bodies are in memory anyway, for the
// conversation.
func (l *Log) hold(e *Entry, body Body) error {
	line, err := l.encode(e, body) // in any case to see that it is possible
	if l.path() == "" || len(l.pending) > 0 {
		line = nil
	}
	e.held.Store(&held{line: line, body: body})
	return err
}

// SetTitle changes the title. An automatic title does not replace a person's;
// then nothing happens.
func (l *Log) SetTitle(title string, source TitleSource) error {
	if source == TitleAuto && l.source == TitleUser {
		return nil
	}
	change := &TitleChange{Title: title, PreviousTitle: l.title, Source: source}
	l.title, l.source, l.titled = title, source, time.Now()
	onDisk := l.file() != nil
	err := l.Append(change)
	if !onDisk || !l.hasSlot || l.closed {
		return err
	}
	line, failed := encodeSlot(title, source, l.titled)
	if failed == nil {
		failed = writeSlot(l.path(), l.file(), line)
	}
	if failed != nil {
		err = errors.Join(err, fmt.Errorf("writing the title: %w", failed))
	}
	return err
}

// Flush makes sure that the file exists and holds all entries.
func (l *Log) Flush() error {
	if l.closed {
		return os.ErrClosed
	}
	l.wanted = true
	return l.write()
}

// Close writes what is pending and gives up the file. A file that has not come
// into being stays away.
func (l *Log) Close() error {
	if l.closed {
		return nil
	}
	err := l.write()
	l.closed = true
	if f := l.file(); f != nil {
		err = errors.Join(err, f.Close())
	}
	return err
}

func (l *Log) write() error {
	if l.path() == "" {
		l.pending = nil
		return nil
	}
	if !l.wanted {
		return nil
	}
	if l.file() != nil && len(l.pending) > 0 {
		if err := l.renew(); err != nil {
			return fmt.Errorf("writing %s anew: %w", l.path(), err)
		}
	}
	if l.file() == nil {
		if err := l.materialise(); err != nil {
			return err
		}
	}
	if err := l.writePending(); err != nil {
		return err
	}
	if renewed := l.renewed; renewed != nil {
		l.renewed = nil
		return renewed
	}
	return nil
}

func (l *Log) writePending() error {
	for len(l.pending) > 0 {
		if err := l.writeEntry(l.pending[0]); err != nil {
			return fmt.Errorf("writing %s: %w", l.path(), err)
		}
		l.pending = l.pending[1:]
	}
	l.pending = nil // gives the memory back
	return nil
}

func (l *Log) writeEntry(e *Entry) error {
	h := e.held.Load()
	line := h.line
	if line == nil {
		var err error
		if line, err = l.encode(e, h.body); err != nil {
			return err
		}
	}
	at, err := appendLine(l.file(), line)
	if err != nil {
		return err
	}
	l.end = at + int64(len(line))
	if e.size > 0 { // it has a place where somebody may still look for it
		e.held.Store(&held{body: h.body, end: l.end})
	} else {
		e.settle(at, len(line)-1)
	}
	return nil
}

// materialise creates the file with its slot and header.
func (l *Log) materialise() error {
	f, err := appear(l.path(), l.writeHead)
	if err == nil {
		l.move(l.path(), f)
	}
	return err
}

// writeHead fills an empty file.
func (l *Log) writeHead(f *os.File) error {
	head, err := encodeSlot(l.title, l.source, l.titled)
	if err != nil {
		return err
	}
	header, err := marshal(l.header)
	if err != nil {
		return err
	}
	line := append(head, header...)
	if _, err := appendLine(f, line); err != nil {
		return fmt.Errorf("writing %s: %w", l.path(), err)
	}
	l.hasSlot, l.end = true, int64(len(line))
	return nil
}
