package stages

import (
	"context"
	"log/slog"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"
)

// A Pool works on the jobs of a channel in parallel.
type Pool[J any] struct {
	// Workers is the most that run at once; they are started as jobs come.
	Workers int
	// Run does one job. It hears ctx.
	Run func(ctx context.Context, job J)
	// OnPanic turns a job that panicked into an answer. The panic has been
	// logged with its stack. Nil leaves it at that.
	OnPanic func(ctx context.Context, job J, p *panics.Recovered)
}

// RunPool serves jobs with n workers. See Pool.Serve.
func RunPool[J any](ctx context.Context, n int, jobs <-chan J, run func(context.Context, J)) error {
	return Pool[J]{Workers: n, Run: run}.Serve(ctx, jobs)
}

// Serve works until jobs is closed and all jobs are done, and returns nil; or
// until ctx ends, and returns its cause once the running jobs have returned. A
// job that was not begun by then is left. A panic ends its job, not the pool.
//
// In: jobs. Out: whatever Run sends. While all workers are busy jobs waits, so
// its sender decides what a full channel means.
func (p Pool[J]) Serve(ctx context.Context, jobs <-chan J) error {
	workers := pool.New().WithMaxGoroutines(p.Workers)
	defer workers.Wait()
	for {
		job, ok, err := Recv(ctx, jobs)
		if err != nil || !ok {
			return err
		}
		workers.Go(func() { p.fenced(ctx, job) })
	}
}

func (p Pool[J]) fenced(ctx context.Context, job J) {
	recovered := panics.Try(func() { p.Run(ctx, job) })
	if recovered == nil {
		return
	}
	slog.Error("a job panicked", "panic", recovered.Value, "stack", string(recovered.Stack))
	if p.OnPanic != nil {
		p.OnPanic(ctx, job, recovered)
	}
}
