package transcript

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// Branch begins a session that holds a copy of the path to upTo, nothing for nil:
// the same entries with the same ids and times, and the labels that these have
// now. The title stays behind. o is as for New, but that o.CWD is this session's
// when it is "", and o.Blobs must be the folder that this session uses.
//
// With o.Dir the file is there, complete and locked, when Branch returns, and no
// part of it when it fails or the process is killed. This Log stays as it is.
// What a cut leaves without its result is repaired where requests are made.
func (l *Log) Branch(upTo *Entry, o Options) (*Log, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("making a session id: %w", err)
	}
	if o.CWD == "" {
		o.CWD = l.header.CWD
	}
	began := time.Now()
	b := begin(o, id.String(), began)
	path := pathTo(upTo)
	for _, e := range path {
		// Its slot must be newer than any title that is copied.
		if e.Type == typeTitleChange && !e.Time.Before(b.titled.Truncate(time.Millisecond)) {
			b.titled = e.Time.Add(time.Millisecond)
		}
	}
	if o.Dir == "" {
		return b, b.fill(l, path)
	}
	b.path, b.wanted = filepath.Join(o.Dir, fileName(b.header.ID, began)), true
	if err := b.copyTo(o.Dir, l, path); err != nil {
		return nil, fmt.Errorf("branching to %s: %w", b.path, err)
	}
	return b, nil
}

// fill takes the entries into a session in memory.
func (l *Log) fill(from *Log, path []*Entry) error {
	s := from.Snapshot()
	for _, e := range path {
		line, err := s.Line(e)
		if err != nil {
			return err
		}
		copied := l.tree.read(line)
		copied.held.Store(&held{line: append(line[:len(line):len(line)], '\n')})
		l.labels.note(l.decode(copied, line))
	}
	return l.labelAs(from)
}

// copyTo makes the file with the entries in it.
func (l *Log) copyTo(dir string, from *Log, path []*Entry) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	d, err := draftFile(dir, l.path)
	if err != nil {
		return err
	}
	if l.file, err = locked(d.file); err != nil {
		d.drop()
		return err
	}
	if err = l.writeCopy(from, path); err == nil {
		err = d.publish()
	}
	if err != nil {
		d.drop()
	}
	return err
}

// writeCopy fills the file and reads it as any other.
func (l *Log) writeCopy(from *Log, path []*Entry) error {
	if err := l.writeHead(l.file); err != nil {
		return err
	}
	out := bufio.NewWriterSize(l.file, 256<<10)
	s := from.Snapshot()
	for _, e := range path {
		line, err := s.Line(e)
		if err != nil {
			return err
		}
		_, _ = out.Write(line) // Flush tells the error
		_ = out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if _, err := l.file.Seek(0, 0); err != nil {
		return err
	}
	if err := l.load(l.file); err != nil {
		return err
	}
	return l.labelAs(from)
}

// labelAs appends the labels that the entries have in the other session and not
// by the copied entries.
func (l *Log) labelAs(from *Log) error {
	var missing []Body
	for _, e := range l.tree.entries {
		if label := from.labels.names[e.ID]; label != l.labels.names[e.ID] {
			missing = append(missing, &Label{TargetID: e.ID, Label: label})
		}
	}
	return l.Append(missing...)
}

// A draft is a file that no reader may find yet.
type draft struct {
	file    *os.File
	publish func() error
	drop    func() // closes it, and removes it if it is not published
}

// namedDraft makes a file beside path, which publish moves there. Listings pass
// over its name, should the process be killed meanwhile.
func namedDraft(path string) (*draft, error) {
	temp := path + ".tmp"
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the session file: %w", err)
	}
	return &draft{file: f, publish: func() error { return os.Rename(temp, path) }, drop: func() {
		discard(f)
		if err := os.Remove(temp); err != nil {
			slog.Warn("removing a draft of a session", "err", err)
		}
	}}, nil
}
