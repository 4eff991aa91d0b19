package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/message"
)

// A Summary describes a session from the ends of its file.
type Summary struct {
	Path         string
	ID           string
	CWD          string
	Title        string
	Parent       string
	Created      time.Time
	Modified     time.Time
	Size         int64  // bytes
	FirstMessage string // text of the first user message near the beginning, "" for none
	Status       Status
}

// Status says how a session was left.
type Status string

// The ways a session can have been left.
const (
	StatusComplete    Status = "complete"    // the model had answered
	StatusInterrupted Status = "interrupted" // in the middle of tool calls
	StatusAborted     Status = "aborted"
	StatusError       Status = "error"
	StatusPending     Status = "pending" // the model had not answered yet
	StatusUnknown     Status = "unknown"
)

// How much of a file List reads, in bytes: its beginning, more of it when there
// is no message yet, and its end.
const (
	headSize     = 4 << 10
	longHeadSize = 1 << 20
	tailSize     = 32 << 10
)

// List returns the sessions in a folder, the last changed first. Files that are
// no sessions are left out and logged; a folder that is missing is empty.
func List(dir string) ([]Summary, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var found []Summary
	skipped := 0
	for _, file := range files {
		if !file.Type().IsRegular() || filepath.Ext(file.Name()) != ".jsonl" {
			continue
		}
		s, err := summarize(filepath.Join(dir, file.Name()))
		if err != nil {
			skipped++
			slog.Debug("passing over a file", "err", err)
			continue
		}
		found = append(found, s)
	}
	if skipped > 0 {
		slog.Warn("files in the sessions folder are no sessions", "folder", dir, "files", skipped)
	}
	newestFirst(found)
	return found, nil
}

// listAll returns the sessions of all working folders below root.
func listAll(root string) ([]Summary, error) {
	dirs, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var found []Summary
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		more, err := List(filepath.Join(root, dir.Name()))
		if err != nil {
			slog.Warn("passing over a sessions folder", "err", err)
		}
		found = append(found, more...)
	}
	newestFirst(found)
	return found, nil
}

// Find returns the newest session whose id or file name begins with prefix,
// upper or lower case, first in dir, then anywhere below root.
func Find(root, dir, prefix string) (Summary, bool, error) {
	prefix = strings.ToLower(prefix)
	match := func(s Summary) bool {
		name := strings.ToLower(filepath.Base(s.Path))
		_, id, _ := strings.Cut(name, "_")
		return strings.HasPrefix(strings.ToLower(s.ID), prefix) || strings.HasPrefix(name, prefix) || strings.HasPrefix(id, prefix)
	}
	list, err := List(dir)
	at := slices.IndexFunc(list, match)
	if at < 0 && err == nil {
		list, err = listAll(root)
		at = slices.IndexFunc(list, match)
	}
	if at < 0 || err != nil || prefix == "" {
		return Summary{}, false, err
	}
	return list[at], true, nil
}

func newestFirst(list []Summary) {
	slices.SortStableFunc(list, func(a, b Summary) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(b.Path, a.Path))
	})
}

func summarize(path string) (Summary, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return Summary{}, err
	}
	defer discard(f)
	info, err := f.Stat()
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Path: path, Modified: info.ModTime(), Size: info.Size()}
	ok := false
	for _, size := range []int64{headSize, longHeadSize} {
		head, err := readPart(f, 0, min(size, s.Size))
		if err != nil {
			return Summary{}, err
		}
		if ok = s.fromHead(head); s.FirstMessage != "" || s.Size <= size {
			break
		}
	}
	if !ok {
		return Summary{}, notSession(path)
	}
	tail, err := readPart(f, max(0, s.Size-tailSize), min(tailSize, s.Size))
	if err != nil {
		return Summary{}, err
	}
	s.Status = statusFrom(tail)
	return s, nil
}

func readPart(f *os.File, from, size int64) ([]byte, error) {
	part := make([]byte, size)
	n, err := f.ReadAt(part, from)
	if errors.Is(err, io.EOF) { // it has become shorter
		err = nil
	}
	return part[:n], err
}

// fromHead fills in what the whole lines of head tell, and whether a header is
// among them.
func (s *Summary) fromHead(head []byte) bool {
	found, titled := false, false
	for line := range bytes.Lines(head) {
		if !found {
			header, title, _ := decodeHead(line)
			if header != nil {
				found = true
				s.ID, s.CWD, s.Parent, s.Created = header.ID, header.CWD, header.ParentSession, parseTime(header.Timestamp)
				if !titled {
					s.Title = header.Title
				}
			} else if title != nil {
				titled, s.Title = true, title.Title
			}
			continue
		}
		if m, ok := lineMessage(line).(*message.User); ok {
			s.FirstMessage = m.Content.Text()
			return true
		}
	}
	return found
}

// statusFrom looks for the last message in the end of a file.
func statusFrom(tail []byte) Status {
	for len(tail) > 0 {
		at := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n') + 1
		if status := statusAfter(lineMessage(tail[at:])); status != StatusUnknown {
			return status
		}
		tail = tail[:at]
	}
	return StatusUnknown
}

func statusAfter(m message.Message) Status {
	switch m := m.(type) {
	case *message.User:
		return StatusPending
	case *message.ToolResult:
		return StatusInterrupted
	case *message.Assistant:
		switch m.StopReason {
		case message.StopStop, message.StopLength:
			return StatusComplete
		case message.StopAborted:
			return StatusAborted
		case message.StopError:
			return StatusError
		case message.StopToolUse:
			return StatusInterrupted
		}
	}
	return StatusUnknown
}

// lineMessage returns the message of a line, nil when it has none.
func lineMessage(line []byte) message.Message {
	if !bytes.Contains(line, []byte(`"message"`)) {
		return nil
	}
	kind := ""
	whole := eachField(line, func(key, value []byte) {
		if string(key) == "type" {
			kind, _ = unquote(value)
		}
	})
	if !whole || kind != typeMessage {
		return nil
	}
	body, err := decodeBody(kind, line)
	if err != nil {
		return nil
	}
	return body.(*Message).Message
}
