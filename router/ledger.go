package router

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// maxUpdates is how many bytes of updates of one ask may wait for its asker.
// Beyond it a newer update takes the place of the waiting ones, which it
// replaces by its meaning.
const maxUpdates = 4 << 20

// ErrTimedOut means that a question was not answered within its Timeout.
var ErrTimedOut = errors.New("the host did not answer in time")

// A Ledger keeps the questions put to the host whose answers are awaited. Safe
// for concurrent use.
type Ledger struct {
	send  func(frames.Outbound) error
	newID func() string // gives an id that it has not given before

	mu     sync.Mutex
	asks   map[string]*ask // by id
	closed bool
}

// A Question is what the host is asked.
type Question struct {
	Name   string
	Body   any
	Reply  string // the Kind of the reply that answers it
	Update string // the Kind of the replies that bring it forward, "" for none
	// Timeout is how long the answer is awaited, 0 for ever. The host is told of
	// it in the Body, and takes the question back by itself.
	Timeout time.Duration
	// Cancel makes the frame that takes the question with the id target back;
	// id is that frame's own.
	Cancel func(id, target string) frames.Outbound
}

type ask struct {
	question Question
	// wake holds a token when the inbox has changed or the host has gone.
	wake chan struct{}

	// Guarded by the ledger's mutex.
	inbox []frames.Reply // updates in order; the answer is the last
	bytes int            // of the updates in it
	gone  bool
}

// NewLedger returns a ledger that sends for as long as ctx lives, which is the
// connection's life and not an asker's: a cancel frame follows its asker's end.
// newID names each question: HexIDs or DecimalIDs.
func NewLedger(ctx context.Context, out stages.Outbox, newID func() string) *Ledger {
	return &Ledger{
		send: func(f frames.Outbound) error { return out.Send(ctx, f) }, newID: newID,
		asks: make(map[string]*ask),
	}
}

// HexIDs counts on from anywhere, in 16 lower-case hex digits.
func HexIDs() func() string {
	var last atomic.Uint64
	last.Store(rand.Uint64())
	return func() string { return fmt.Sprintf("%016x", last.Add(1)) }
}

// DecimalIDs counts from 1.
func DecimalIDs() func() string {
	var last atomic.Uint64
	return func() string { return strconv.FormatUint(last.Add(1), 10) }
}

// Ask puts a question to the host and waits for its answer. Updates reach fn in
// order, on the caller's goroutine; fn may be nil when there are none.
//
// It returns host.ErrGone once the input has ended, and ErrTimedOut after the
// question's Timeout, both without a frame; and the cause of ctx if that ends
// first: then the host has also been sent the cancel frame, once. An answer that
// came in time wins over all. An error of the outbox means that the connection
// is over.
//
// Protocol: "Host Tool Sub-Protocol", "Host URI Sub-Protocol", "Extension UI
// Sub-Protocol".
func (l *Ledger) Ask(ctx context.Context, q Question, fn func(frames.Reply)) (frames.Reply, error) {
	if ctx.Err() != nil {
		return frames.Reply{}, context.Cause(ctx)
	}
	id, a, err := l.open(q)
	if err != nil {
		return frames.Reply{}, err
	}
	if err := l.send(frames.Ask{ID: id, Name: q.Name, Body: q.Body}); err != nil {
		l.remove(id)
		return frames.Reply{}, err
	}
	var late <-chan time.Time // never, without a timeout
	if q.Timeout > 0 {
		timer := time.NewTimer(q.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-a.wake:
			if reply, over, err := l.deliver(a, fn); over {
				return reply, err
			}
		case <-ctx.Done():
			if l.remove(id) {
				_ = l.send(q.Cancel(l.newID(), id)) // fails only when nobody reads any more
				return frames.Reply{}, context.Cause(ctx)
			}
			reply, _, err := l.deliver(a, fn) // the answer, or the end, was first
			return reply, err
		case <-late:
			if l.remove(id) {
				return frames.Reply{}, ErrTimedOut
			}
			reply, _, err := l.deliver(a, fn) // as above
			return reply, err
		}
	}
}

// Tell sends the host what needs no answer under an id of its own.
func (l *Ledger) Tell(name string, body any) error {
	return l.send(frames.Ask{ID: l.newID(), Name: name, Body: body})
}

// Settle hands a reply to whoever asked. One that nobody waits for (any more) is
// ignored. It never waits.
func (l *Ledger) Settle(r frames.Reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.asks[r.ID]
	switch {
	case a == nil:
		return
	case r.Kind == a.question.Reply:
		delete(l.asks, r.ID)
	case r.Kind == a.question.Update:
		if a.bytes+r.Len > maxUpdates {
			a.inbox, a.bytes = nil, 0
		}
		a.bytes += r.Len
	default:
		return
	}
	a.inbox = append(a.inbox, r)
	a.notify()
}

// Close fails all questions with host.ErrGone, those to come too.
func (l *Ledger) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for id, a := range l.asks {
		delete(l.asks, id)
		a.gone = true
		a.notify()
	}
}

func (l *Ledger) open(q Question) (id string, a *ask, err error) {
	id, a = l.newID(), &ask{question: q, wake: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return "", nil, host.ErrGone
	}
	l.asks[id] = a
	return id, a, nil
}

// remove forgets a question; it is false when the question was over already.
func (l *Ledger) remove(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, open := l.asks[id]
	delete(l.asks, id)
	return open
}

// deliver empties the inbox. over is true with the answer or the end.
func (l *Ledger) deliver(a *ask, fn func(frames.Reply)) (reply frames.Reply, over bool, err error) {
	l.mu.Lock()
	inbox, gone := a.inbox, a.gone
	a.inbox, a.bytes = nil, 0
	l.mu.Unlock()
	for _, r := range inbox {
		if r.Kind == a.question.Reply {
			return r, true, nil
		}
		fn(r)
	}
	if gone {
		return frames.Reply{}, true, host.ErrGone
	}
	return frames.Reply{}, false, nil
}

// notify leaves a token; one is enough. The ledger's mutex is held.
func (a *ask) notify() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}
