package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// headWithin is how far into a file, in bytes, its header may be. Anything
// longer without one is not a session.
const headWithin = 64 << 10

// Open goes on with the session in the file at path. A file that is missing or
// empty becomes a new session there, in a folder that exists.
//
// It returns an error that Is ErrNotSession for anything else that is not a
// session, not a regular file, or of a newer version, and ErrLocked when another
// Log has the file; both leave it as it was. So does success: what other
// programs wrote is never rewritten. Lines that cannot be read are passed over
// and counted (Skipped), and the entries of older versions get the ids and
// parents that they lack.
func Open(path string, o Options) (*Log, error) {
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return openNew(path, o)
	}
	if err != nil {
		return nil, err
	}
	l := &Log{store: newStore(path, f, blobs(o.Blobs)), wanted: true}
	err = l.load(f)
	if errors.Is(err, io.EOF) {
		l, err = fresh(path, o)
		if err == nil {
			l.move(path, f)
			err = l.writeHead(f)
		}
	}
	if err != nil {
		discard(f)
		return nil, err
	}
	if l.skipped > 0 {
		slog.Warn("lines of the session file cannot be read", "file", path, "lines", l.skipped)
	}
	return l, nil
}

// openNew makes the file. Folders are not made: their lack is rather a wrong path.
func openNew(path string, o Options) (*Log, error) {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("creating the session file: %w", err)
	}
	l, err := fresh(path, o)
	if err != nil {
		return nil, err
	}
	err = l.Flush()
	if errors.Is(err, fs.ErrExist) {
		return Open(path, o) // another process was quicker
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// fresh is a session that begins in a file the host has named.
func fresh(path string, o Options) (*Log, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("making a session id: %w", err)
	}
	l := begin(o, id.String(), time.Now())
	l.wanted = true
	l.move(path, nil)
	return l, nil
}

// load reads the file from its beginning; io.EOF means that it is empty.
func (l *Log) load(f io.Reader) error {
	in := bufio.NewReaderSize(f, 256<<10)
	at, err := l.loadHead(in)
	if err != nil {
		return err
	}
	all := lines{in: in}
	var change *Entry // the last title_change
	for {
		line, size, err := all.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", l.path(), err)
		}
		at += size
		if len(line) == 0 && size <= maxLine {
			continue
		}
		e := l.tree.read(line)
		if e == nil {
			l.skipped++
			continue
		}
		e.settle(at-size, len(line))
		switch e.Type {
		case typeTitleChange:
			change = e
		case typeLabel:
			l.labels.note(l.decode(e, line))
		}
	}
	l.end = at
	if change != nil {
		return l.loadTitle(change)
	}
	return nil
}

// loadTitle takes the title from its last change unless the slot is newer. The
// entry is newer than the slot after a crash between the two, and holds the
// whole of a title that the slot had to cut.
func (l *Log) loadTitle(change *Entry) error {
	body, err := l.body(change)
	if err != nil {
		return err
	}
	if b, ok := body.(*TitleChange); ok && !change.Time.Before(l.titled) {
		l.title, l.source = b.Title, b.Source
	}
	return nil
}

// loadHead reads the slot, if there is one, and the header. Lines before it that
// are no JSON are passed over. It returns how many bytes it took.
func (l *Log) loadHead(in *bufio.Reader) (int64, error) {
	start, err := in.Peek(headWithin)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("reading %s: %w", l.path(), err)
	}
	if len(bytes.TrimSpace(start)) == 0 && errors.Is(err, io.EOF) {
		return 0, io.EOF
	}
	offset := 0
	for line := range bytes.Lines(start) {
		first := offset == 0
		offset += len(line)
		header, s, ok := decodeHead(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
		switch {
		case header != nil:
			if header.Version > version {
				return 0, fmt.Errorf("%w (its version is %d; this program knows those up to %d)", notSession(l.path()), header.Version, version)
			}
			l.header = *header
			if !l.hasSlot {
				l.title, l.source = header.Title, header.TitleSource
			}
			_, err := in.Discard(offset)
			return int64(offset), err
		case s != nil:
			if first && len(line) == slotSize {
				l.hasSlot, l.title, l.source, l.titled = true, s.Title, s.Source, parseTime(s.UpdatedAt)
			}
		case ok:
			return 0, notSession(l.path()) // a line of something else
		case len(bytes.TrimSpace(line)) > 0:
			l.skipped++
		}
	}
	return 0, notSession(l.path())
}

// decodeHead reads a line at the beginning of a file: a session header or a
// title slot. ok is false when it is not JSON at all.
func decodeHead(line []byte) (header *Header, s *slot, ok bool) {
	var kind struct {
		Type string          `json:"type"`
		ID   json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &kind) != nil {
		return nil, nil, json.Valid(line)
	}
	switch kind.Type {
	case "session":
		header = &Header{}
		if json.Unmarshal(line, header) != nil || header.ID == "" {
			return nil, nil, true
		}
		return header, nil, true
	case "title":
		s = &slot{}
		return nil, s, json.Unmarshal(line, s) == nil
	}
	return nil, nil, true
}

// parseTime returns a time to the millisecond, as it is written again, and the
// zero time for what is none.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}
