package stages

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAPoolRunsAsManyJobsAtOnceAsItHasWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := make(chan int)
		go func() {
			defer close(jobs)
			for i := range 10 {
				jobs <- i
			}
		}()
		var done atomic.Int32
		began := time.Now()
		err := RunPool(t.Context(), 4, jobs, func(context.Context, int) {
			time.Sleep(time.Second)
			done.Add(1)
		})
		if err != nil || done.Load() != 10 || time.Since(began) != 3*time.Second {
			t.Errorf("%d jobs in %v: %v", done.Load(), time.Since(began), err)
		}
	})
}

func TestAPanicEndsItsJobOnly(t *testing.T) {
	jobs := make(chan int, 3)
	for i := range 3 {
		jobs <- i
	}
	close(jobs)
	var done []int
	err := RunPool(t.Context(), 1, jobs, func(_ context.Context, job int) {
		if job == 1 {
			panic("bug")
		}
		done = append(done, job)
	})
	if diff := cmp.Diff([]int{0, 2}, done); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestAPoolHearsTheHardStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, stop := context.WithCancelCause(t.Context())
		jobs := make(chan int, 2)
		jobs <- 1
		jobs <- 2
		go func() { synctest.Wait(); stop(cause) }()
		err := RunPool(ctx, 2, jobs, func(ctx context.Context, _ int) { <-ctx.Done() })
		if !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	})
}
