package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// defaultGrace is what processes that are asked to end have for it.
const defaultGrace = 500 * time.Millisecond

// ErrClosed is what Run returns once Close was called.
var ErrClosed = errors.New("the shell runner is closed")

// Options say how commands are run. The zero value serves.
type Options struct {
	ShellPath string        // bash on PATH, else sh, when empty
	Env       []string      // of the commands, without provider keys; the caller must not change it afterwards
	Grace     time.Duration // between TERM and KILL; half a second when 0
	Spares    int           // at most this many shells started ahead; 64 when 0, none when negative
}

// A Runner runs commands, each in a shell of its own, and hides what starting a
// shell costs by having some started ahead. Safe for concurrent use.
//
// What a command leaves running when it ends normally lives on until Close.
// What an aborted command started does not: neither its process group nor, on
// Linux, those of its processes that have left it.
type Runner struct {
	grace    time.Duration
	noTTY    bool
	spawner  *spawner
	piped    []string // the environment of commands with pipes
	terminal []string // and with a terminal
	places   placer
	ops      chan func(*keeper)

	life context.Context // of the commands
	stop context.CancelCauseFunc

	quit  chan struct{} // closed by Close: the loops end
	loops sync.WaitGroup
	close func()
}

var runners atomic.Int64

// New returns a Runner, which must be closed. A shell that cannot be found shows
// as an error of Run.
func New(o Options) *Runner {
	path, err := findShell(o.ShellPath)
	piped, terminal := environments(o.Env, path)
	s := &spawner{
		shell: path, err: err, bash: filepath.Base(path) == "bash",
		name:   fmt.Sprintf("%d.%d.", os.Getpid(), runners.Add(1)),
		orders: make(chan job), spares: make(chan order), stock: make(chan started),
	}
	r := &Runner{
		grace: o.Grace, spawner: s, piped: piped, terminal: terminal, places: newPlacer(piped),
		noTTY: slices.ContainsFunc(o.Env, func(entry string) bool { return isSet(entry, "VEYYON_NO_PTY") }),
		ops:   make(chan func(*keeper)), quit: make(chan struct{}),
	}
	if r.grace == 0 {
		r.grace = defaultGrace
	}
	r.life, r.stop = context.WithCancelCause(context.Background())
	k := &keeper{
		spawner: s, ops: r.ops, limit: max(o.Spares, 0), ticks: time.NewTimer(window),
		left: map[int]bool{}, deaths: make(chan os.Signal, 1),
	}
	if o.Spares == 0 {
		k.limit = maxSpares
	}
	r.loops.Go(func() { s.work(r.quit) })
	r.loops.Go(func() { k.keep(r.quit) })
	r.close = sync.OnceFunc(r.shut)
	return r
}

// Bash tells whether commands are lines of bash.
func (r *Runner) Bash() bool { return r.spawner.bash }

// Close aborts what runs, ends everything that was ever started here and still
// lives, and waits until it is gone: about the grace, if some of it ignores TERM.
// Any call after the first waits for the same. The error is the cause of ctx, if
// that ends first.
func (r *Runner) Close(ctx context.Context) error {
	done := make(chan struct{})
	go func() { // ends by the bounds of shut
		defer close(done)
		r.close()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Runner) shut() {
	idle := make(chan struct{})
	r.ops <- func(k *keeper) { k.close(idle) }
	r.stop(ErrClosed)
	r.everything().end(r.grace)
	<-idle
	rest := r.everything()
	close(r.quit)
	r.loops.Wait()
	rest.end(0) // what a command left that ended just now
	r.spawner.reaps.Wait()
}

// everything is all that was started here.
func (r *Runner) everything() family {
	sessions := make(chan []int, 1)
	r.ops <- func(k *keeper) { sessions <- k.sessions() }
	return family{sessions: <-sessions, mark: runVar + "=" + r.spawner.name}
}

// take reserves a place for a command and a spare for it, if there is one.
func (r *Runner) take(o order) (*process, error) {
	var p *process
	answer := make(chan bool, 1)
	op := func(k *keeper) {
		var ok bool
		p, ok = k.take(o)
		answer <- ok
	}
	select {
	case r.ops <- op:
	case <-r.quit:
		return nil, ErrClosed
	}
	if !<-answer {
		return nil, ErrClosed
	}
	return p, nil
}

// release gives back the place. The loop runs until it has.
func (r *Runner) release(session int) {
	r.ops <- func(k *keeper) { k.done(session) }
}
