package compaction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
)

// contents are the texts of the tool results, long ones by their size.
func contents(context []message.Message) []string {
	var out []string
	for _, m := range context {
		if r, ok := m.(*message.ToolResult); ok {
			text := r.Content.Text()
			if len(text) > 100 {
				text = fmt.Sprintf("%d tokens", Tokens(r))
			}
			out = append(out, text)
		}
	}
	return out
}

func useless(id string, tokens int) message.Message {
	r := *result(id, tokens).(*message.ToolResult)
	r.Useless = true
	return &r
}

func again(id, path string) message.Message {
	a := *answer(1, id).(*message.Assistant)
	call := *a.Content.ToolCalls()[0]
	call.Arguments = []byte(`{"path":"` + path + `"}`)
	a.Content = message.Blocks{&call}
	return &a
}

func TestPruningTakesOutWhatSaysNothingAnyMore(t *testing.T) {
	context := []message.Message{
		user(1, 10),
		again("1", "a.go"), result("1", 300),
		again("2", "b.go"), result("2", 300),
		again("3", "a.go"), result("3", 400),
		answer(1, "4"), useless("4", 200),
		answer(1, "5"), useless("5", 10),
	}
	before := cmp.Diff(nil, contents(context))
	pruned, saved := Prune(context, Pruning{SupersedeReads: true, DropUseless: true, At: 7})
	if diff := cmp.Diff([]string{supersededText, "300 tokens", "400 tokens", uselessText, strings.Repeat("z", 40)}, contents(pruned)); diff != "" {
		t.Error(diff)
	}
	if saved < 450 || saved > 500 || pruned[2].(*message.ToolResult).PrunedAt != 7 {
		t.Errorf("saved %d", saved)
	}
	if cmp.Diff(nil, contents(context)) != before {
		t.Error("the messages themselves were changed")
	}
	if _, saved := Prune(context, Pruning{}); saved != 0 {
		t.Errorf("saved %d though nothing may be pruned", saved)
	}
	if _, saved := Prune(pruned, Pruning{SupersedeReads: true, DropUseless: true}); saved != 0 {
		t.Errorf("saved %d the second time", saved)
	}
}

func TestOldOutputIsTruncatedOnlyWhenThatSavesMuch(t *testing.T) {
	context := []message.Message{user(1, 10), answer(1, "old", "small"), result("old", 25_000), result("small", 20)}
	for n := range 5 {
		id := fmt.Sprint("new", n)
		context = append(context, answer(1, id), result(id, 9_000))
	}
	pruned, saved := Prune(context, Pruning{})
	want := []string{"[Output truncated - 25000 tokens]", strings.Repeat("z", 80), "9000 tokens", "9000 tokens", "9000 tokens", "9000 tokens", "9000 tokens"}
	if diff := cmp.Diff(want, contents(pruned)); diff != "" || saved < 24_000 {
		t.Error(diff, saved)
	}
	context[2] = result("old", 15_000)
	if _, saved := Prune(context, Pruning{}); saved != 0 {
		t.Errorf("saved %d", saved)
	}
}

func TestAHugeResultIsShortenedToTheBudget(t *testing.T) {
	context := []message.Message{user(1, 10), answer(1, "a", "b", "c"), result("a", 100_000), result("b", 60_000), result("c", 500)}
	shrunk, saved := Shrink(context, 20_000, 7)
	if total := Total(shrunk); total > 20_500 || total < 10_000 || Total(context)-total != saved {
		t.Errorf("%d tokens left, %d saved", total, saved)
	}
	if got := contents(shrunk); got[2] != "500 tokens" {
		t.Errorf("results: %v", got)
	}
	if _, saved := Shrink(shrunk, 30_000, 7); saved != 0 {
		t.Errorf("saved %d though there was room", saved)
	}
}

func TestShrinkingAndPruningChangeNothingButResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		context := history(t)
		pruned, saved := Prune(context, Pruning{SupersedeReads: true, DropUseless: true})
		shrunk, more := Shrink(pruned, rapid.IntRange(0, 10_000).Draw(t, "budget"), 0)
		if len(shrunk) != len(context) || Total(context)-Total(shrunk) != saved+more || saved < 0 || more < 0 {
			t.Fatalf("%d messages became %d, %d and %d tokens saved", len(context), len(shrunk), saved, more)
		}
		for i, m := range shrunk {
			before, isResult := context[i].(*message.ToolResult)
			if !isResult {
				if m != context[i] {
					t.Fatalf("message %d was replaced", i)
				}
				continue
			}
			if m.(*message.ToolResult).ToolCallID != before.ToolCallID {
				t.Fatalf("result %d belongs to another call", i)
			}
		}
	})
}
