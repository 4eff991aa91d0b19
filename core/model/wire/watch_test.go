package wire

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core/model"
)

// A scriptedBody waits and then gives text, step by step; then it is silent.
type scriptedBody struct {
	ctx   context.Context
	steps []step
}

type step struct {
	wait time.Duration
	text string
}

func (b *scriptedBody) Read(p []byte) (int, error) {
	if len(b.steps) == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	next := b.steps[0]
	select {
	case <-time.After(next.wait):
		b.steps = b.steps[1:]
		return copy(p, next.text), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *scriptedBody) Close() error { return nil }

// roundTrip waits for the headers and then gives the body.
type roundTrip struct {
	status  int // 0 is 200
	headers time.Duration
	steps   []step
}

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(r.headers):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	return &http.Response{
		StatusCode: cmp.Or(r.status, http.StatusOK), Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req,
		Body: &scriptedBody{ctx: req.Context(), steps: r.steps},
	}, nil
}

func clientOf(r roundTrip) *Client {
	c := NewClient()
	c.HTTP = &http.Client{Transport: r}
	return c
}

func timesOut(t *testing.T, r roundTrip, want time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, err := ask(t, t.Context(), clientOf(r), "http://provider/")
		var failure *model.Error
		if !errors.As(err, &failure) || failure.Class != model.ClassTimeout|model.ClassTransient {
			t.Errorf("error %v", err)
		}
		if took := time.Since(begin).Round(time.Second); took != want {
			t.Errorf("took %s, want %s", took, want)
		}
	})
}

func TestASilentProviderTimesOut(t *testing.T) {
	timesOut(t, roundTrip{headers: time.Hour}, FirstEventTimeout)
	timesOut(t, roundTrip{headers: time.Minute}, FirstEventTimeout)
	timesOut(t, roundTrip{steps: []step{{time.Second, "data: a\n\n"}}}, time.Second+IdleTimeout)
	timesOut(t, roundTrip{steps: []step{{90 * time.Second, "data: a\n\n"}, {110 * time.Second, "data: b\n\n"}}}, 200*time.Second+IdleTimeout)
}

func TestCommentsAreNoLife(t *testing.T) {
	pings := make([]step, 100)
	for i := range pings {
		pings[i] = step{5 * time.Second, ": ping\n\n"}
	}
	timesOut(t, roundTrip{steps: pings}, FirstEventTimeout)
	timesOut(t, roundTrip{steps: append([]step{{time.Second, "data: a\n\n"}}, pings...)}, time.Second+IdleTimeout)
}

func TestASlowTakerIsNotHeldAgainstTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(roundTrip{steps: []step{{time.Second, "data: a\n\n"}, {time.Second, "data: b\n\n"}, {time.Second, "data: end\n\n"}}})
		call := NewCall(&model.Request{Model: &model.Model{}}, "http://provider/", nil)
		err := c.Stream(t.Context(), call, func(data []byte) (State, error) {
			time.Sleep(time.Hour) // the host has stopped reading
			if string(data) == "end" {
				return Finished, nil
			}
			return Streaming, nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestACompleteAnswerWaitsOnlyBrieflyForMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		steps := []step{{0, "data: complete\n\n"}}
		for range 100 {
			steps = append(steps, step{time.Second, "data: more\n\n"})
		}
		events, err := ask(t, t.Context(), clientOf(roundTrip{steps: steps}), "http://provider/")
		if err != nil || len(events) < 2 {
			t.Errorf("events %q, error %v", events, err)
		}
		if took := time.Since(begin); took > 2*trailerTimeout {
			t.Errorf("took %s", took)
		}
	})
}

func TestWithoutLimitsAStreamMaySleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(roundTrip{headers: time.Hour, steps: []step{{time.Hour, "data: a\n\n"}, {24 * time.Hour, "data: end\n\n"}}})
		c.FirstEvent, c.Idle = 0, 0
		if _, err := ask(t, t.Context(), c, "http://provider/"); err != nil {
			t.Error(err)
		}
	})
}

func TestEventsInTheBufferAreNotDeliveredAfterAnAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := clientOf(roundTrip{steps: []step{{0, "data: a\n\ndata: b\n\ndata: end\n\n"}}})
		events := 0
		err := c.Stream(ctx, NewCall(&model.Request{Model: &model.Model{}}, "http://provider/", nil), func([]byte) (State, error) {
			events++
			cancel(io.ErrClosedPipe)
			return Streaming, nil
		})
		if !errors.Is(err, io.ErrClosedPipe) || events != 1 {
			t.Errorf("%d events, error %v", events, err)
		}
	})
}
