package transcript

import (
	"bufio"
	"fmt"
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
	return l.copied(pathTo(upTo), o, false)
}

// Fork begins a session that holds all of this one, branches that were left and
// the title too; else it is as Branch.
func (r *Reading) Fork(o Options) (*Log, error) { return r.log.copied(r.Entries(), o, true) }

// copied begins a session with these entries, of which each follows its parent.
func (l *Log) copied(entries []*Entry, o Options, titled bool) (*Log, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("making a session id: %w", err)
	}
	if o.CWD == "" {
		o.CWD = l.header.CWD
	}
	began := time.Now()
	b := begin(o, id.String(), began)
	if titled {
		b.title, b.source = l.title, l.source
	}
	for _, e := range entries {
		// Its slot must be newer than any title that is copied.
		if e.Type == typeTitleChange && !e.Time.Before(b.titled.Truncate(time.Millisecond)) {
			b.titled = e.Time.Add(time.Millisecond)
		}
	}
	if o.Dir == "" {
		return b, b.fill(l, entries)
	}
	path := filepath.Join(o.Dir, fileName(b.header.ID, began))
	_, err = appear(path, func(f *os.File) error {
		b.move(path, f)
		return b.copyFrom(l, entries)
	})
	if err != nil {
		return nil, fmt.Errorf("copying to %s: %w", path, err)
	}
	return b, nil
}

// fill takes the entries into a session in memory.
func (l *Log) fill(from *Log, entries []*Entry) error {
	s := from.Snapshot()
	for _, e := range entries {
		line, err := s.Line(e)
		if err != nil {
			return err
		}
		copied := l.tree.read(line)
		copied.held.Store(&held{line: append(line[:len(line):len(line)], '\n')})
		l.labels.note(l.decode(copied, line))
	}
	return l.Append(l.missingLabels(from)...)
}

// copyFrom fills the file, and takes over the index instead of reading it again.
func (l *Log) copyFrom(from *Log, entries []*Entry) error {
	l.wanted = true
	if err := l.writeHead(l.file()); err != nil {
		return err
	}
	c := copying{to: l, from: from.Snapshot(), out: bufio.NewWriterSize(l.file(), gathered), block: make([]byte, gathered)}
	if err := c.copy(entries); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type == typeLabel {
			l.labels.note(from.Body(e))
		}
	}
	if err := l.add(l.missingLabels(from)); err != nil {
		return err
	}
	return l.writePending()
}

// missingLabels are the labels that the entries have in the other session and not
// by the copied entries.
func (l *Log) missingLabels(from *Log) (missing []Body) {
	for _, e := range l.tree.entries {
		if label := from.labels.names[e.ID]; label != l.labels.names[e.ID] {
			missing = append(missing, &Label{TargetID: e.ID, Label: label})
		}
	}
	return missing
}
