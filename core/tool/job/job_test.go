package job

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	board "veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// after is work that says something, takes so long and then gives the text.
func after(d time.Duration, text string) board.Run {
	return func(ctx context.Context, note func(string)) board.Result {
		note("so far")
		select {
		case <-time.After(d):
			return board.Result{Text: text, Failed: text == "bad"}
		case <-ctx.Done():
			return board.Result{Failed: true}
		}
	}
}

// trial runs the tool on a board with a job of one second, one of an hour and
// one that fails at once.
func trial(t *testing.T, wait time.Duration, run func(t *testing.T, use func(ctx context.Context, args string) (string, Details))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := board.NewBoard(3)
		for _, w := range []board.Run{after(time.Second, "good"), after(time.Hour, "late"), after(0, "bad")} {
			if _, err := b.Start(board.Bash, "sleep", w); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		it := New(Options{Wait: wait, Board: func(tool.Session) (*board.Board, bool) { return b, true }})
		run(t, func(ctx context.Context, args string) (string, Details) {
			t.Helper()
			out, err := it.Run(ctx, tool.Call{Args: json.RawMessage(args), Update: func(tool.Output) {}})
			if err != nil || out.IsError {
				t.Fatal(err, out.Content.Text())
			}
			var details Details
			if err := json.Unmarshal(out.Details, &details); err != nil {
				t.Fatal(err)
			}
			return out.Content.Text(), details
		})
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAPollBringsEachResultOnce(t *testing.T) {
	trial(t, 0, func(t *testing.T, use func(context.Context, string) (string, Details)) {
		text, details := use(t.Context(), `{"poll":["bash-3","bash-1"]}`)
		want := Details{Jobs: []Job{
			{ID: "bash-3", Type: "bash", Status: "failed", Label: "sleep", ErrorText: "bad"},
			{ID: "bash-1", Type: "bash", Status: "running", Label: "sleep"},
		}}
		if diff := cmp.Diff(want, details); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff("bash-3 (sleep): failed, 0s\nbad\n\nbash-1 (sleep): running, 0s\nlatest output:\nso far", text); diff != "" {
			t.Error(diff)
		}
		text, _ = use(t.Context(), `{"poll":[]}`)
		if diff := cmp.Diff("bash-1 (sleep): completed, 1s\ngood\n\nbash-2 (sleep): running, 1s\nlatest output:\nso far", text); diff != "" {
			t.Error(diff)
		}
		text, _ = use(t.Context(), `{"poll":["bash-1","bash-9"]}`)
		if diff := cmp.Diff("bash-1 (sleep): completed, 1s\nbash-9: there is no such job, or it was over long ago", text); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPollTellsWhatTheResultsCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := board.NewBoard(3)
		for range 2 {
			if _, err := b.Start(board.Task, "scout", func(context.Context, func(string)) board.Result {
				return board.Result{Text: "found", Usage: &message.Usage{Input: 3, TotalTokens: 3}}
			}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		it := New(Options{Wait: time.Minute, Board: func(tool.Session) (*board.Board, bool) { return b, true }})
		for _, want := range []*message.Usage{{Input: 6, TotalTokens: 6}, nil} { // each is told once
			out, err := it.Run(t.Context(), tool.Call{Args: json.RawMessage(`{"poll":["task-1","task-2"]}`), Update: func(tool.Output) {}})
			if err != nil {
				t.Fatal(err)
			}
			var got Details
			if err := json.Unmarshal(out.Details, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Usage); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestAPollGrowsPatient(t *testing.T) {
	trial(t, 0, func(t *testing.T, use func(context.Context, string) (string, Details)) {
		var waits []time.Duration
		for range 6 {
			began := time.Now()
			use(t.Context(), `{"poll":["bash-2"]}`)
			waits = append(waits, time.Since(began))
		}
		want := []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 5 * time.Minute}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPollThatIsInterruptedTellsHowThingsStand(t *testing.T) {
	trial(t, time.Minute, func(t *testing.T, use func(context.Context, string) (string, Details)) {
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		began := time.Now()
		if text, _ := use(ctx, `{"poll":["bash-2"]}`); text != "bash-2 (sleep): running, 3s\nlatest output:\nso far" || time.Since(began) != 3*time.Second {
			t.Errorf("%q after %v", text, time.Since(began))
		}
	})
}

func TestJobsAreCancelledAndListed(t *testing.T) {
	trial(t, time.Minute, func(t *testing.T, use func(context.Context, string) (string, Details)) {
		text, details := use(t.Context(), `{"cancel":["bash-2","bash-3","bash-9"]}`)
		want := []Cancelled{{"bash-2", "cancelled"}, {"bash-3", "already_completed"}, {"bash-9", "not_found"}}
		if diff := cmp.Diff(want, details.Cancelled); diff != "" || text != "bash-2: cancelled\nbash-3: already completed\nbash-9: not found" {
			t.Errorf("%q %s", text, diff)
		}
		synctest.Wait()
		_, details = use(t.Context(), `{}`)
		var got []board.Status
		for _, j := range details.Jobs {
			got = append(got, j.Status)
		}
		if diff := cmp.Diff([]board.Status{"running", "cancelled", "failed"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWithoutABoardThereIsNothingToLookAfter(t *testing.T) {
	it := New(Options{Board: func(tool.Session) (*board.Board, bool) { return nil, false }})
	out, err := it.Run(t.Context(), tool.Call{Args: json.RawMessage(`{}`)})
	if err != nil || out.Content.Text() != "Async execution is disabled; no background jobs are available." {
		t.Error(out.Content.Text(), err)
	}
}
