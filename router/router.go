package router

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/sourcegraph/conc/pool"

	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// maxBacklog is how many bytes of commands may wait for their turn. Beyond it a
// command loses its body and becomes a refusal, in its place in the queue. One
// command alone may be larger.
const maxBacklog = 64 << 20

// drainGrace is how long pooled commands may go on after the end of input; then
// their contexts are cancelled. Protocol: background conversations get the same.
const drainGrace = 5 * time.Second

var errGraceOver = errors.New("the input has ended")

// Options are what the program around the router decides.
type Options struct {
	// OnEOF, if set, is called once when the input has ended, all commands have
	// been started and no question can be put to the host any more; pooled
	// commands may still run. Its context ends when these are done, when the
	// grace is over, or with a hard stop.
	OnEOF func(ctx context.Context)
	// Grace is how long pooled commands may go on after the end of input; 0
	// means 5 s.
	Grace time.Duration
}

// Run routes commands until inbound is closed and each is answered. It has the
// shape of a stages.Middle but for the table and the ledger, which is closed as
// soon as the input ends. The error is the cause of a hard stop.
func Run(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox, t Table, l *Ledger, opts Options) error {
	defer l.Close()
	// Answers go out as long as the connection lives, whatever ends inside.
	send := func(f frames.Outbound) error { return out.Send(ctx, f) }
	starts := startsLane.Make()
	queues := make(map[Pool]chan work)
	for _, size := range poolSizes {
		queues[size.pool] = poolLane(size.pool).Make()
	}
	// finishing is the life of what runs in the pools.
	finishing, stopFinishing := context.WithCancelCause(ctx)
	defer stopFinishing(nil)

	lanes := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	lanes.Go(func(ctx context.Context) error {
		defer close(starts)
		return route(ctx, inbound, starts, l)
	})
	lanes.Go(func(ctx context.Context) error {
		err := newStarter(finishing, send, t, queues).run(ctx, starts)
		for _, queue := range queues {
			close(queue)
		}
		if err == nil {
			windUp(finishing, stopFinishing, opts)
		}
		return err
	})
	lanes.Go(func(ctx context.Context) error {
		defer stopFinishing(nil)
		defer context.AfterFunc(ctx, func() { stopFinishing(context.Cause(ctx)) })()
		pools := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
		for _, size := range poolSizes {
			pools.Go(func(ctx context.Context) error {
				return stages.RunPool(ctx, size.workers, queues[size.pool], finish)
			})
		}
		return pools.Wait()
	})
	return lanes.Wait()
}

// windUp limits how long the pools go on after the end of input.
func windUp(finishing context.Context, stop context.CancelCauseFunc, opts Options) {
	timer := time.AfterFunc(cmp.Or(opts.Grace, drainGrace), func() { stop(errGraceOver) })
	defer timer.Stop()
	if opts.OnEOF != nil {
		opts.OnEOF(finishing)
	}
	<-finishing.Done()
}

// route is the Router. Replies go to the ledger at once, everything else to the
// Starter in its turn. It waits for nothing but its own two channels, so that
// neither a command that waits for a reply nor a slow host stops the reading.
// It ends when inbound is closed and the backlog is empty.
func route(ctx context.Context, inbound <-chan frames.Inbound, starts chan<- []frames.Inbound, l *Ledger) error {
	var backlog stages.Backlog[frames.Inbound]
	var batch []frames.Inbound // the oldest commands, handed over next
	held := 0                  // their bytes
	for inbound != nil || batch != nil {
		next := starts
		if batch == nil {
			next = nil // switches the case off
		}
		select {
		case in, ok := <-inbound:
			if !ok {
				l.Close()
				inbound = nil // switches the case off
				continue
			}
			if reply, isReply := in.(frames.Reply); isReply {
				l.Settle(reply)
				continue
			}
			admit(&backlog, held, in)
		case next <- batch:
			batch, held = nil, 0
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if batch == nil {
			batch, held = oldest(&backlog)
		}
	}
	return nil
}

// A batch spares the Starter a hop for each command of a burst. It is small, as
// commands in it cannot be refused any more; one larger command goes alone.
const (
	maxBatch      = 64
	maxBatchBytes = 64 << 10
)

// oldest takes a batch out of the backlog, nil when that is empty.
func oldest(backlog *stages.Backlog[frames.Inbound]) (batch []frames.Inbound, bytes int) {
	for len(batch) < maxBatch {
		in, ok := backlog.Front()
		if !ok || len(batch) > 0 && bytes+in.Size() > maxBatchBytes {
			break
		}
		batch, bytes = append(batch, in), bytes+in.Size()
		backlog.Pop()
	}
	return batch, bytes
}

// admit puts a command or a malformed line at the end of the queue, before which
// held bytes wait already.
func admit(backlog *stages.Backlog[frames.Inbound], held int, in frames.Inbound) {
	command, ok := in.(frames.Command)
	if waiting := backlog.Bytes() + held; ok && waiting > 0 && waiting+in.Size() > maxBacklog {
		refused := frames.Response{ID: command.ID, Command: command.Name, Fault: refuse(errBacklog)}
		backlog.Push(frames.Malformed{Answer: refused}, 0)
		return
	}
	backlog.Push(in, in.Size())
}
