package subagent_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// deaf is a tool that takes a minute, whatever it is told.
type deaf struct{}

func (deaf) Spec() tool.Spec {
	return tool.Spec{Name: "deaf", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (deaf) Run(context.Context, tool.Call) (tool.Output, error) {
	<-time.After(time.Minute)
	return tool.TextOutput("late"), nil
}

func TestAnAgentWithADeafToolEndsBeforeItsCallIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := playWith(t, dir, transcript.Options{Dir: dir, CWD: dir}, subagent.Options{Concurrency: 1}, func(_ context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
			switch {
			case said == "go":
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "task": "nest"}, {"name": "Bob", "task": "deaf"}}})
			case said == "nest" && step == 0:
				return calls(d, "task", object{"tasks": []object{{"name": "In", "task": "deaf"}}})
			}
			return calls(d, "deaf", object{})
		}, deaf{})
		s.prompt(t, "go")
		time.Sleep(time.Second)
		began := time.Now()
		if _, err := s.top.Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the abort took %v", took)
		}
		list, wrong := s.lives()
		if len(list) != 6 || len(wrong) > 0 {
			t.Error(list, wrong)
		}
		if got := s.results(t)[0].Results; len(got) != 2 || !got[0].Aborted || !got[1].Aborted {
			t.Errorf("%+v", got)
		}
		time.Sleep(2 * time.Minute)
		s.end(t)
	})
}

func TestAgentsOfASessionInMemoryLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		s := playWith(t, dir, transcript.Options{CWD: dir}, subagent.Options{}, func(_ context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
			switch {
			case said == "go":
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "task": "nest"}}})
			case said == "nest" && step == 0:
				return calls(d, "task", object{"tasks": []object{{"name": "In", "task": "look"}}})
			}
			return reports(d, said)
		})
		s.prompt(t, "go")
		if err := s.top.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.team.Transcript(s.top, "Ann", ""); ok {
			t.Error("there is a transcript")
		}
		if got := s.results(t)[0].Results[0]; got.Output != "nest" || got.OutputPath != "" {
			t.Errorf("%+v", got)
		}
		if list, wrong := s.lives(); len(list) != 4 || len(wrong) > 0 {
			t.Error(list, wrong)
		}
		s.end(t)
	})
	for _, folder := range []string{dir, os.Getenv("TMPDIR")} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

func TestTheLevelCanBeChangedWhileAgentsRun(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, dir, subagent.Options{}, func(ctx context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
			if said == "go" {
				return asks(step, d, object{"tasks": []object{{"name": "Ann", "task": "look"}}})
			}
			if err := passes(ctx, time.Second); err != nil {
				return err
			}
			if step < 20 {
				return calls(d, "read", object{"step": step})
			}
			return reports(d, "done")
		})
		s.prompt(t, "go")
		heard := func() map[string]int {
			time.Sleep(5*time.Second + 500*time.Millisecond)
			s.mu.Lock()
			defer s.mu.Unlock()
			kinds := map[string]int{}
			for _, e := range s.told {
				switch e.(type) {
				case event.SubagentLifecycle, event.SubagentProgress, event.SubagentEvent:
					kinds[e.Name()] = 1
				}
			}
			s.told = nil
			return kinds
		}
		var got []map[string]int
		for _, level := range []subagent.Level{subagent.LevelProgress, subagent.LevelOff, subagent.LevelEvents, subagent.LevelProgress} {
			s.team.Subscribe(level)
			got = append(got, heard())
		}
		want := []map[string]int{
			{"subagent_lifecycle": 1, "subagent_progress": 1}, {}, {"subagent_progress": 1, "subagent_event": 1}, {"subagent_lifecycle": 1, "subagent_progress": 1},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		s.end(t)
	})
}
