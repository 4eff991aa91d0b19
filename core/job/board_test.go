package job

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// after is work that takes so long and then gives the text.
func after(d time.Duration, text string) Run {
	return func(ctx context.Context, _ func(string)) Result {
		select {
		case <-time.After(d):
			return Result{Text: text}
		case <-ctx.Done():
			return Result{Text: context.Cause(ctx).Error(), Failed: true}
		}
	}
}

func start(t *testing.T, b *Board, run Run) string {
	t.Helper()
	id, err := b.Start(Bash, "sleep", run)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func shut(t *testing.T, b *Board) {
	t.Helper()
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// told are the ids and texts of the jobs.
func told(jobs []Job) (list []string) {
	for _, j := range jobs {
		list = append(list, fmt.Sprintf("%s %s %s", j.ID, j.Status, j.Result.Text))
	}
	return list
}

func TestAResultIsHandedOutOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(2)
		id := start(t, b, after(time.Second, "done"))
		claims := b.Wait(t.Context(), []string{id, "nobody"}, time.Minute)
		if !claims[0].Fresh || claims[0].Result.Text != "done" || claims[0].Duration != time.Second || claims[1].Known {
			t.Errorf("the wait found %+v", claims)
		}
		if again := b.Wait(t.Context(), []string{id}, 0); again[0].Fresh || again[0].Result.Text != "done" {
			t.Errorf("the next wait found %+v", again)
		}
		if jobs := b.ClaimFree(); jobs != nil || b.Free() != 0 {
			t.Errorf("still free: %v", told(jobs))
		}
		shut(t, b)
	})
}

func TestAResultThatAWaitDidNotTakeIsFreeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(2)
		id := start(t, b, after(time.Second, "done"))
		ctx, stop := context.WithCancel(t.Context())
		var claims []Claim
		var waits sync.WaitGroup
		waits.Go(func() { claims = b.Wait(ctx, []string{id}, time.Minute) })
		synctest.Wait()
		stop()
		waits.Wait()
		if claims[0].Status != Running {
			t.Errorf("the wait found %+v", claims)
		}
		<-b.Finished()
		if diff := cmp.Diff([]string{"bash-1 completed done"}, told(b.ClaimFree())); diff != "" {
			t.Error(diff)
		}
		shut(t, b)
	})
}

func TestTooManyJobsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(1)
		id := start(t, b, after(time.Hour, ""))
		_, err := b.Start(Task, "x", after(0, ""))
		if err == nil || err.Error() != "Background job limit reached (1). Wait for running jobs to finish or cancel one." {
			t.Errorf("the second job: %v", err)
		}
		w := b.Begin(t.Context(), after(time.Hour, ""))
		if _, ok, err := w.Detach(Bash, "y"); ok || err == nil {
			t.Errorf("work became a job: %v, %v", ok, err)
		}
		if got := []Outcome{b.Cancel(id), b.Cancel("nobody")}; !cmp.Equal(got, []Outcome{WasCancelled, NotFound}) {
			t.Errorf("cancelling: %v", got)
		}
		synctest.Wait()
		if got := b.Cancel(id); got != WasOver || b.ClaimFree() != nil {
			t.Errorf("the cancelled job: %v", got)
		}
		start(t, b, after(0, ""))
		w.cancel(nil)
		shut(t, b)
		if _, err := b.Start(Task, "x", after(0, "")); err == nil {
			t.Error("a closed board took a job")
		}
	})
}

func TestWorkEndsWithItsCallUntilItIsAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(2)
		ctx, stop := context.WithCancelCause(t.Context())
		attached, detached := b.Begin(ctx, after(time.Minute, "a")), b.Begin(ctx, after(time.Minute, "b"))
		if _, ok, err := detached.Detach(Bash, "b"); !ok || err != nil {
			t.Fatal(ok, err)
		}
		stop(errCancelled)
		<-attached.Done()
		if attached.Result().Text != errCancelled.Error() || b.Running() != 1 {
			t.Errorf("%+v, %d run", attached.Result(), b.Running())
		}
		<-detached.Done()
		if diff := cmp.Diff([]string{"bash-1 completed b"}, told(b.ClaimFree())); diff != "" {
			t.Error(diff)
		}
		if _, ok, err := attached.Detach(Bash, "a"); ok || err != nil {
			t.Errorf("ended work became a job: %v", err)
		}
		shut(t, b)
	})
}

func TestAPanicIsAFailedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(1)
		id := start(t, b, func(context.Context, func(string)) Result { panic("ouch") })
		if got := b.Wait(t.Context(), []string{id}, time.Minute)[0]; got.Status != Failed || !strings.Contains(got.Result.Text, "ouch") {
			t.Errorf("%+v", got)
		}
		shut(t, b)
	})
}

func TestHandedOutJobsAreForgottenAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(2)
		start(t, b, after(0, "claimed"))
		synctest.Wait()
		b.ClaimFree()
		start(t, b, after(0, "free"))
		time.Sleep(retention + time.Second)
		if diff := cmp.Diff([]string{"bash-2 completed free"}, told(b.List())); diff != "" {
			t.Error(diff)
		}
		shut(t, b)
	})
}

// Whoever polls, detaches, gives up and claims at whatever time: each job's
// result is handed out exactly once, or by its call when it never became a job.
func TestEachResultIsHandedOutExactlyOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		delays := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 8).Draw(rt, "delays")
		polls := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 8).Draw(rt, "polls")
		detachAt := rapid.IntRange(0, 5).Draw(rt, "detach")
		synctest.Test(t, func(t *testing.T) {
			b, handed := NewBoard(100), make([]atomic.Int32, len(delays))
			hand := func(text string) {
				var n int
				if _, err := fmt.Sscan(text, &n); err != nil {
					t.Errorf("a result of %q", text)
					return
				}
				handed[n].Add(1)
			}
			var all sync.WaitGroup
			for i, d := range delays {
				all.Go(func() {
					w := b.Begin(t.Context(), after(time.Duration(d)*time.Second, fmt.Sprint(i)))
					select {
					case <-w.Done():
					case <-time.After(time.Duration(detachAt) * time.Second):
					}
					if _, ok, err := w.Detach(Bash, "x"); err != nil {
						t.Error(err)
					} else if !ok {
						hand(w.Result().Text)
					}
				})
			}
			for _, p := range polls {
				all.Go(func() {
					for _, c := range b.Wait(t.Context(), nil, time.Duration(p)*time.Second) {
						if c.Fresh {
							hand(c.Result.Text)
						}
					}
				})
			}
			all.Go(func() {
				for over := time.After(time.Minute); ; {
					select {
					case <-b.Finished():
						for _, j := range b.ClaimFree() {
							hand(j.Result.Text)
						}
					case <-over:
						return
					}
				}
			})
			all.Wait()
			for i := range handed {
				if n := handed[i].Load(); n != 1 {
					t.Errorf("result %d was handed out %d times", i, n)
				}
			}
			shut(t, b)
		})
	})
}
