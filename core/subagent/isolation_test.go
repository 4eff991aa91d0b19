package subagent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/tool"
)

// put is a tool that writes a file, where its call works.
type put struct{}

func (put) Spec() tool.Spec {
	return tool.Spec{Name: "put", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (put) Run(_ context.Context, call tool.Call) (tool.Output, error) {
	var args struct{ Path, Text string }
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	return tool.TextOutput("written"), os.WriteFile(filepath.Join(call.Dir, args.Path), []byte(args.Text), 0o600)
}

// isolated has two agents write their own names into files of a repository, each
// in a copy of it, and gives the results.
func isolated(t *testing.T, s *stage) []subagent.Result {
	t.Helper()
	s.prompt(t, "go")
	if err := s.top.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	results := s.results(t)[0].Results
	s.top.Stop(t.Context(), errPulled, false)
	<-s.top.Done()
	if !s.team.Rests() {
		t.Error("an agent or a slot is left")
	}
	return results
}

// writes is the part of agents that write their own name into a file, and then
// end as they are told.
func writes(file func(name string) string, end func(d *model.Draft, name string) error) role {
	return func(_ context.Context, said string, step int, _ *model.Request, d *model.Draft) error {
		switch {
		case said == "go":
			return asks(step, d, object{"tasks": []object{
				{"name": "Ann", "task": "Ann", "isolated": true}, {"name": "Bob", "task": "Bob", "isolated": true},
			}})
		case step == 0:
			return calls(d, "put", object{"path": file(said), "text": said + "\n"})
		}
		return end(d, said)
	}
}

func reportsBack(d *model.Draft, name string) error { return reports(d, name+" is done") }

func own(name string) string { return name + ".txt" }

func same(string) string { return "same.txt" }

func TestTheWorkOfIsolatedAgentsComesBack(t *testing.T) {
	repo := subagent.Repository(t)
	results := isolated(t, play(t, repo, subagent.Options{Isolation: "worktree", Env: os.Environ()}, writes(own, reportsBack)))
	for i, name := range []string{"Ann", "Bob"} {
		text, err := os.ReadFile(filepath.Join(repo, name+".txt"))
		if r := results[i]; err != nil || string(text) != name+"\n" || r.ExitCode != 0 || r.PatchPath != "" {
			t.Errorf("%q, %v; %+v", text, err, r)
		}
	}
	subagent.Tidy(t, repo)
}

func TestWorkInTheSamePlaceStaysInAPatch(t *testing.T) {
	repo := subagent.Repository(t)
	results := isolated(t, play(t, repo, subagent.Options{Isolation: "worktree", Env: os.Environ()}, writes(same, reportsBack)))
	text, err := os.ReadFile(filepath.Join(repo, "same.txt"))
	if err != nil {
		t.Fatal(err)
	}
	winner, loser := results[0], results[1]
	if string(text) == "Bob\n" {
		winner, loser = loser, winner
	}
	patch, err := os.ReadFile(loser.PatchPath)
	if winner.PatchPath != "" || err != nil || !strings.Contains(string(patch), "+"+loser.ID+"\n") || filepath.Base(loser.PatchPath) != loser.ID+".patch" {
		t.Errorf("%q, %v; %+v", patch, err, results)
	}
	if shown := loser.Shown(); !strings.Contains(shown, loser.PatchPath) {
		t.Error(shown)
	}
	subagent.Tidy(t, repo)
}

func TestTheWorkOfAnAgentThatFailsIsKeptButNotApplied(t *testing.T) {
	repo := subagent.Repository(t)
	results := isolated(t, play(t, repo, subagent.Options{Isolation: "worktree", Env: os.Environ()}, writes(own, func(d *model.Draft, _ string) error {
		return calls(d, "yield", object{"error": "cannot"})
	})))
	for i, name := range []string{"Ann", "Bob"} {
		patch, err := os.ReadFile(results[i].PatchPath)
		if err != nil || !strings.Contains(string(patch), "+"+name+"\n") || results[i].Error != "cannot" {
			t.Errorf("%q, %v; %+v", patch, err, results[i])
		}
		if shown := results[i].Shown(); !strings.Contains(shown, "is not applied; it is in "+results[i].PatchPath) {
			t.Error(shown)
		}
		if _, err := os.Stat(filepath.Join(repo, name+".txt")); err == nil {
			t.Error("it was applied")
		}
	}
	subagent.Tidy(t, repo)
}

func TestTheWorkOfIsolatedAgentsGoesOnBranches(t *testing.T) {
	for _, commits := range []string{"generic", "ai"} {
		t.Run(commits, func(t *testing.T) {
			repo := subagent.Repository(t)
			results := isolated(t, play(t, repo, subagent.Options{Isolation: "worktree", Merge: "branch", Commits: commits, Env: os.Environ()}, writes(same, func(d *model.Draft, name string) error {
				return calls(d, "yield", object{"report": "done", "commit": "Let " + name + " in\n\nAs was asked."})
			})))
			for i, name := range []string{"Ann", "Bob"} {
				want := map[string]string{"generic": "Work of the agent " + name, "ai": "Let " + name + " in\n\nAs was asked."}[commits]
				if got := subagent.Git(t, repo, "log", "-1", "--format=%B", results[i].BranchName); strings.TrimSpace(got) != want {
					t.Errorf("%q", got)
				}
				if got := subagent.Git(t, repo, "show", results[i].BranchName+":same.txt"); got != name+"\n" {
					t.Errorf("%q", got)
				}
			}
			if _, err := os.Stat(filepath.Join(repo, "same.txt")); err == nil {
				t.Error("it is in the working tree too")
			}
			subagent.Tidy(t, repo)
		})
	}
}

func TestAnIsolatedAgentNeedsARepository(t *testing.T) {
	dir := t.TempDir()
	results := isolated(t, play(t, dir, subagent.Options{Isolation: "worktree", Env: os.Environ()}, writes(own, reportsBack)))
	for _, r := range results {
		if !strings.HasPrefix(r.Error, "Isolated task execution requires a git repository. ") || r.Requests != 0 {
			t.Errorf("%+v", r)
		}
	}
}
