package hub

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/session"
)

// Members is the table of a hub; it is there for the time of a Change.
type Members struct {
	hub   *Hub
	limit int
	away  []*away            // in the background, the oldest first
	left  []*session.Session // told to end, and perhaps still unwinding

	finished error // why no session goes on any more, nil while they do
}

// away is a conversation in the background.
type away struct {
	session  *session.Session
	since    time.Time
	stopping bool // told to end
}

// Why conversations end; the texts are on record as those of their last answers.
var (
	errReplaced  = fault.New(fault.Cancelled, "The host moved to another session")
	errDisplaced = fault.New(fault.Cancelled, "Stopped: background conversation limit reached")
)

// Front is the session that the host drives.
func (m *Members) Front() *session.Session { return m.hub.Front() }

// Attach puts a session in front. The one before must have been dropped or moved
// away. One that comes back from the background is heard only from its Listen on.
func (m *Members) Attach(ctx context.Context, s *session.Session) {
	m.hub.front.Store(s)
	if m.finished != nil {
		s.Finish(ctx, m.finished)
	}
}

// Drop stops the session in front, of which the host hears nothing more. Its run
// may still unwind for a while.
func (m *Members) Drop(ctx context.Context) {
	s := m.Front()
	s.Stop(ctx, errReplaced, true)
	m.left = append(slices.DeleteFunc(m.left, ended), s)
}

// Moved answers a command that moved a session to the background.
//
// Protocol: "Background conversations".
type Moved struct {
	SessionID   string   `json:"sessionId"`
	SessionFile string   `json:"sessionFile,omitempty"`
	Streaming   bool     `json:"streaming"`
	Displaced   []string `json:"displaced"`
	Message     string   `json:"message"`
}

// CheckLimit tells whether conversations may go on in the background at all.
func (m *Members) CheckLimit() error {
	if m.limit < 1 {
		return fault.Newf(fault.Invalid, "session.backgroundLimit must be at least 1, got %d", m.limit)
	}
	return nil
}

// MoveAway lets the session in front go on without the host. One that streams
// joins the background, where it may displace the oldest ones; one that does not
// stays only until its jobs are done.
func (m *Members) MoveAway(ctx context.Context) (*Moved, error) {
	m.away = slices.DeleteFunc(m.away, func(a *away) bool { return ended(a.session) })
	s := m.Front()
	moved := &Moved{SessionID: s.ID(), SessionFile: s.Path(), Displaced: []string{}}
	streaming, over, err := s.Leave(ctx)
	if err != nil {
		return nil, err
	}
	moved.Streaming = streaming
	if streaming {
		moved.Displaced = m.makeRoom(ctx)
	}
	if over {
		m.left = append(slices.DeleteFunc(m.left, ended), s)
	} else {
		m.away = append(m.away, &away{session: s, since: time.Now()})
	}
	moved.Message = moved.text(m.limit)
	return moved, nil
}

func (moved *Moved) text(limit int) string {
	text := moved.SessionID + " closes once its background jobs finish"
	if moved.Streaming {
		text = moved.SessionID + " continues in the background"
	}
	if len(moved.Displaced) > 0 {
		text += fmt.Sprintf("; stopped %s (background limit %d)", strings.Join(moved.Displaced, ", "), limit)
	}
	return text
}

// makeRoom stops the oldest conversations that still run, so that one more keeps
// to the limit, and names them. It does not wait for their ends.
func (m *Members) makeRoom(ctx context.Context) (displaced []string) {
	displaced = []string{}
	running := m.running()
	for len(running) >= m.limit {
		oldest := running[0]
		running = running[1:]
		oldest.stopping = true
		oldest.session.Stop(ctx, errDisplaced, true)
		displaced = append(displaced, oldest.session.ID())
	}
	return displaced
}

// running lists the conversations that go on and have not been told to end.
func (m *Members) running() []*away {
	m.away = slices.DeleteFunc(m.away, func(a *away) bool { return ended(a.session) })
	var running []*away
	for _, a := range m.away {
		if !a.stopping {
			running = append(running, a)
		}
	}
	return running
}

// Away tells whether a conversation in the background writes this file.
func (m *Members) Away(path string) bool { return m.find(path) >= 0 }

func (m *Members) find(path string) int {
	return slices.IndexFunc(m.away, func(a *away) bool {
		return a.session.Path() != "" && file.Same(a.session.Path(), path)
	})
}

// Return takes the conversation that writes this file out of the background; nil
// when there is none, or it has just ended. The caller calls Attach or LeaveAgain.
func (m *Members) Return(ctx context.Context, path string) (*session.Session, error) {
	at := m.find(path)
	if at < 0 {
		return nil, nil
	}
	s := m.away[at].session
	back, err := s.Return(ctx)
	if err != nil {
		return nil, err
	}
	m.away = slices.Delete(m.away, at, at+1)
	if !back {
		m.left = append(m.left, s)
		return nil, nil
	}
	return s, nil
}

// LeaveAgain undoes Return, also when ctx has ended: a session that is in front
// nowhere and on no list would go on for ever, and nobody could reach it.
func (m *Members) LeaveAgain(ctx context.Context, s *session.Session) {
	_, over, err := s.Leave(context.WithoutCancel(ctx))
	switch {
	case err != nil: // it has ended
		slog.Info("a conversation ended before it was back in the background", "session", s.ID(), "err", err)
		fallthrough
	case over:
		m.left = append(slices.DeleteFunc(m.left, ended), s)
	default:
		m.away = append(m.away, &away{session: s, since: time.Now()})
	}
}

// Unwound waits until no session that was told to end has this file any more, or
// for the end of ctx.
func (m *Members) Unwound(ctx context.Context, path string) error {
	for _, s := range m.left {
		if !file.Same(s.Path(), path) {
			continue
		}
		select {
		case <-s.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func ended(s *session.Session) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}
