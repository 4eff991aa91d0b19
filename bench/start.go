package main

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// idle is when a started program has come to rest.
const idle = 300 * time.Millisecond

// runStart measures from the spawn to the ready frame, and the memory of the
// process once it idles.
func runStart(ctx context.Context, b *bench) (result, error) {
	server, reference := newSpread(), newSpread()
	var heavy, light []float64
	for range b.pick(20, 10) {
		if err := startOnce(ctx, func() (*host, error) { return b.connect(ctx, nil) }, server, &heavy); err != nil {
			return result{}, err
		}
		if err := startOnce(ctx, func() (*host, error) { return connect(ctx, b.echo, nil, nil) }, reference, &light); err != nil {
			return result{}, err
		}
	}
	rows := []row{compared("start", "ready", server.endRound(), reference.endRound(), "ms")}
	if len(heavy) > 0 {
		rows = append(rows, compared("start", "idle_memory", median(heavy), median(light), "MiB"))
	}
	return result{rows: rows, curves: []curve{{"start: spawn to ready", server, reference}}}, nil
}

func startOnce(ctx context.Context, spawn func() (*host, error), took *spread, memory *[]float64) (err error) {
	began := time.Now()
	h, err := spawn()
	if err != nil {
		return err
	}
	took.add(time.Since(began))
	defer func() { err = errors.Join(err, h.close()) }()
	pause(ctx, idle)
	mib, err := h.resident()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	*memory = append(*memory, mib)
	return nil
}

// pause waits, or hears the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
