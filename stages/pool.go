package stages

import (
	"context"
	"log/slog"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"
)

// RunPool does the jobs of a channel on up to n workers, which are started as
// jobs come. It works until jobs is closed and all jobs are done, and returns
// nil; or until ctx ends, and returns its cause once the running jobs have
// returned. A job that was not begun by then is left. A panic ends its job, not
// the pool, and is logged with its stack.
//
// In: jobs. Out: whatever run sends; it hears ctx. While all workers are busy
// jobs waits, so its sender decides what a full channel means.
func RunPool[J any](ctx context.Context, n int, jobs <-chan J, run func(context.Context, J)) error {
	workers := pool.New().WithMaxGoroutines(n)
	defer workers.Wait()
	for {
		job, ok, err := Recv(ctx, jobs)
		if err != nil || !ok {
			return err
		}
		workers.Go(func() { // ends with its job
			if p := panics.Try(func() { run(ctx, job) }); p != nil {
				slog.Error("a job panicked", "panic", p.Value, "stack", string(p.Stack))
			}
		})
	}
}
