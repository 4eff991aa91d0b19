package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// runFlood measures how many pipelined commands a second are answered, written
// by one goroutine while another reads.
func runFlood(ctx context.Context, b *bench) (found result, err error) {
	server, reference, closeBoth, err := b.pair(ctx, b.echo)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	n := b.pick(50_000, 10_000)
	commands := make([]byte, 0, n*64)
	for i := range n {
		commands = fmt.Appendf(commands, `{"id":"req_%d","type":"set_steering_mode","mode":"all"}`+"\n", i)
	}
	s, r, err := b.compare(
		func() (float64, error) { return flood(server, commands, n) },
		func() (float64, error) { return flood(reference, commands, n) })
	if err != nil {
		return result{}, err
	}
	return result{rows: []row{compared("flood", "rate", s, r, "commands/s")}}, nil
}

// flood returns the answers a second.
func flood(h *host, commands []byte, n int) (float64, error) {
	began := time.Now()
	var both errgroup.Group // the writer ends with the process at the latest
	both.Go(func() error { return h.send(commands) })
	both.Go(func() error {
		for range n {
			if _, err := h.answered(); err != nil {
				return errors.Join(err, h.kill())
			}
		}
		return nil
	})
	err := both.Wait()
	return float64(n) / time.Since(began).Seconds(), err
}
