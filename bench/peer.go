package main

import (
	"context"
	"errors"
	"fmt"

	"veyyon.dev/veyyon/stages/client"
)

// A peer is a server driven by the Go client, where the client's own cost does
// not count. Its memory can be watched.
type peer struct {
	*client.Client
	*process
}

// meet waits until a process is ready, and closes it if it is not.
func meet(ctx context.Context, p *process) (peer, error) {
	met := peer{client.New(ctx, p.stdout, p.stdin), p}
	for first, err := range met.Events(ctx) {
		switch {
		case err != nil:
			return peer{}, errors.Join(fmt.Errorf("%w; stderr: %s", err, p.lastWords()), met.leave())
		case first.Type != "ready":
			return peer{}, errors.Join(fmt.Errorf("the first line is not ready but %.200s", first.Raw), met.leave())
		}
		return met, nil
	}
	return peer{}, errors.Join(fmt.Errorf("the server closed stdout; stderr: %s", p.lastWords()), met.leave())
}

// leave ends both.
func (p peer) leave() error { return errors.Join(p.Client.Close(), p.process.close()) }
