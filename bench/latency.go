package main

import (
	"context"
	"errors"
	"time"
)

// runState measures the round trip of get_state, one after another, against the
// same round trip through echo, all of them on one processor.
func runState(ctx context.Context, b *bench) (found result, err error) {
	defer pinned()()
	server, reference, closeBoth, err := b.pair(ctx, b.echo)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	ours, theirs := newSpread(), newSpread()
	n := b.pick(5000, 1000)
	s, r, err := b.compare(
		func() (float64, error) { return roundTrips(server, n, ours) },
		func() (float64, error) { return roundTrips(reference, n, theirs) })
	if err != nil {
		return result{}, err
	}
	found.rows = append([]row{compared("state", "p50", s, r, "ms")}, tails("state", "", ours, theirs)...)
	found.curves = []curve{{"state: get_state round trip", ours, theirs}}
	return found, nil
}

// pair connects to a server and to its reference.
func (b *bench) pair(ctx context.Context, referencePath string) (server, reference *host, closeBoth func() error, err error) {
	if server, err = b.connect(ctx, nil); err != nil {
		return nil, nil, nil, err
	}
	if reference, err = connect(ctx, referencePath, nil, nil); err != nil {
		return nil, nil, nil, errors.Join(err, server.close())
	}
	return server, reference, func() error { return errors.Join(server.close(), reference.close()) }, nil
}

func roundTrips(h *host, n int, took *spread) (float64, error) {
	command := []byte(`{"id":"req_1","type":"get_state"}` + "\n")
	for range n {
		sent := time.Now()
		if _, err := h.ask(command); err != nil {
			return 0, err
		}
		took.add(time.Since(sent))
	}
	return took.endRound(), nil
}
