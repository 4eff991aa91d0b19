package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A Part is what ReadFrom found in a file.
type Part struct {
	From    int64 // where it begins, in bytes
	Next    int64 // where the next part begins, in bytes
	Reset   bool  // the file is shorter than asked for: this is its beginning
	Entries []json.RawMessage
}

// ReadFrom reads the header and the entries of a session file that begin at
// fromByte or later, as they stand there, while another may be writing it. Only
// whole lines count. Those that are no JSON objects with a type are passed over,
// and so is the title slot.
//
// It stops before the line that would make more than maxBytes, but reads one line
// however long it is, so that going on from Next comes to the end. A missing file
// is empty. An error that Is ErrNotSession means anything but a regular file.
//
// Protocol: get_subagent_messages.
func ReadFrom(path string, fromByte int64, maxBytes int) (Part, error) {
	from := max(0, fromByte)
	p := Part{From: from, Next: from, Entries: []json.RawMessage{}}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENXIO):
		return p, notSession(path)
	case err != nil:
		return p, fmt.Errorf("reading the session file: %w", err)
	}
	defer discard(f)
	info, err := f.Stat()
	if err != nil {
		return p, fmt.Errorf("reading the session file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return p, notSession(path)
	}
	if from > info.Size() {
		p.From, p.Next, p.Reset = 0, 0, true
	}
	return p, p.read(io.NewSectionReader(f, p.From, info.Size()-p.From), maxBytes)
}

func (p *Part) read(in io.Reader, maxBytes int) error {
	all := lines{in: bufio.NewReaderSize(in, 64<<10), whole: true}
	for {
		line, size, err := all.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the session file: %w", err)
		}
		if p.Next > p.From && p.Next-p.From+size > int64(maxBytes) {
			return nil
		}
		p.Next += size
		if isEntry(line) {
			p.Entries = append(p.Entries, bytes.Clone(line))
		}
	}
}

// isEntry tells whether the line is a header or an entry that can be passed on.
func isEntry(line []byte) bool {
	kind, _ := unquote(fieldOf(line, "type"))
	return kind != "" && kind != "title" && json.Valid(line)
}

// Messages returns the messages of the entries that have one, as they stand
// there.
func (p Part) Messages() []json.RawMessage {
	messages := []json.RawMessage{}
	for _, line := range p.Entries {
		if raw, _ := lineMessage(line); raw != nil {
			messages = append(messages, raw)
		}
	}
	return messages
}
