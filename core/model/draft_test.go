package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
)

// newDraft notes each step as a line.
func newDraft(full bool) (*Draft, *[]string) {
	var steps []string
	n := 0
	draft := NewDraft(&Model{ID: "m", Provider: "p", API: "a"}, DraftOptions{
		Full:   full,
		CallID: func(id string) string { n++; return fmt.Sprintf("%s#%d", id, n) },
		Emit: func(part event.Part, m *message.Assistant) {
			line := fmt.Sprintf("%d %s", part.ContentIndex, part.Kind)
			switch {
			case part.Delta != "":
				line += " " + part.Delta
			case part.Content != "":
				line += " =" + part.Content
			case part.Call != nil:
				line += " =" + part.Call.ID + string(part.Call.Arguments)
			}
			if full {
				line += fmt.Sprintf(" | %d %s", len(m.Content), m.Content.Text())
			}
			steps = append(steps, line)
		},
	})
	return draft, &steps
}

func TestADraftOpensAndClosesBlocks(t *testing.T) {
	draft, steps := newDraft(false)
	draft.Thinking("hm")
	draft.Thinking("")
	draft.Thinking("m")
	draft.ThinkingSignature("sig", "rs_1")
	draft.Text("Hel")
	draft.Text("lo")
	draft.TextSignature("msg_1")
	draft.CallStart("a", "read")
	draft.CallArguments(`{"p":`)
	draft.CallArguments(`1}`)
	draft.CallSignature("call-sig")
	draft.CallStart("a", "ls")
	draft.Text("after")
	got := draft.Finish()

	want := []string{
		"0 thinking_start", "0 thinking_delta hm", "0 thinking_delta m", "0 thinking_end =hmm",
		"1 text_start", "1 text_delta Hel", "1 text_delta lo", "1 text_end =Hello",
		"2 toolcall_start", `2 toolcall_delta {"p":`, "2 toolcall_delta 1}", `2 toolcall_end =a#1{"p":1}`,
		"3 toolcall_start", "3 toolcall_end =a#2{}",
		"4 text_start", "4 text_delta after", "4 text_end =after",
	}
	if diff := cmp.Diff(want, *steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	wantMessage := &message.Assistant{
		Role: message.RoleAssistant, API: "a", Provider: "p", Model: "m", StopReason: message.StopToolUse, Timestamp: got.Timestamp,
		Content: message.Blocks{
			&message.Thinking{Type: "thinking", Thinking: "hmm", Signature: "sig", ItemID: "rs_1"},
			&message.Text{Type: "text", Text: "Hello", Signature: "msg_1"},
			&message.ToolCall{Type: "toolCall", ID: "a#1", Name: "read", Arguments: []byte(`{"p":1}`), ThoughtSignature: "call-sig"},
			&message.ToolCall{Type: "toolCall", ID: "a#2", Name: "ls", Arguments: []byte(`{}`)},
			message.NewText("after"),
		},
	}
	if diff := cmp.Diff(wantMessage, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func TestAFailedDraftKeepsAllButTheCutCall(t *testing.T) {
	draft, _ := newDraft(false)
	draft.Text("Writing.")
	draft.CallStart("a", "ls")
	draft.CloseBlock()
	draft.CallStart("b", "write")
	draft.CallArguments(`{"content":"ha`)
	got := draft.Fail(message.StopAborted, "Request was aborted")
	if len(got.Content) != 2 || got.Content.ToolCalls()[0].Name != "ls" {
		t.Errorf("content %+v", got.Content)
	}
	if got.StopReason != message.StopAborted || got.ErrorMessage != "Request was aborted" || got.StopDetails == nil ||
		got.StopDetails.Type != "stream_interrupted_after_content" {
		t.Errorf("message %+v", got)
	}
}

func TestAFailureBeforeTheFirstWordHasEmptyContent(t *testing.T) {
	draft, _ := newDraft(false)
	got := draft.Fail(message.StopError, "no")
	if got.Content == nil || len(got.Content) != 0 || got.StopDetails != nil {
		t.Errorf("message %+v", got)
	}
}

func TestFullStepsCarryTheAnswerSoFar(t *testing.T) {
	draft, steps := newDraft(true)
	draft.Text("a")
	draft.Text("b")
	draft.CallStart("x", "ls")
	draft.Finish()
	want := []string{
		"0 text_start | 1 ", "0 text_delta a | 1 a", "0 text_delta b | 1 ab", "0 text_end =ab | 1 ab",
		"1 toolcall_start | 2 ab", "1 toolcall_end =x#1{} | 2 ab",
	}
	if diff := cmp.Diff(want, *steps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLightStepsShareOneEmptyMessage(t *testing.T) {
	var seen []*message.Assistant
	draft := NewDraft(&Model{}, DraftOptions{Emit: func(_ event.Part, m *message.Assistant) { seen = append(seen, m) }})
	draft.Text("a")
	draft.Text("b")
	draft.Finish()
	for _, m := range seen {
		if m != draft.Light() || m.Content == nil || len(m.Content) != 0 {
			t.Errorf("a step came with %+v", m)
		}
	}
}

func TestCostsAreWorkedOut(t *testing.T) {
	draft, _ := newDraft(false)
	draft.Usage(message.Usage{Input: 1000, Output: 100, CacheRead: 10000, CacheWrite: 2000}, Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75})
	u := draft.Finish().Usage
	if u.TotalTokens != 13100 || fmt.Sprintf("%.6f", u.Cost.Total) != "0.015000" {
		t.Errorf("usage %+v", u)
	}
}

func TestArgumentsThatAreNoObjectSaySo(t *testing.T) {
	for text, fine := range map[string]bool{
		"": true, " \n": true, "{}": true, ` {"a":1} `: true, `{"a":"` + "\xff" + `"}`: true,
		"null": false, "[]": false, `"x"`: false, "{": false, `{"a":1}{"b":2}`: false,
	} {
		got := string(arguments(text))
		if strings.Contains(got, ParseErrorKey) == fine {
			t.Errorf("%q became %s", text, got)
		}
	}
}

func TestOnlyAModelThatSaidNothingIsHollow(t *testing.T) {
	for name, c := range map[string]struct {
		draw func(*Draft)
		want bool
	}{
		"nothing":       {func(*Draft) {}, true},
		"text":          {func(d *Draft) { d.Text("a") }, false},
		"tokens":        {func(d *Draft) { d.Usage(message.Usage{Output: 1}, Price{}) }, false},
		"cut":           {func(d *Draft) { d.Stop(message.StopLength) }, false},
		"paused":        {func(d *Draft) { d.StopDetails(&message.StopDetails{Type: "pause_turn"}) }, false},
		"sealed alone":  {func(d *Draft) { d.RedactedThinking("x") }, false},
		"only an input": {func(d *Draft) { d.Usage(message.Usage{Input: 5}, Price{}) }, true},
	} {
		draft, _ := newDraft(false)
		c.draw(draft)
		if draft.Hollow() != c.want {
			t.Errorf("%s: hollow is %v", name, draft.Hollow())
		}
	}
}
