package todo

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/tool"
)

// two is a list to begin with: a and b in One, c in Two.
func two() []tool.Phase {
	return []tool.Phase{
		{Name: "One", Tasks: []tool.Task{{Content: "a", Status: completed}, {Content: "b", Status: inProgress}}},
		{Name: "Two", Tasks: []tool.Task{{Content: "c", Status: pending}}},
	}
}

func TestOpsChangeTheList(t *testing.T) {
	phase := func(name string, pairs ...string) tool.Phase {
		p := tool.Phase{Name: name, Tasks: []tool.Task{}}
		for i := 0; i < len(pairs); i += 2 {
			p.Tasks = append(p.Tasks, tool.Task{Content: pairs[i], Status: pairs[i+1]})
		}
		return p
	}
	tests := []struct {
		op   Op
		want []tool.Phase
	}{
		{Op{Name: "init", List: []Group{{"P", []string{"x", "y"}}, {"Q", nil}}}, []tool.Phase{phase("P", "x", inProgress, "y", pending), phase("Q")}},
		{Op{Name: "init", Items: []string{"x"}}, []tool.Phase{phase("Tasks", "x", inProgress)}},
		{Op{Name: "init", Items: []string{"x"}, Phase: "P"}, []tool.Phase{phase("P", "x", inProgress)}},
		{Op{Name: "init", List: []Group{}}, []tool.Phase{}},
		{Op{Name: "start", Task: "c"}, []tool.Phase{phase("One", "a", completed, "b", pending), phase("Two", "c", inProgress)}},
		{Op{Name: "done", Task: "b"}, []tool.Phase{phase("One", "a", completed, "b", completed), phase("Two", "c", inProgress)}},
		{Op{Name: "done", Phase: "Two"}, []tool.Phase{phase("One", "a", completed, "b", inProgress), phase("Two", "c", completed)}},
		{Op{Name: "done"}, []tool.Phase{phase("One", "a", completed, "b", completed), phase("Two", "c", completed)}},
		{Op{Name: "drop", Task: "a"}, []tool.Phase{phase("One", "a", abandoned, "b", inProgress), phase("Two", "c", pending)}},
		{Op{Name: "drop", Phase: "One"}, []tool.Phase{phase("One", "a", completed, "b", abandoned), phase("Two", "c", inProgress)}},
		{Op{Name: "rm", Task: "c"}, []tool.Phase{phase("One", "a", completed, "b", inProgress)}},
		{Op{Name: "rm", Phase: "One"}, []tool.Phase{phase("Two", "c", inProgress)}},
		{Op{Name: "rm"}, []tool.Phase{}},
		{Op{Name: "append", Phase: "Two", Items: []string{"d"}}, []tool.Phase{phase("One", "a", completed, "b", inProgress), phase("Two", "c", pending, "d", pending)}},
		{Op{Name: "append", Phase: "New", Items: []string{"d"}}, []tool.Phase{phase("One", "a", completed, "b", inProgress), phase("Two", "c", pending), phase("New", "d", pending)}},
		{Op{Name: "view"}, two()},
	}
	for _, tt := range tests {
		got, err := Apply(two(), tt.op)
		if err != nil {
			t.Errorf("%+v: %v", tt.op, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v: %s", tt.op, diff)
		}
	}
}

func TestFaultsAreNamedAndChangeNothing(t *testing.T) {
	for _, tt := range []struct {
		op   Op
		want string
	}{
		{Op{Name: "init"}, "Missing list for init operation"},
		{Op{Name: "init", List: []Group{{"P", []string{"x"}}, {"P", []string{"x", ""}}}}, `Duplicate phase "P" in init list; Duplicate task "x" in init list; Missing task content`},
		{Op{Name: "init", List: []Group{{" ", nil}}}, "Missing phase name"},
		{Op{Name: "start"}, "Missing task content"},
		{Op{Name: "start", Task: "zz"}, `Task "zz" not found`},
		{Op{Name: "done", Phase: "zz"}, `Phase "zz" not found`},
		{Op{Name: "rm", Task: "zz"}, `Task "zz" not found`},
		{Op{Name: "append", Items: []string{"x"}}, "Missing phase name for append operation"},
		{Op{Name: "append", Phase: "One"}, "Missing items for append operation"},
		{Op{Name: "append", Phase: "One", Items: []string{"c", "n", "n"}}, `Task "c" already exists; Task "n" already exists`},
		{Op{Name: "dance"}, `Unknown operation "dance"`},
	} {
		before := two()
		_, err := Apply(before, tt.op)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v, want %s", tt.op, err, tt.want)
		}
		if diff := cmp.Diff(two(), before); diff != "" {
			t.Errorf("%+v changed its input: %s", tt.op, diff)
		}
	}
}

func TestWhateverIsAskedTheListStaysSound(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "é\n"})
	op := rapid.Custom(func(t *rapid.T) Op {
		return Op{
			Name: rapid.SampledFrom([]string{"init", "start", "done", "rm", "drop", "append", "view"}).Draw(t, "op"),
			Task: word.Draw(t, "task"), Phase: word.Draw(t, "phase"), Items: rapid.SliceOfN(word, 0, 3).Draw(t, "items"),
			List: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Group {
				return Group{word.Draw(t, "phase"), rapid.SliceOfN(word, 0, 3).Draw(t, "items")}
			}), 0, 3).Draw(t, "list"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var phases []tool.Phase
		for _, o := range rapid.SliceOfN(op, 1, 12).Draw(t, "ops") {
			next, err := Apply(phases, o)
			if err != nil {
				continue
			}
			phases = next
			current, open, seen := 0, 0, map[string]bool{}
			for task := range tasks(phases) {
				if task.Status == inProgress {
					current++
				}
				if task.Status == pending {
					open++
				}
				if seen[task.Content] || task.Content == "" {
					t.Fatalf("%q is there twice or empty", task.Content)
				}
				seen[task.Content] = true
			}
			if current > 1 || current == 0 && open > 0 {
				t.Fatalf("%d in progress, %d pending", current, open)
			}
		}
	})
}

// board is a session that has a list.
type board struct{ phases []tool.Phase }

func (b *board) Todos() []tool.Phase                     { return b.phases }
func (b *board) SetTodos(phases []tool.Phase)            { b.phases = phases }
func (b *board) SaveArtifact(string, []byte) (int, bool) { return 0, false }

func TestRunStoresTheListAndReportsIt(t *testing.T) {
	session := &board{}
	call := func(args string) tool.Output {
		t.Helper()
		out, err := New(Options{}).Run(t.Context(), tool.Call{Args: json.RawMessage(args), Session: session})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	steps := []struct {
		args, text, details string
		failed              bool
	}{
		{`{"op":"view"}`, "Todo list is empty.", `{"op":"view","phases":[],"storage":"session"}`, false},
		{
			`{"op":"init","list":[{"phase":"P","items":["x","y"]}]}`, "Todo list, 0 of 2 done:\nP\n  [>] x\n  [ ] y",
			`{"op":"init","phases":[{"name":"P","tasks":[{"content":"x","status":"in_progress"},{"content":"y","status":"pending"}]}],"storage":"session"}`, false,
		},
		{
			`{"op":"done","task":"z"}`, `Errors: Task "z" not found`,
			`{"op":"done","phases":[{"name":"P","tasks":[{"content":"x","status":"in_progress"},{"content":"y","status":"pending"}]}],"storage":"session"}`, true,
		},
		{`{"op":"rm"}`, "Todo list cleared.", `{"op":"rm","phases":[],"storage":"session"}`, false},
	}
	for _, step := range steps {
		out := call(step.args)
		if out.Content.Text() != step.text || out.IsError != step.failed {
			t.Errorf("%s: %q, failed %v", step.args, out.Content.Text(), out.IsError)
		}
		if diff := cmp.Diff(step.details, string(out.Details)); diff != "" {
			t.Errorf("%s: %s", step.args, diff)
		}
	}
	if len(session.phases) != 0 {
		t.Errorf("the session has %v", session.phases)
	}
}

func TestTheModelIsPushedAsTheSettingSays(t *testing.T) {
	plain := New(Options{Eager: "default"}).Spec().Description
	for eager, want := range map[string]string{"preferred": "Begin work of several steps with a list.", "always": "Begin all work with a list"} {
		if got := New(Options{Eager: eager}).Spec().Description; !strings.HasPrefix(got, plain) || !strings.Contains(got[len(plain):], want) {
			t.Errorf("%s: %q", eager, got)
		}
	}
}
