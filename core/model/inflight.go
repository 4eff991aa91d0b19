package model

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// InFlight bounds the requests to single providers that are under way at a time,
// those of all sessions together.
type InFlight map[string]*semaphore.Weighted

// NewInFlight has the bounds that are whole numbers, by the id of the provider.
func NewInFlight(most map[string]any) InFlight {
	slots := InFlight{}
	for provider, bound := range most {
		if n, ok := bound.(int); ok {
			slots[provider] = semaphore.NewWeighted(int64(n))
		}
	}
	return slots
}

// Bound is a provider whose requests wait for a slot, until their context ends.
func (f InFlight) Bound(p Provider) Provider {
	if len(f) == 0 {
		return p
	}
	return bound{p, f}
}

type bound struct {
	Provider
	slots InFlight
}

func (b bound) Stream(ctx context.Context, req *Request, draft *Draft) error {
	slots := b.slots[req.Model.Provider]
	if slots == nil {
		return b.Provider.Stream(ctx, req, draft)
	}
	if err := slots.Acquire(ctx, 1); err != nil {
		return context.Cause(ctx)
	}
	defer slots.Release(1)
	return b.Provider.Stream(ctx, req, draft)
}
