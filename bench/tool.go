package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veyyon.dev/veyyon/stages/client"
)

// runTool measures the round trip of a host tool as far as it is the server's
// and the client's: from the model's call to the host's function, and from its
// return to the model's next request. Each call is another turn of one run.
func runTool(ctx context.Context, b *bench) (found result, err error) {
	trips := newToolTrips(b.pick(200, 50))
	model, err := serveModel(trips.answer)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	server, err := b.meet(ctx, model)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, server.leave()) }()

	if _, err := server.SetHostTools(ctx, client.Tool{
		Name: "bench_echo", Description: "Answers at once.", Parameters: map[string]any{"type": "object"}, Run: trips.run,
	}); err != nil {
		return result{}, err
	}
	if _, err := server.Prompt(ctx, "use the tool", ""); err != nil {
		return result{}, err
	}
	last, err := runEnd(ctx, server)
	if err != nil {
		return result{}, err
	}
	took := newSpread()
	for range trips.calls {
		select {
		case d := <-trips.took:
			took.add(d)
		default:
			return result{}, fmt.Errorf("of %d calls %d came back: %.300s", trips.calls, took.round.TotalCount(), last.Raw)
		}
	}
	p50 := took.endRound()
	return result{rows: []row{
		figure("tool", "round_trip_p50", p50, "ms"),
		figure("tool", "round_trip_p99", took.percentile(99), "ms"),
	}}, nil
}

// runEnd waits for the end of a run.
func runEnd(ctx context.Context, server peer) (client.Event, error) {
	for e, err := range server.Events(ctx) {
		if err != nil || e.Type == "agent_end" {
			return e, err
		}
	}
	return client.Event{}, errors.New("the server closed stdout before the end of the run")
}

// toolTrips is both ends of the round trip: a model that calls a tool so many
// times, and the tool. They take turns, so each channel has room whenever it is
// sent on.
type toolTrips struct {
	calls int
	left  int                // of the model
	out   chan time.Time     // when the model called; to the tool
	back  chan returned      // to the model
	took  chan time.Duration // from the model, one for each call
}

type returned struct {
	out time.Duration // the way to the tool
	at  time.Time
}

func newToolTrips(calls int) *toolTrips {
	return &toolTrips{calls, calls, make(chan time.Time, 1), make(chan returned, 1), make(chan time.Duration, calls)}
}

// answer is the model. Its requests come one after another.
func (t *toolTrips) answer(out *events, asked request) error {
	if asked.role == "tool" {
		select {
		case r := <-t.back:
			t.took <- r.out + time.Since(r.at)
		default:
			return errors.New("the result does not come from the host's tool")
		}
	}
	if t.left == 0 {
		return out.send(appendEnd(appendText(nil, "done"), "stop"))
	}
	t.left--
	call := fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"bench_echo","arguments":"{\"n\":%[1]d}"}}]}`, t.left) // a server may stop identical calls
	t.out <- time.Now()
	return out.send(appendEnd(appendEvent(nil, call, "null"), "tool_calls"))
}

// run is the tool.
func (t *toolTrips) run(context.Context, client.ToolCall) (client.Result, error) {
	out := time.Since(<-t.out) // was sent before the call could come
	t.back <- returned{out, time.Now()}
	return client.Text("ok"), nil
}
