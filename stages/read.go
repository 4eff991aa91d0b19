package stages

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"

	"veyyon.dev/veyyon/frames"
)

// readBlock is how many bytes one read asks for; it is also what a pipe of the
// kernel holds.
const readBlock = 64 << 10

// read cuts bytes into lines.
//
// In: bytes. Out: the lines of each read, in order. It ends at EOF, at a read
// error (which is logged and otherwise like EOF), or when ctx ends while it
// waits to send; its caller then closes lines. When Decode is slow it waits, so
// the host waits: but Decode and what follows depend on nothing that the host
// has to read.
//
// It is the one goroutine nobody waits for: a read of a pipe cannot be
// interrupted (measured: os.Stdin has no deadline, and Close does not end a
// read in progress).
func read(ctx context.Context, in io.Reader, lines chan<- []frames.Line, maxLine int) {
	block := make([]byte, readBlock)
	s := splitter{max: maxLine}
	for {
		n, err := in.Read(block)
		batch := s.split(block[:n])
		if err != nil && s.begun {
			batch = append(batch, s.take())
		}
		if len(batch) > 0 && Send(ctx, lines, batch) != nil {
			return
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				slog.Warn("reading input failed, taken as its end", "err", err)
			}
			return
		}
	}
}

// A splitter cuts a stream of blocks at each \n. Every line is a copy of its
// own (measured: 0.1 µs for 60 bytes), so that a short one does not keep a
// whole block alive.
type splitter struct {
	max     int    // bytes of the longest line
	partial []byte // a line whose end has not come yet
	begun   bool   // there is such a line, be it empty
	tooLong bool   // it was longer than max; its bytes are thrown away
}

// split returns the lines that end in this block; nil stands for one that was
// too long.
func (s *splitter) split(block []byte) (batch []frames.Line) {
	for {
		end := bytes.IndexByte(block, '\n')
		if end < 0 {
			s.add(block)
			return batch
		}
		s.add(block[:end])
		batch = append(batch, s.take())
		block = block[end+1:]
	}
}

// take returns the line begun, as if it ended here.
func (s *splitter) take() frames.Line {
	line := frames.Line(s.partial)
	if line == nil && !s.tooLong {
		line = frames.Line{}
	}
	*s = splitter{max: s.max}
	return line
}

func (s *splitter) add(part []byte) {
	if len(part) == 0 {
		return
	}
	s.begun = true
	if s.tooLong || len(s.partial)+len(part) > s.max {
		s.partial, s.tooLong = nil, true
		return
	}
	s.partial = append(s.partial, part...)
}
