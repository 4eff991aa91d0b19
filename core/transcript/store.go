package transcript

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// A store reads what entries say. Any goroutine may, while the Log's own appends.
type store struct {
	// at is replaced before an entry is settled there, so that the one who sees a
	// settled one may read it.
	at    atomic.Pointer[place]
	blobs blobs
}

// A place is where the lines are. It is not changed.
type place struct {
	path string   // "" in memory
	file *os.File // nil until it has come into being
}

func newStore(path string, f *os.File, b blobs) *store {
	s := &store{blobs: b}
	s.move(path, f)
	return s
}

func (s *store) path() string   { return s.at.Load().path }
func (s *store) file() *os.File { return s.at.Load().file }

// move tells where the lines are from now on.
func (s *store) move(path string, f *os.File) { s.at.Store(&place{path, f}) }

// readSpan is how much of the file is read at once, in bytes, where entries lie
// close together; a longer line is read whole. gapSpan is how far apart they may
// be for that: to read what lies between is quicker than to ask twice.
const (
	readSpan = 1 << 20
	gapSpan  = 32 << 10
)

// line returns the entry's line as it is stored, without its end. The caller
// must not change it.
func (s *store) line(e *Entry) ([]byte, error) {
	h := e.held.Load()
	if h == nil {
		return s.readPart(nil, e.offset, e.size)
	}
	line := h.line
	if line == nil {
		var err error
		if line, err = s.encode(e, h.body); err != nil {
			return nil, err
		}
	}
	return line[:len(line)-1], nil
}

// encode returns the entry's line as it is stored, with its newline.
func (s *store) encode(e *Entry, body Body) ([]byte, error) {
	if s.path() != "" {
		body = mapContent(body, s.blobs.out)
	}
	return e.encode(body)
}

// readPart reads part of the file, into buf if that is large enough.
func (s *store) readPart(buf []byte, offset int64, size int) ([]byte, error) {
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	at := s.at.Load()
	n, err := at.file.ReadAt(buf[:size], offset)
	switch {
	case n == size:
		return buf[:size], nil
	case errors.Is(err, os.ErrClosed) && s.at.Load() != at:
		return s.readPart(buf, offset, size) // it has moved meanwhile
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF // another program has cut the file
	}
	return nil, fmt.Errorf("reading %s: %w", at.path, err)
}

// body returns what the entry says; an *Unknown when its line makes no sense. An
// error means that the file could not be read.
func (s *store) body(e *Entry) (Body, error) {
	bodies, err := s.bodies([]*Entry{e})
	if err != nil {
		return nil, err
	}
	return bodies[0], nil
}

// bodies is body for many entries, quickest when they are in file order.
func (s *store) bodies(entries []*Entry) ([]Body, error) { return s.bodiesBy(entries, s.decode) }

func (s *store) bodiesBy(entries []*Entry, decode func(*Entry, []byte) Body) ([]Body, error) {
	out := make([]Body, len(entries))
	rest, places := make([]*Entry, 0, len(entries)), make([]int, 0, len(entries))
	for i, e := range entries {
		if h := e.held.Load(); h != nil && h.body != nil {
			out[i] = h.body
		} else {
			rest, places = append(rest, e), append(places, i)
		}
	}
	return out, s.eachLine(rest, func(i int, line []byte) { out[places[i]] = decode(rest[i], line) })
}

// eachLine visits the lines of entries, each as it is stored and without its end.
// What lies close together is read in one piece, and pieces are visited by as many
// goroutines as there are processors, for which it waits. A line is only there
// until visit returns, which must not change it.
func (s *store) eachLine(entries []*Entry, visit func(i int, line []byte)) error {
	spans := s.spans(entries)
	workers := min(runtime.GOMAXPROCS(0), len(spans))
	next := new(atomic.Int64)
	if workers <= 1 {
		return s.visitSpans(spans, next, visit)
	}
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { errs[i] = s.visitSpans(spans, next, visit) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// A span is entries that lie close together in the file, or one that is held.
type span struct {
	first   int // index of the first among all that are visited
	entries []*Entry
	held    bool
}

func (s *store) spans(entries []*Entry) []span {
	var spans []span
	for i, e := range entries {
		held := e.held.Load() != nil
		if n := len(spans) - 1; n >= 0 && !held && spans[n].near(e) {
			spans[n].entries = entries[spans[n].first : i+1]
		} else {
			spans = append(spans, span{first: i, entries: entries[i : i+1], held: held})
		}
	}
	return spans
}

func (p *span) near(e *Entry) bool {
	if p.held {
		return false
	}
	gap := e.offset - p.end()
	return gap >= 0 && gap <= gapSpan && e.offset+int64(e.size)-p.entries[0].offset <= readSpan
}

func (p *span) end() int64 {
	last := p.entries[len(p.entries)-1]
	return last.offset + int64(last.size)
}

// visitSpans takes spans by the number in next until none is left.
func (s *store) visitSpans(spans []span, next *atomic.Int64, visit func(i int, line []byte)) error {
	var buf []byte
	for {
		i := int(next.Add(1)) - 1
		if i >= len(spans) {
			return nil
		}
		p := &spans[i]
		if p.held {
			line, err := s.line(p.entries[0])
			if err != nil {
				return err
			}
			visit(p.first, line)
			continue
		}
		from := p.entries[0].offset
		part, err := s.readPart(buf, from, int(p.end()-from))
		if err != nil {
			return err
		}
		if cap(part) <= 2*readSpan {
			buf = part
		}
		for n, e := range p.entries {
			at := e.offset - from
			visit(p.first+n, part[at:at+int64(e.size)])
		}
	}
}

// decode returns what the line says, nothing of which refers to it.
func (s *store) decode(e *Entry, line []byte) Body {
	return mapContent(s.decodeBare(e, line), s.blobs.in)
}

// decodeBare is decode without the images that are kept in files of their own.
func (s *store) decodeBare(e *Entry, line []byte) Body {
	body, err := decodeBody(e.Type, line)
	if err != nil {
		slog.Debug("an entry of the session cannot be read", "file", s.path(), "entry", e.ID, "type", e.Type, "err", err)
		return unknown(line)
	}
	return body
}
