package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// Renewed is the error that tells what another program has done to the file. What
// is left of the session has been written again, and so has the entry that was
// appended.
type Renewed struct {
	Path string // where the session is now
	Was  string // where it was
	Lost int    // entries of which nothing is left but that they were
}

func (r *Renewed) Error() string {
	text := "The session file " + r.Was + " was deleted, replaced or cut short. The session has been written again"
	if r.Path != r.Was {
		text += ", to " + r.Path
	}
	if r.Lost > 0 {
		text += fmt.Sprintf("; %d of its entries are lost", r.Lost)
	}
	return text + "."
}

// Remember lets the Log ask for the messages of the conversation by the ids of
// their entries, in case their lines get lost.
func (l *Log) Remember(recall func() map[string]message.Message) { l.recall = recall }

// renew looks before an append whether the file is still at its path and as long
// as it was. If not, it is made so again, of what its lines and the conversation
// tell. It leaves the file of another program as it is.
func (l *Log) renew() error {
	f, path := l.file(), l.path()
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	found, err := os.Lstat(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil // it cannot be seen, but written
	}
	there := err == nil && os.SameFile(mine, found)
	kept := mine.Size()
	if there && kept >= l.end {
		return nil
	}
	if l.renewed == nil {
		l.renewed = &Renewed{Was: path}
	}
	if kept < l.end {
		if !l.isOurs(io.NewSectionReader(f, 0, kept)) {
			kept = 0
		}
		l.lose(kept)
	}
	if err == nil && (!there || kept == 0 && mine.Size() > 0) {
		path = filepath.Join(filepath.Dir(path), fileName(l.header.ID, time.Now().Add(time.Millisecond))) // the other is somebody's
	}
	l.renewed.Path = path
	switch {
	case path == l.path() && there && kept > 0:
		l.end = kept
	case path == l.path() && there:
		return l.writeHead(f)
	case kept > 0:
		return l.copyTo(path, kept)
	default:
		l.move(path, nil) // it is made as any new one
		discard(f)
	}
	return nil
}

// isOurs tells whether the beginning of a file is that of this session.
func (l *Log) isOurs(f io.Reader) bool {
	other := &Log{store: newStore(l.path(), nil, "")}
	_, err := other.loadHead(bufio.NewReaderSize(f, headWithin))
	return err == nil && other.header.ID == l.header.ID
}

// lose takes the entries behind from as such that are not in the file. Those that
// the conversation remembers are pending then.
func (l *Log) lose(from int64) {
	said := map[string]message.Message{}
	if l.recall != nil {
		said = l.recall()
	}
	var again []*Entry
	for _, e := range l.tree.entries {
		h := e.held.Load()
		switch {
		case h == nil && e.offset+int64(e.size) <= from, h != nil && (h.end == 0 || h.end <= from):
			continue
		case h == nil:
			h = &held{body: l.bodyAgain(e, said)}
		}
		if _, lost := h.body.(*Unknown); lost {
			l.renewed.Lost++
			line, err := e.head(e.Time)
			if err != nil {
				slog.Error("an entry cannot be named", "err", err) // an object of strings
			}
			h.line = line
		} else {
			again = append(again, e)
		}
		e.held.Store(&held{line: h.line, body: h.body})
	}
	l.pending = append(again, l.pending...)
}

// bodyAgain is what the entry says, made of what the conversation remembers of
// it; an *Unknown for nothing.
func (l *Log) bodyAgain(e *Entry, said map[string]message.Message) Body {
	switch m := said[e.ID].(type) {
	case nil:
		return &Unknown{}
	case *message.CompactionSummary:
		c := &Compaction{Summary: m.Summary, ShortSummary: m.ShortSummary, TokensBefore: m.TokensBefore}
		for _, kept := range pathTo(l.tree.leaf) {
			if kept != e && said[kept.ID] != nil {
				c.FirstKeptEntryID = kept.ID
				break
			}
		}
		return c
	case *message.BranchSummary:
		return &BranchSummary{FromID: m.FromID, Summary: m.Summary}
	case *message.Custom:
		if e.Type == typeCustomMessage {
			return &CustomMessage{CustomType: m.CustomType, Content: m.Content, Display: m.Display, Details: m.Details, Attribution: m.Attribution}
		}
		return &Message{m}
	default:
		return &Message{m}
	}
}

// copyTo goes on in a copy of the file's beginning.
func (l *Log) copyTo(path string, size int64) error {
	from := l.file()
	f, err := appear(path, func(to *os.File) error {
		_, err := io.Copy(to, io.NewSectionReader(from, 0, size))
		return err
	})
	if err != nil {
		return err
	}
	l.move(path, f)
	l.end = size
	discard(from)
	return nil
}
