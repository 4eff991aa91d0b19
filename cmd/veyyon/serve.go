package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/trace"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/router/rpc"
	"veyyon.dev/veyyon/stages"
)

const (
	// bashGrace is how long the host's commands may go on after the end of
	// input; then they are ended, and their answers say so.
	bashGrace = 2 * time.Second
	// backgroundGrace is how long conversations in the background may go on
	// after the end of input. Protocol: "Background conversations".
	backgroundGrace = 5 * time.Second
	// stopGrace is how long sessions may take to unwind at the end; then the
	// process ends without them. Their files are whole at any moment.
	stopGrace = 5 * time.Second
)

var errSignalled = errors.New("a second signal came")

// serve joins codec, table and agent to the pipe and waits for its end.
func serve(l *launch, codec frames.Codec, middle stages.Middle) error {
	in, out, err := takeStdio()
	if err != nil {
		return err
	}
	stopTrace, err := traceTo(l.flags.Trace)
	if err != nil {
		return err
	}
	defer stopTrace()
	if adopted != nil {
		slog.Warn("orphaned processes of commands are not adopted", "err", adopted)
	}
	signals := l.signals
	life, hangUp := context.WithCancelCause(signals.hard)
	defer hangUp(nil)
	go func() { // ends when the host stops reading for good, or with the process
		if awaitReaderGone(out) {
			hangUp(stages.ErrHostGone)
		}
	}()
	err = stages.Pipe(life, in, out, codec, middle, stages.Options{
		OutboxBytes: l.outboxBytes, EndInput: signals.soft,
	})
	switch {
	case signals.caught() != 0:
		return &exitError{code: 128 + int(signals.caught())}
	case errors.Is(err, stages.ErrHostGone):
		return nil // the host has left, quietly so do we
	}
	return err
}

// adopted is what came of making orphaned processes ours; it must happen on the
// main thread, before anything runs.
var adopted error

func init() { adopted = shell.Adopt() }

// closeRunner ends what commands have left running.
func closeRunner(runner *shell.Runner) {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := runner.Close(ctx); err != nil {
		slog.Warn("processes of commands may still run", "err", err)
	}
}

// middle is what stands between Decode and FanIn: the agent and its router.
func middle(l *launch) stages.Middle {
	signals := l.signals
	return func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
		<-signals.heard // from ready on, a host may count on them
		if err := rpc.Ready(ctx, out); err != nil {
			return err
		}
		// The host waits for ready; all that it does not need comes later. The
		// rest of the pipe is on this processor (measured: without this, ready
		// is as late as the catalogue).
		runtime.Gosched()
		ballast := make([]byte, ballastBytes)
		defer runtime.KeepAlive(ballast)
		tending, rest := context.WithCancel(ctx)
		var tender conc.WaitGroup
		tender.Go(func() { tend(tending) })
		defer tender.Wait()
		defer rest()
		l.settle()
		runner := shell.New(l.shellOptions())
		defer closeRunner(runner)
		ledger := router.NewLedger(ctx, out, router.HexIDs())
		uris := rpc.NewURIs(ledger)
		sink := rpc.NewSink(ctx, out)
		agent, err := core.New(ctx, l.agentOptions(runner, reach{
			emit: sink.Emit, tools: rpc.Tools{Ledger: ledger, Images: l.images()}, uris: uris, approver: approval.Dialogs{UI: rpc.UI{Ledger: ledger}}, ask: l.person(ledger), servers: l.servers(ctx, nil),
		}))
		if err != nil {
			return err
		}
		agent.Announce()
		lingering, over := context.WithCancel(signals.soft) // a signal ends the conversations in the background at once
		defer over()
		opts := router.Options{OnEOF: func(finishing context.Context) {
			if l.flags.Drain {
				draining, stop := context.WithCancel(ctx)
				defer context.AfterFunc(signals.soft, stop)()
				_ = agent.Settled(draining) // a signal or the end of the session is as good
			}
			time.AfterFunc(backgroundGrace, over)
			wind(finishing, agent, signals)
		}}
		if l.flags.Drain {
			opts.Grace = math.MaxInt64 // the turn that is waited for may take any time
		}
		failed := router.Run(ctx, inbound, out, rpc.Table(agent, uris, sink, l.images()), ledger, opts)
		defer context.AfterFunc(ctx, over)()
		agent.Linger(lingering)
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		return errors.Join(failed, agent.Stop(stopping))
	}
}

// wind follows the end of input: the turn is aborted, and the host's commands
// get a last while, unless a signal wants us gone. ctx ends when none is left.
func wind(ctx context.Context, agent *core.Agent, signals *signals) {
	agent.EndOfInput(ctx)
	if signals.caught() == 0 {
		select {
		case <-time.After(bashGrace):
		case <-signals.soft.Done():
		case <-ctx.Done():
		}
	}
	_ = agent.AbortBash(ctx) // an ended session has no commands
}

// signals turns the first signal into a soft stop and the second into a hard
// one.
type signals struct {
	soft, hard context.Context
	first      atomic.Int32  // the number of the first signal, 0 before
	heard      chan struct{} // closed once they are listened to
}

// listen begins to listen, on a goroutine of its own, as the runtime takes its
// time for each signal. It goes on until the process ends.
func listen() *signals {
	hard, kill := context.WithCancelCause(context.Background())
	soft, stop := context.WithCancel(hard)
	s := &signals{soft: soft, hard: hard, heard: make(chan struct{})}
	go func() {
		arriving := make(chan os.Signal, 2) // the two that mean something
		signal.Notify(arriving, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		// A broken stderr is an error of the write, not our death. Not Ignore:
		// children would inherit that.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		close(s.heard)
		for caught := range arriving {
			number, _ := caught.(syscall.Signal)
			if !s.first.CompareAndSwap(0, int32(number)) {
				kill(errSignalled)
			}
			stop()
		}
	}()
	return s
}

// caught is the first signal, 0 when none came.
func (s *signals) caught() syscall.Signal { return syscall.Signal(s.first.Load()) }

// traceTo begins an execution trace; the function ends it.
func traceTo(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	if err := trace.Start(file); err != nil {
		return nil, errors.Join(fmt.Errorf("--trace: %w", err), file.Close())
	}
	return func() {
		trace.Stop()
		_ = file.Close() // a trace that is not whole says so itself
	}, nil
}
