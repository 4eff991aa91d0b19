package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"veyyon.dev/veyyon/core/host"
)

// Terminals are terminals whose commands a test plays. The zero value plays none.
// Safe for concurrent use.
type Terminals struct {
	// Begin plays the beginning of a command, on the goroutine that creates its
	// terminal; an error refuses it. Nil does nothing.
	Begin func(ctx context.Context, t *Terminal) error

	mu      sync.Mutex
	created []*Terminal
}

// Create is that of host.Terminals.
func (s *Terminals) Create(ctx context.Context, spec host.TerminalSpec) (host.Terminal, error) {
	t := &Terminal{Spec: spec}
	t.over, t.end = context.WithCancel(context.Background())
	if s.Begin != nil {
		if err := s.Begin(ctx, t); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.created = append(s.created, t)
	t.id = fmt.Sprintf("term-%d", len(s.created))
	return t, nil
}

// Created lists the terminals, the first first.
func (s *Terminals) Created() []*Terminal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.created)
}

// A Terminal is a terminal with a command that only a test knows of. Killing it,
// and releasing it, ends the command with a signal.
type Terminal struct {
	Spec host.TerminalSpec
	// Before, if set, comes before each call but ID, with its name: output, wait,
	// kill or release. An error is the answer.
	Before func(ctx context.Context, call string) error

	id   string
	over context.Context // ends with the command
	end  context.CancelFunc

	mu        sync.Mutex
	text      string
	truncated bool
	exit      *host.Exit
	calls     []string
}

// Print makes text all that the command has printed, or the end of it.
func (t *Terminal) Print(text string, truncated bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text, t.truncated = text, truncated
}

// End ends the command.
func (t *Terminal) End(exit host.Exit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.exit == nil {
		t.exit = &exit
		t.end()
	}
}

// Calls lists what was asked of the terminal so far, by name.
func (t *Terminal) Calls() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.calls)
}

// ID is the terminal's name.
func (t *Terminal) ID() string { return t.id }

// Output is that of host.Terminal, as the other methods are.
func (t *Terminal) Output(ctx context.Context) (string, bool, *host.Exit, error) {
	if err := t.note(ctx, "output"); err != nil {
		return "", false, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text, t.truncated, t.exit, nil
}

// Wait waits for the end of the command.
func (t *Terminal) Wait(ctx context.Context) (host.Exit, error) {
	if err := t.note(ctx, "wait"); err != nil {
		return host.Exit{}, err
	}
	select {
	case <-t.over.Done():
	case <-ctx.Done():
		return host.Exit{}, context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return *t.exit, nil
}

// Kill ends the command.
func (t *Terminal) Kill(ctx context.Context) error {
	if err := t.note(ctx, "kill"); err != nil {
		return err
	}
	t.End(host.Exit{Signal: "SIGKILL"})
	return nil
}

// Release ends the command, too.
func (t *Terminal) Release(ctx context.Context) error {
	if err := t.note(ctx, "release"); err != nil {
		return err
	}
	t.End(host.Exit{Signal: "SIGKILL"})
	return nil
}

func (t *Terminal) note(ctx context.Context, call string) error {
	t.mu.Lock()
	t.calls = append(t.calls, call)
	t.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.Before != nil {
		return t.Before(ctx, call)
	}
	return nil
}
