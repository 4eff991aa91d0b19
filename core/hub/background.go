package hub

import (
	"context"
	"slices"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/session"
)

// Conversation is one in the background, as hosts are told (facts/rpc 6.13).
// Title is absent without one; DetachedAt is in milliseconds since the epoch.
type Conversation struct {
	SessionID   string `json:"sessionId"`
	SessionFile string `json:"sessionFile,omitempty"`
	Title       string `json:"title,omitempty"`
	DetachedAt  int64  `json:"detachedAt"`
	Streaming   bool   `json:"streaming"`
	Stopping    bool   `json:"stopping"`
}

// Background lists the conversations in the background, the oldest first.
func (h *Hub) Background(ctx context.Context) (list []Conversation, err error) {
	list = []Conversation{}
	err = h.Change(ctx, func(m *Members) error {
		for _, a := range m.away {
			glance, err := a.session.Glance(ctx)
			if err != nil || glance.Ended && !a.stopping {
				continue // it has ended meanwhile
			}
			list = append(list, Conversation{
				SessionID: a.session.ID(), SessionFile: a.session.Path(), Title: glance.Title,
				DetachedAt: a.since.UnixMilli(), Streaming: glance.Streaming, Stopping: a.stopping,
			})
		}
		return nil
	})
	return list, err
}

// Cancel tells a conversation in the background to end, for this reason. wait
// returns when it has; an unknown id has the code fault.NotFound.
func (h *Hub) Cancel(ctx context.Context, id string, reason error) (wait func(context.Context) error, err error) {
	var found *session.Session
	err = h.Change(ctx, func(m *Members) error {
		at := slices.IndexFunc(m.away, func(a *away) bool { return a.session.ID() == id && !ended(a.session) })
		if at < 0 {
			return fault.New(fault.NotFound, "No background conversation "+id)
		}
		found = m.away[at].session
		m.away[at].stopping = true
		found.Stop(ctx, reason, true)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		select {
		case <-found.Done():
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}, nil
}

// Linger waits until no conversation is left in the background, or for the end
// of ctx.
func (h *Hub) Linger(ctx context.Context) {
	for _, s := range h.inBackground(ctx) {
		select {
		case <-s.Done():
		case <-ctx.Done():
			return
		}
	}
}

// Stop tells all sessions to end, for this reason, and returns at once. The host
// still hears of the one in front.
func (h *Hub) Stop(ctx context.Context, reason error) {
	for _, s := range h.inBackground(ctx) {
		s.Stop(ctx, reason, true)
	}
	h.Front().Stop(ctx, reason, false)
}

func (h *Hub) inBackground(ctx context.Context) (sessions []*session.Session) {
	_ = h.Change(ctx, func(m *Members) error { // fails only when ctx has ended: then nobody waits
		for _, a := range m.away {
			sessions = append(sessions, a.session)
		}
		return nil
	})
	return sessions
}
