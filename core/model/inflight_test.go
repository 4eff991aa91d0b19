package model

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// slow answers when its gate is opened.
type slow struct {
	asked chan string
	gate  chan struct{}
}

func (s slow) Stream(_ context.Context, req *Request, _ *Draft) error {
	s.asked <- req.Model.Provider
	<-s.gate
	return nil
}

func TestRequestsToABoundedProviderWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slow{asked: make(chan string, 4), gate: make(chan struct{})}
		p := NewInFlight(map[string]any{"a": 1}).Bound(s)
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 4)
		ask := func(provider string) {
			go func() { ended <- p.Stream(ctx, &Request{Model: &Model{Provider: provider}}, nil) }() // ends with ctx or the gate
			synctest.Wait()
		}
		for _, provider := range []string{"a", "a", "b", "b"} {
			ask(provider)
		}
		if n := len(s.asked); n != 3 {
			t.Errorf("%d requests are under way", n)
		}
		gone := errors.New("gone")
		cancel(gone)
		if err := <-ended; !errors.Is(err, gone) {
			t.Errorf("the one that waited ended with %v", err)
		}
		close(s.gate)
		for range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}
