package subagent

import (
	"context"

	"golang.org/x/sync/semaphore"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
)

// limited is the models of an agent: a request takes a slot for as long as it is
// open. So an agent that waits for its own agents holds none, and no depth of
// them can wait for each other.
type limited struct {
	session.Models
	slots *semaphore.Weighted
}

// Provider implements session.Models.
func (l limited) Provider(m *model.Model) (model.Provider, error) {
	p, err := l.Models.Provider(m)
	if err != nil || l.slots == nil {
		return p, err
	}
	return slotted{p, l.slots}, nil
}

type slotted struct {
	model.Provider
	slots *semaphore.Weighted
}

// Stream implements model.Provider.
func (s slotted) Stream(ctx context.Context, r *model.Request, d *model.Draft) error {
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.slots.Release(1)
	return s.Provider.Stream(ctx, r, d)
}
