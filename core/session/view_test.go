package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
)

// history draws a conversation as crashes, branches and odd providers leave it:
// results lost, doubled, early, late, or without a call.
func history(t *rapid.T) []message.Message {
	var out []message.Message
	ids := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	for range rapid.IntRange(0, 20).Draw(t, "length") {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			out = append(out, message.NewUser("hi", nil))
		case 1:
			a := &message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{}}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				a.Content = append(a.Content, &message.ToolCall{Type: "toolCall", ID: ids.Draw(t, "id"), Name: "t", Arguments: json.RawMessage("{}")})
			}
			out = append(out, a)
		case 2, 3:
			out = append(out, &message.ToolResult{Role: message.RoleToolResult, ToolCallID: ids.Draw(t, "id"), Content: message.Blocks{message.NewText("r")}})
		case 4:
			out = append(out, &message.BashExecution{Role: message.RoleBashExecution, Command: "x"})
		}
	}
	return out
}

// unpaired says what is wrong with a request; "" is right.
func unpaired(messages []message.Message) string {
	var open []*message.ToolCall
	for i, m := range messages {
		if r, ok := m.(*message.ToolResult); ok {
			if len(open) == 0 || open[0].ID != r.ToolCallID {
				return fmt.Sprintf("message %d: a result of %q where %d calls are open", i, r.ToolCallID, len(open))
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("message %d: a %s before the result of %q", i, m.Speaker(), open[0].ID)
		}
		if a, ok := m.(*message.Assistant); ok {
			open = a.Content.ToolCalls()
		}
	}
	if len(open) > 0 {
		return "calls without a result at the end"
	}
	return ""
}

func TestEveryRequestPairsEachCallWithOneResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if wrong := unpaired(view(history(t))); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

func TestViewKeepsRealResultsInTheirPlace(t *testing.T) {
	call := func(ids ...string) *message.Assistant {
		a := &message.Assistant{Role: message.RoleAssistant}
		for _, id := range ids {
			a.Content = append(a.Content, &message.ToolCall{Type: "toolCall", ID: id, Name: "t"})
		}
		return a
	}
	result := func(id, text string) *message.ToolResult {
		return &message.ToolResult{Role: message.RoleToolResult, ToolCallID: id, Content: message.Blocks{message.NewText(text)}}
	}
	got := view([]message.Message{
		result("x", "orphan"),
		call("x", "y"), result("y", "second"), message.NewUser("in between", nil), result("x", "first"), result("x", "twice"),
		call("z"),
		call("x"), result("x", "again"),
	})
	var texts []string
	for _, m := range got {
		if r, ok := m.(*message.ToolResult); ok {
			texts = append(texts, r.Content.Text())
		}
	}
	want := []string{"first", "second", lostText, "again"}
	if fmt.Sprint(texts) != fmt.Sprint(want) {
		t.Errorf("results %q, want %q", texts, want)
	}
}

// BenchmarkView makes the request of a conversation of 4,000 messages.
func BenchmarkView(b *testing.B) {
	var messages []message.Message
	for i := range 1000 {
		call := &message.ToolCall{Type: "toolCall", ID: fmt.Sprint(i), Name: "t", Arguments: json.RawMessage("{}")}
		messages = append(messages, message.NewUser("go", nil),
			&message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{message.NewText("a"), call}},
			&message.ToolResult{Role: message.RoleToolResult, ToolCallID: call.ID, Content: message.Blocks{message.NewText("r")}},
			&message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{message.NewText("b")}})
	}
	for b.Loop() {
		view(messages)
	}
}

// A session is loaded in whatever state its file is in, and then grows by turns
// whose calls all have their results.
func TestTheViewOfAGrowingConversationIsThatOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages, kept := history(t), &seen{}
		for turn := range rapid.IntRange(1, 8).Draw(t, "turns") {
			if got, want := kept.of(messages), view(messages); len(got)+len(want) > 0 && !cmp.Equal(got, want) {
				t.Fatal(cmp.Diff(want, got))
			}
			if rapid.IntRange(0, 5).Draw(t, "rewritten") == 0 && len(messages) > 0 {
				messages = slices.Clone(messages[rapid.IntRange(0, len(messages)-1).Draw(t, "from"):])
			}
			messages = append(messages, message.NewUser("next", nil))
			answer := &message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{message.NewText("x")}}
			var results []message.Message
			for n := range rapid.IntRange(0, 3).Draw(t, "calls") {
				id := fmt.Sprintf("live %d %d", turn, n)
				answer.Content = append(answer.Content, &message.ToolCall{Type: "toolCall", ID: id, Name: "t", Arguments: json.RawMessage("{}")})
				results = append(results, &message.ToolResult{Role: message.RoleToolResult, ToolCallID: id, Content: message.Blocks{message.NewText("r")}})
			}
			messages = append(append(messages, answer), results...)
		}
	})
}
