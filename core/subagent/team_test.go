package subagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/tool/task"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // providers panic here, with long stacks
	goleak.VerifyTestMain(m)
}

func TestAnAgentIsToldOfItsBudgetAndThenStopped(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var told int
		s := play(t, dir, subagent.Options{}, func(ctx context.Context, said string, step int, r *model.Request, d *model.Draft) error {
			if said == "go" {
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "agent": "scout", "task": "look"}}})
			}
			if m, ok := r.Messages[len(r.Messages)-1].(*message.User); ok && m.Content.Text() == subagent.BudgetText {
				told = step
			}
			d.Text(fmt.Sprintf("step %d", step))
			if err := passes(ctx, time.Second); err != nil {
				return err
			}
			return calls(d, "read", object{"path": fmt.Sprint(step)})
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.results(t)[0].Results[0]
		if told < subagent.QuickBudget || told > subagent.QuickBudget+1 || !got.Aborted || got.AbortReason != "The agent has used up its budget of requests" ||
			got.Requests < subagent.QuickBudget*3/2 || got.Requests > subagent.QuickBudget*3/2+2 || !strings.HasPrefix(got.Output, "step 1") {
			t.Errorf("told at %d; %+v", told, got)
		}
		s.end(t)
	})
}

func TestAWordAboutTheBudgetDuringTheLastAnswerIsHeard(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, dir, subagent.Options{}, func(ctx context.Context, said string, step int, r *model.Request, d *model.Draft) error {
			if said == "go" {
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "agent": "scout", "task": "look"}}})
			}
			if step < subagent.QuickBudget {
				return calls(d, "read", object{"path": fmt.Sprint(step)})
			}
			if err := passes(ctx, time.Second); err != nil { // the word comes meanwhile
				return err
			}
			if step == subagent.QuickBudget {
				d.Text("that is all")
				return nil
			}
			return calls(d, "yield", object{"data": object{"summary": "found", "files": []string{}}})
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.results(t)[0].Results[0]; got.ExitCode != 0 || got.Extracted == nil {
			t.Errorf("%+v", got)
		}
		s.end(t)
	})
}

func TestAgentsThatWaitForAgentsHoldNoSlot(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		open, most := 0, 0
		s := play(t, dir, subagent.Options{Concurrency: 1}, func(ctx context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
			if said == "go" {
				return asks(step, d, object{"tasks": slices.Repeat([]object{{"task": "outer"}}, 8)})
			}
			mu.Lock()
			open++
			most = max(most, open)
			mu.Unlock()
			defer func() { mu.Lock(); open--; mu.Unlock() }()
			if err := passes(ctx, time.Second); err != nil {
				return err
			}
			switch {
			case said == "outer" && step == 0:
				return calls(d, "task", object{"tasks": []object{{"task": "inner"}, {"task": "inner"}}})
			default:
				return reports(d, said)
			}
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		done := 0
		for _, r := range s.results(t)[0].Results {
			if r.ExitCode == 0 && r.Output == "outer" {
				done++
			}
		}
		list, wrong := s.lives()
		if most != 1 || done != 8 || len(list) != 2*(8+16) || len(wrong) > 0 {
			t.Errorf("%d requests at a time, %d done, %d frames, %v", most, done, len(list), wrong)
		}
		stats, err := s.top.Stats(t.Context())
		if want := 2 + 8*2 + 16; err != nil || stats.Tokens.Total != want { // a token for each request
			t.Errorf("%d tokens, want %d; %v", stats.Tokens.Total, want, err)
		}
		s.end(t)
	})
}

func TestOnlyAgentsThatDoNotBlockGoOnBehindTheCall(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, ".veyyon", "agents")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "slow.md"), []byte("---\nname: slow\ndescription: d\nblocking: true\n---\nBe slow."), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := play(t, dir, subagent.Options{}, func(ctx context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
			switch said {
			case "go":
				return asks(step, d, object{"async": true, "tasks": []object{
					{"name": "Ann", "task": "behind"}, {"name": "Bob", "agent": "slow", "task": "within"},
				}})
			case "behind":
				if err := passes(ctx, time.Minute); err != nil {
					return err
				}
			}
			return reports(d, said)
		})
		s.prompt(t, "go")
		time.Sleep(time.Second)
		got := s.results(t)[0]
		if got.Async == nil || got.Async.JobID != "task-1" || len(got.Results) != 1 || got.Results[0].ID != "Bob" || got.Results[0].Output != "within" {
			t.Errorf("%+v", got)
		}
		time.Sleep(2 * time.Minute)
		list, wrong := s.lives()
		if diff := cmp.Diff([]string{"Ann started", "Bob started", "Bob completed", "Ann completed"}, list); diff != "" || len(wrong) > 0 {
			t.Error(diff, wrong)
		}
		s.end(t)
	})
}

func TestAnAgentThatDoesNotYieldIsRemindedThreeTimes(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		reminded := 0
		s := play(t, dir, subagent.Options{}, func(_ context.Context, said string, step int, r *model.Request, d *model.Draft) error {
			if said == "go" {
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "task": "talk"}}})
			}
			if m, ok := r.Messages[len(r.Messages)-1].(*message.User); ok && m.Content.Text() == subagent.ReminderText {
				reminded++
			}
			d.Text("words")
			return nil
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.results(t)[0].Results[0]
		if reminded != 3 || got.ExitCode != 1 || got.Error != subagent.NoYieldText || got.Output != "words" {
			t.Errorf("reminded %d times; %+v", reminded, got)
		}
		s.end(t)
	})
}

// Whatever agents do, and whenever they are broken off: each that starts ends
// once, before its call; each order has one result; nothing is left.
func TestEachAgentStartsAndEndsOnce(t *testing.T) {
	kinds := []string{"yields", "fails", "errs", "talks", "hangs", "looks", "nests", "panics"}
	rapid.Check(t, func(rt *rapid.T) {
		does := rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 8).Draw(rt, "agents")
		async := rapid.IntRange(0, 3).Draw(rt, "async") == 0
		slots := rapid.IntRange(0, 3).Draw(rt, "slots")
		abort := time.Duration(rapid.SampledFrom([]int{-1, 0, 1, 100, 149, 150, 151, 1000, 1001, 2500}).Draw(rt, "abort")) * time.Millisecond
		leave := rapid.IntRange(0, 3).Draw(rt, "leave") == 0
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := play(t, dir, subagent.Options{Concurrency: slots}, func(ctx context.Context, said string, step int, r *model.Request, d *model.Draft) error {
				if said == "go" {
					tasks := make([]object, len(does))
					for i, what := range does {
						tasks[i] = object{"task": what}
					}
					return asks(step, d, object{"async": async, "tasks": tasks})
				}
				if err := passes(ctx, 100*time.Millisecond); err != nil {
					return err
				}
				switch {
				case said == "fails":
					return &model.Error{Message: "no"}
				case said == "errs":
					return calls(d, "yield", object{"error": "cannot"})
				case said == "talks":
					d.Text("words")
					return nil
				case said == "hangs":
					<-ctx.Done()
					return context.Cause(ctx)
				case said == "panics":
					panic("ouch")
				case said == "looks" && step < 5:
					return calls(d, "read", object{"step": step})
				case said == "nests" && step == 0:
					return calls(d, "task", object{"tasks": []object{{"task": "yields"}, {"task": "hangs"}, {"task": "looks"}}})
				}
				return reports(d, "done")
			})
			s.prompt(t, "go")
			if abort >= 0 {
				time.Sleep(abort)
				if leave {
					s.top.Stop(t.Context(), errPulled, false)
				} else if _, err := s.top.Abort(t.Context()); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Minute)
			s.end(t)
			list, wrong := s.lives()
			for _, w := range wrong {
				t.Error(w)
			}
			results := s.results(t)
			if len(results) > 0 && results[0].Async == nil && len(results[0].Results) != len(does) {
				t.Errorf("%d results for %d orders", len(results[0].Results), len(does))
			}
			if t.Failed() {
				t.Log(strings.Join(list, "\n"))
			}
		})
	})
}

// A host shows the entries of a report side by side: there is one for each agent
// from the first report on, also for those that wait for a slot.
func TestEveryReportOfACallHasAnEntryForEachAgent(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, dir, subagent.Options{Concurrency: 1}, func(ctx context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
			if said == "go" {
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "task": "a"}, {"name": "Bob", "task": "b"}, {"name": "Cid", "task": "c"}}})
			}
			if err := passes(ctx, time.Second); err != nil {
				return err
			}
			return reports(d, said)
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.end(t)
		updates := 0
		for _, e := range s.told {
			update, ok := e.(event.ToolUpdate)
			if !ok {
				continue
			}
			updates++
			var got task.Details
			if err := json.Unmarshal(update.PartialResult.Details, &got); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, p := range got.Progress {
				if p.RecentTools == nil || p.RecentOutput == nil || p.Status == "" {
					t.Errorf("%+v", p)
				}
				names = append(names, p.ID)
			}
			if diff := cmp.Diff([]string{"Ann", "Bob", "Cid"}, names); diff != "" {
				t.Error(diff)
			}
		}
		if updates == 0 {
			t.Error("there was no report")
		}
	})
}

func TestAnAgentCannotWorkInAFolderThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, dir, subagent.Options{}, func(_ context.Context, _ string, step int, _ *model.Request, d *model.Draft) error {
			return asks(step, d, object{"tasks": []object{{"task": "a", "cwd": "nowhere"}}})
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.end(t)
		var said string
		for _, e := range s.told {
			if end, ok := e.(event.ToolEnd); ok {
				said = end.Result.Content.Text()
			}
		}
		if list, _ := s.lives(); said != "Not a directory: nowhere" || len(list) > 0 {
			t.Errorf("%q, %v", said, list)
		}
	})
}
