package stages

import "veyyon.dev/veyyon/frames"

const (
	// blockBytes is how much is written at once while frames wait; a longer
	// line makes a block of its own.
	blockBytes = 64 << 10
	// maxJoined is the weight up to which deltas are joined, in bytes; then
	// the next line begins, so that a host sees progress.
	maxJoined = 64 << 10
	// entryBytes is what a frame costs in memory beside its line (measured).
	entryBytes = 128
	// sweepAfter is how many dropped entries may lie about beside as many
	// again as there are live ones.
	sweepAfter = 64
)

// A queue holds what waits for the host, in order, within a budget of bytes.
// It has no goroutines and blocks only on the disk.
//
// Below half of the budget frames pass as they are. Above, adjacent deltas are
// joined and superseded notes removed. When front is full, what follows
// gathers in back, and back goes to a file in blocks whenever it holds its
// share. So the order is front, file, held, back; what is joined or superseded
// is so only in memory.
type queue struct {
	encode func(frames.Outbound) []byte // one line with its newline; nil when it is lost
	budget int
	share  int // of the budget: what back may hold, in bytes
	front  run
	file   spill
	held   []byte // a block that the disk has refused
	back   run
}

func newQueue(encode func(frames.Outbound) []byte, budget int, dir string) *queue {
	return &queue{encode: encode, budget: budget, share: max(1, budget/8), file: spill{dir: dir}}
}

// push appends a frame, or those of a batch; relieve must be called afterwards.
func (q *queue) push(f frames.Outbound) {
	if batch, ok := f.(frames.Batch); ok {
		for _, f := range batch {
			q.push(f)
		}
		return
	}
	note, _ := f.(frames.Note)
	crowded := q.bytes() > q.budget/2
	e := entry{}
	switch body := note.Body.(type) {
	case frames.Joiner:
		if crowded && q.last().join(note.Name, body) {
			return
		}
		e.name, e.delta, e.size = note.Name, body, body.Weight()
	case frames.Superseder:
		e.name, e.key = note.Name, body.Supersedes()
		if crowded {
			q.front.drop(e.subject())
			q.back.drop(e.subject())
		}
	}
	if e.delta == nil {
		if e.line = q.encode(f); e.line == nil {
			return
		}
		e.size = len(e.line)
	}
	q.runFor(e.size).push(e)
}

// runFor says where a frame of this size belongs.
func (q *queue) runFor(size int) *run {
	if q.frontOnly() && (q.front.bytes == 0 || q.front.bytes+size+entryBytes <= q.budget-q.share) {
		return &q.front
	}
	return &q.back
}

func (q *queue) frontOnly() bool {
	return q.file.empty() && q.held == nil && q.back.frames == 0
}

// last is the run whose end is the end of the queue.
func (q *queue) last() *run {
	if q.frontOnly() {
		return &q.front
	}
	return &q.back
}

// relieve moves what exceeds back's share to the file. On an error nothing is
// lost; it is to be called again when there may be room.
func (q *queue) relieve() error {
	for q.held != nil || q.back.bytes >= q.share {
		if q.held == nil {
			q.held = q.back.block(q.encode)
		}
		if err := q.file.push(q.held); err != nil {
			return err
		}
		q.held = nil
	}
	return nil
}

// next takes a block of whole lines, nil when nothing waits. An error means
// that the file cannot be read back.
func (q *queue) next() ([]byte, error) {
	for q.front.frames == 0 {
		switch {
		case !q.file.empty():
			return q.file.pop()
		case q.held != nil:
			block := q.held
			q.held = nil
			return block, nil
		case q.back.frames == 0:
			return nil, nil
		}
		q.front, q.back = q.back, q.front
	}
	block := q.front.block(q.encode)
	if block == nil { // all of it could not be encoded
		return q.next()
	}
	return block, nil
}

// bytes is what waits in memory.
func (q *queue) bytes() int { return q.front.bytes + len(q.held) + q.back.bytes }

// waiting is the number of lines in memory and of bytes on disk.
func (q *queue) waiting() (lines int, onDisk int64) {
	return q.front.frames + q.back.frames, q.file.size()
}

// A run is a stretch of the queue in memory.
type run struct {
	entries Backlog[*entry]
	bytes   int
	frames  int // those not dropped
	end     *entry
	latest  map[subject]*entry
}

// An entry is a frame: its line, or a delta that may still be joined. One that
// was dropped has neither.
type entry struct {
	line  []byte
	delta frames.Joiner
	name  string // of the Note, for a delta or a key
	key   string
	size  int
}

// A subject is what a note tells about: a newer one makes it worthless.
type subject struct{ name, key string }

func (e *entry) dropped() bool { return e.line == nil && e.delta == nil }

func (e *entry) subject() subject { return subject{e.name, e.key} }

func (r *run) push(e entry) {
	r.end = &e
	r.entries.Push(r.end, 0)
	r.bytes += e.size + entryBytes
	r.frames++
	if e.key != "" {
		if r.latest == nil {
			r.latest = map[subject]*entry{}
		}
		r.latest[e.subject()] = r.end
	}
}

// join adds a delta to the last entry if the two belong together.
func (r *run) join(name string, next frames.Joiner) bool {
	if r.frames == 0 || r.end.delta == nil || r.end.name != name {
		return false
	}
	if r.end.size+next.Weight() > maxJoined {
		return false
	}
	joined, ok := r.end.delta.Join(next)
	if !ok {
		return false
	}
	r.bytes -= r.end.size
	r.end.delta, r.end.size = joined, joined.Weight()
	r.bytes += r.end.size
	return true
}

// drop removes the note about a subject, if one waits here.
func (r *run) drop(s subject) {
	e, ok := r.latest[s]
	if !ok {
		return
	}
	r.forget(e)
	e.line = nil
	if r.entries.Len() > 2*(r.frames+sweepAfter) {
		r.sweep()
	}
}

// sweep removes the dropped entries, so that a thousand updates of one call
// cost as much as one.
func (r *run) sweep() {
	for range r.entries.Len() {
		if e, _ := r.entries.Pop(); !e.dropped() {
			r.entries.Push(e, 0)
		}
	}
}

// forget takes an entry out of the counts.
func (r *run) forget(e *entry) {
	r.bytes -= e.size + entryBytes
	r.frames--
	if e.key != "" && r.latest[e.subject()] == e {
		delete(r.latest, e.subject())
	}
}

// block takes whole lines from the front, up to blockBytes or one longer line.
// It is nil when nothing was left that can be encoded.
func (r *run) block(encode func(frames.Outbound) []byte) (block []byte) {
	for {
		e, ok := r.entries.Front()
		if !ok || (block != nil && len(block)+e.size > blockBytes) {
			return block
		}
		r.entries.Pop()
		if e == r.end {
			r.end = nil // it may be large, and the next one late
		}
		if e.dropped() {
			continue
		}
		r.forget(e)
		if e.delta != nil {
			e.line = encode(frames.Note{Name: e.name, Body: e.delta})
		}
		if block == nil {
			block = e.line // not copied; a lone frame is the usual case
		} else {
			block = append(block, e.line...)
		}
	}
}
