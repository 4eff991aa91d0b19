package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	// maxEvent bounds the data of one event, in bytes. A longer one ends the
	// stream with errEventTooLong.
	maxEvent = 64 << 20
	// readBuffer is how many bytes one read may bring, and so how many events
	// one system call can.
	readBuffer = 32 << 10
)

// errEventTooLong says that an event held more than 64 MiB.
var errEventTooLong = errors.New("an event of the stream is longer than 64 MiB")

// An eventReader takes server-sent events from a stream. Lines end in \n or
// \r\n; no provider uses the lone \r that the standard also allows. Event
// names, ids and comments are skipped: the data of every dialect says what it
// is. One goroutine only.
type eventReader struct {
	in    *bufio.Reader
	limit int    // bytes of data that an event may hold
	long  []byte // a line that did not fit into the buffer of in
	data  []byte // the data of the event being read

	started bool   // there has been a line of data
	stray   []byte // before that: lines that belong to no event stream, up to maxErrorBody
}

// newEventReader returns a reader of r.
func newEventReader(r io.Reader) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(r, readBuffer), limit: maxEvent}
}

// next returns the data of the next event; lines of data are joined by \n. The
// bytes are good until the next call. It returns io.EOF at the end, after the
// last event even when no blank line ended it; errEventTooLong; or the error
// of the stream, and then the event that was being read is lost.
func (e *eventReader) next() ([]byte, error) {
	e.data = e.data[:0]
	seen := false
	for {
		line, err := e.line()
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return nil, err
		}
		data, isData := bytes.CutPrefix(line, dataField)
		switch {
		case isData:
			if seen {
				e.data = append(e.data, '\n')
			}
			seen, e.started = true, true
			e.data = append(e.data, bytes.TrimPrefix(data, space)...)
			if len(e.data) > e.limit {
				return nil, errEventTooLong
			}
		case len(line) == 0 && seen:
			return e.data, nil
		case !e.started:
			e.keepStray(line)
		}
		if atEnd {
			if seen {
				return e.data, nil
			}
			return nil, io.EOF
		}
	}
}

// keepStray keeps a line that is neither blank, nor a comment, nor a field of the
// standard: most likely this is no event stream, and it says what it is.
func (e *eventReader) keepStray(line []byte) {
	name, _, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "", "event", "id", "retry":
		return
	}
	line = line[:min(len(line), max(0, maxErrorBody-len(e.stray)))]
	if len(line) > 0 {
		e.stray = append(append(e.stray, line...), '\n')
	}
}

var (
	dataField     = []byte("data:")
	space         = []byte(" ")
	byteOrderMark = []byte("\ufeff")
)

// line returns the next line without its end; with io.EOF the last one, which
// may be empty.
func (e *eventReader) line() ([]byte, error) {
	line, err := e.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		e.long = e.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(e.long) > e.limit {
				return nil, errEventTooLong
			}
			e.long = append(e.long, line...)
			line, err = e.in.ReadSlice('\n')
		}
		e.long = append(e.long, line...)
		line = e.long
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	return bytes.TrimPrefix(line, byteOrderMark), err
}
