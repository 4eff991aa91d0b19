package client

import (
	"context"
	"sync"

	"veyyon.dev/veyyon/stages"
)

// maxUnread is how many bytes of events wait for a reader. Beyond it nothing is
// received, so that the server feels a slow caller; except while a call waits
// for its answer, which may stand behind those events.
const maxUnread = 8 << 20

// A mailbox holds what has arrived and was not yet taken: a table with a mutex.
type mailbox struct {
	arrived chan struct{} // room for one: an event came, or the end
	resume  chan struct{} // room for one: a paused dispatcher may go on

	mu      sync.Mutex
	calls   map[string]chan<- reply // each with room for one
	unread  stages.Backlog[Event]
	discard bool  // nobody reads events
	paused  bool  // the dispatcher waits for resume
	ended   bool  // nothing more arrives
	failure error // why, unless the server ended in order
}

func newMailbox() *mailbox {
	return &mailbox{
		arrived: make(chan struct{}, 1),
		resume:  make(chan struct{}, 1),
		calls:   map[string]chan<- reply{},
	}
}

// expect registers a call. It returns ErrClosed when no answer can come.
func (m *mailbox) expect(id string, answer chan<- reply) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return ErrClosed
	}
	m.calls[id] = answer
	m.wake()
	return nil
}

func (m *mailbox) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, id)
}

// settle hands a reply to its call; false when nobody waits for it.
func (m *mailbox) settle(r reply) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, ok := m.calls[r.ID]
	if ok {
		delete(m.calls, r.ID)
		answer <- r
	}
	return ok
}

func (m *mailbox) put(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.discard {
		return
	}
	m.unread.Push(e, e.Size())
	poke(m.arrived)
}

// take returns the oldest event; more is false when none can follow.
func (m *mailbox) take() (e Event, ok, more bool, failure error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok = m.unread.Pop()
	m.wake()
	return e, ok, !m.ended, m.failure
}

func (m *mailbox) ignore() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.discard = true
	m.unread = stages.Backlog[Event]{}
	m.wake()
}

// room waits until something may be received.
func (m *mailbox) room(ctx context.Context) error {
	for m.pause() {
		if _, _, err := stages.Recv(ctx, m.resume); err != nil {
			return err
		}
	}
	return nil
}

func (m *mailbox) pause() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = m.unread.Bytes() > maxUnread && len(m.calls) == 0
	return m.paused
}

// wake is called with the mutex held, after a change that may end a pause.
func (m *mailbox) wake() {
	if m.paused {
		m.paused = false
		poke(m.resume)
	}
}

// end fails the calls that still wait. Unread events stay.
func (m *mailbox) end(failure error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended, m.failure = true, failure
	for _, answer := range m.calls {
		close(answer)
	}
	clear(m.calls)
	poke(m.arrived)
}

func poke(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // one poke is as good as two
	}
}
