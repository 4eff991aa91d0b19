package compaction

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
)

// history draws a conversation as crashes, branches, aborts and odd providers
// leave it: parallel calls, results lost, doubled, late or without a call, other
// messages between a call and its result, ids used again.
func history(t *rapid.T) []message.Message {
	var out []message.Message
	ids := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
	size := rapid.SampledFrom([]int{1, 40, 400, 4000, 90_000})
	text := func() *message.Text { return message.NewText(strings.Repeat("w ", size.Draw(t, "size")/2+1)) }
	if rapid.Bool().Draw(t, "compacted") {
		out = append(out, &message.CompactionSummary{Role: message.RoleCompactionSummary, Summary: "before"})
	}
	for range rapid.IntRange(0, 30).Draw(t, "length") {
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0, 1:
			out = append(out, &message.User{Role: message.RoleUser, Content: message.Blocks{text(), message.NewImage("AAAA", "image/png")}})
		case 2, 3, 4:
			a := &message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{text()}}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				a.Content = append(a.Content, &message.ToolCall{Type: "toolCall", ID: ids.Draw(t, "id"), Name: "t", Arguments: json.RawMessage("{}")})
			}
			out = append(out, a)
		case 5, 6:
			out = append(out, &message.ToolResult{
				Role: message.RoleToolResult, ToolCallID: ids.Draw(t, "id"), Content: message.Blocks{text()}, Useless: rapid.Bool().Draw(t, "useless"),
			})
		case 7:
			out = append(out, &message.Custom{Role: message.RoleCustom, CustomType: "note", Content: message.Blocks{text()}})
		case 8:
			out = append(out, &message.BashExecution{Role: message.RoleBashExecution, Command: "x", Output: text().Text})
		}
	}
	return out
}

func TestACutKeepsASuffixAndPartsNoCallFromItsResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		context := history(t)
		keep := rapid.IntRange(1, 60_000).Draw(t, "keep")
		p, ok := Make(context, keep, nil)
		if !ok {
			return
		}
		if p.Cut <= 0 || p.Cut >= len(context) || cmp.Diff(context[p.Cut:], p.Kept) != "" {
			t.Fatalf("cut at %d of %d keeps %d messages", p.Cut, len(context), len(p.Kept))
		}
		begin := 0
		if p.Previous != "" {
			begin = 1
		}
		if diff := cmp.Diff(context[begin:p.Cut], p.Removed()); diff != "" {
			t.Fatal(diff)
		}
		if Total(p.Removed()) < minRemoved {
			t.Fatalf("a summary of %d tokens", Total(p.Removed()))
		}
		if !cuttable(p.Kept[0]) {
			t.Fatalf("the kept part begins with a %s", p.Kept[0].Speaker())
		}
		calls := map[string]bool{} // ids whose nearest call before stands in what was removed
		for _, m := range context[:p.Cut] {
			if a, is := m.(*message.Assistant); is {
				for _, call := range a.Content.ToolCalls() {
					calls[call.ID] = true
				}
			}
		}
		for i, m := range p.Kept {
			switch m := m.(type) {
			case *message.Assistant:
				for _, call := range m.Content.ToolCalls() {
					delete(calls, call.ID)
				}
			case *message.ToolResult:
				if calls[m.ToolCallID] {
					t.Fatalf("kept message %d is the result of a call that was removed", i)
				}
			}
		}
	})
}

func TestCompactingOverAndOverTakesTokensAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		context := history(t)
		keep := rapid.IntRange(1, 5_000).Draw(t, "keep")
		for range 4 {
			p, ok := Make(context, keep, nil)
			if !ok {
				return
			}
			summary := Join("short", "", Files{})
			next := append([]message.Message{&message.CompactionSummary{Role: message.RoleCompactionSummary, Summary: summary}}, p.Kept...)
			if before, after := Total(context), Total(next); after >= before {
				t.Fatalf("%d tokens became %d", before, after)
			}
			context = append(next, history(t)...)
			for i := 1; i < len(context); i++ { // only one summary stands in a context, at its beginning
				if _, is := context[i].(*message.CompactionSummary); is {
					context = append(context[:i:i], context[i+1:]...)
				}
			}
		}
	})
}

func user(n int, tokens int) message.Message {
	text := fmt.Sprintf("question %d ", n)
	return message.NewUser(text+strings.Repeat("x", max(0, tokens*bytesPerToken-len(text))), nil)
}

func answer(tokens int, calls ...string) message.Message {
	a := &message.Assistant{Role: message.RoleAssistant, StopReason: message.StopStop, Content: message.Blocks{message.NewText(strings.Repeat("y", tokens*bytesPerToken))}}
	for _, id := range calls {
		a.Content = append(a.Content, &message.ToolCall{Type: "toolCall", ID: id, Name: "read", Arguments: json.RawMessage(`{"path":"` + id + `"}`)})
	}
	return a
}

func result(id string, tokens int) message.Message {
	return &message.ToolResult{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read", Content: message.Blocks{message.NewText(strings.Repeat("z", tokens*bytesPerToken))}}
}

func TestTheCutStandsWhereTheKeptPartBegins(t *testing.T) {
	old := []message.Message{user(1, 1000), answer(1000)}
	with := func(more ...message.Message) []message.Message { return append(old[:2:2], more...) }
	for name, c := range map[string]struct {
		context []message.Message
		keep    int
		cut     int // -1: nothing to compact
		prefix  int // messages of a turn that is cut
	}{
		"nothing":                      {nil, 100, -1, 0},
		"small":                        {with(user(2, 10)), 20_000, -1, 0},
		"a turn is kept whole":         {with(user(2, 100), answer(100)), 150, 2, 0},
		"a turn is cut":                {with(user(2, 5000), answer(100)), 50, 3, 1},
		"between two calls":            {with(user(2, 500), answer(10, "a"), result("a", 500), answer(10, "b"), result("b", 500)), 400, 5, 3},
		"never at a result":            {with(user(2, 500), answer(10, "a"), result("a", 9000)), 400, 3, 1},
		"nor between parallel results": {with(user(2, 500), answer(10, "a", "b"), result("b", 50), result("a", 9000)), 400, 3, 1},
		"nor before a late result":     {with(user(2, 500), answer(10, "a"), user(3, 10), result("a", 9000)), 400, 3, 1},
		"a result without its call":    {with(result("gone", 500), user(2, 300)), 200, 3, 0},
		"one huge message first":       {[]message.Message{user(1, 90_000), answer(10), user(2, 10)}, 20_000, 1, 1},
		"one huge result alone":        {[]message.Message{user(1, 10), answer(10, "a"), result("a", 90_000)}, 20_000, -1, 0},
	} {
		p, ok := Make(c.context, c.keep, nil)
		if ok != (c.cut >= 0) || ok && (p.Cut != c.cut || len(p.Prefix) != c.prefix) {
			t.Errorf("%s: cut at %d with a prefix of %d (%v), want %d and %d", name, p.Cut, len(p.Prefix), ok, c.cut, c.prefix)
		}
	}
}

func TestTheCallerSaysWhereItCannotCut(t *testing.T) {
	context := []message.Message{user(1, 1000), answer(1000), user(2, 1000), answer(1000), user(3, 1000)}
	p, ok := Make(context, 1500, func(m message.Message) bool { return m != context[3] })
	if !ok || p.Cut != 4 {
		t.Errorf("cut at %d, %v", p.Cut, ok)
	}
}

func TestTheNextSummaryIsAskedForWithThePreviousOne(t *testing.T) {
	files := Files{Read: []string{"a.go"}, Modified: []string{"b.go"}}
	context := []message.Message{&message.CompactionSummary{Summary: Join("the first", "", files)}, user(1, 1000), answer(1000), user(2, 1000)}
	p, ok := Make(context, 500, nil)
	if !ok || p.Previous != "the first" {
		t.Fatalf("previous %q, %v", p.Previous, ok)
	}
	r := p.Summary(Wishes{Focus: "the ostrich", Todos: []string{"feed it"}}, Room{Reserve: 1000})
	for _, want := range []string{"<previous-summary>\nthe first\n</previous-summary>", "question 1", "Additional focus: the ostrich", "- feed it"} {
		if !strings.Contains(r.Prompt, want) {
			t.Errorf("the request lacks %q", want)
		}
	}
	if strings.Contains(r.Prompt, "question 2") || r.MaxTokens != 800 {
		t.Errorf("the request holds what is kept, or allows %d tokens", r.MaxTokens)
	}
}

func TestFilesAreListedAtTheEndAndCarriedOn(t *testing.T) {
	first := Touched(nil, []message.Message{answer(1, "x.go", "y.go"), &message.Assistant{Content: message.Blocks{
		&message.ToolCall{Name: "edit", Arguments: json.RawMessage(`{"path":"y.go"}`)},
		&message.ToolCall{Name: "bash", Arguments: json.RawMessage(`{"path":"no"}`)},
		&message.ToolCall{Name: "read", Arguments: json.RawMessage(`[]`)},
	}}})
	second := Touched(first.Details(), []message.Message{answer(1, "z.go", "x.go")})
	if diff := cmp.Diff(Files{Read: []string{"z.go", "x.go"}, Modified: []string{"y.go"}}, second); diff != "" {
		t.Error(diff)
	}
	const want = "H\n\n---\n\n**Turn Context (split turn):**\n\nP\n\n<read-files>\nz.go\nx.go\n</read-files>\n\n<modified-files>\ny.go\n</modified-files>"
	if diff := cmp.Diff(want, Join(" H\n", "P", second)); diff != "" {
		t.Error(diff)
	}
	if got := Join("", "P", Files{}); got != "**Turn Context (split turn):**\n\nP" {
		t.Errorf("a turn alone: %q", got)
	}
	if got := withoutFiles(want); got != "H\n\n---\n\n**Turn Context (split turn):**\n\nP" {
		t.Errorf("without its files: %q", got)
	}
	if diff := cmp.Diff(Files{Read: []string{}, Modified: []string{}}, Touched(json.RawMessage(`"foreign"`), nil)); diff != "" {
		t.Error(diff)
	}
}

func TestAShortSummaryIsItsFirstSentence(t *testing.T) {
	for summary, want := range map[string]string{
		"## Goal\n\n- Build the *thing*\n": "Build the *thing*",
		"":                                 "",
		"## Goal\n":                        "",
		"---\n\n" + splitTurn + "It was.":  "It was.",
		strings.Repeat("ö", 300):           strings.Repeat("ö", shortRunes-1) + "…",
	} {
		if got := Short(summary); got != want {
			t.Errorf("%.20q: %q", summary, got)
		}
	}
}
