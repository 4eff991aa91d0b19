package scripted

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// ask streams one answer of a model of p and returns it with its deltas.
func ask(ctx context.Context, p *Provider, id string, messages []message.Message, tools ...string) (*message.Assistant, []string, error) {
	m := describe(id, id)
	var deltas []string
	draft := model.NewDraft(m, model.DraftOptions{Emit: func(part event.Part, _ *message.Assistant) {
		if part.Delta != "" {
			deltas = append(deltas, part.Delta)
		}
	}})
	req := &model.Request{Model: m, Messages: messages}
	for _, name := range tools {
		req.Tools = append(req.Tools, model.ToolSpec{Name: name})
	}
	if err := p.Stream(ctx, req, draft); err != nil {
		return draft.Fail(message.StopError, err.Error()), deltas, err
	}
	return draft.Finish(), deltas, nil
}

func says(text string) []message.Message {
	return []message.Message{&message.User{Role: message.RoleUser, Content: message.Blocks{message.NewText(text)}}}
}

func script(t *testing.T, text string) *Provider {
	t.Helper()
	play, err := Parse("turns.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return New(play)
}

func TestATurnStreamsItsStepsInOrder(t *testing.T) {
	p := script(t, `
- usage: {in: 1200, cached: 200, out: 34}
  steps:
  - thinking: hm
  - text: "Hi "
  - text_repeat: ["tök ", 2]
  - tool: bash
    args: {command: "echo ü", timeout: 5}
  - {tool: read, id: mine}
`)
	m, deltas, err := ask(t.Context(), p, Script, says("x"))
	if err != nil {
		t.Fatal(err)
	}
	want := message.Blocks{
		&message.Thinking{Type: "thinking", Thinking: "hm"},
		message.NewText("Hi tök tök "),
		&message.ToolCall{Type: "toolCall", ID: "call_1_1", Name: "bash", Arguments: []byte(`{"command":"echo ü","timeout":5}`)},
		&message.ToolCall{Type: "toolCall", ID: "mine", Name: "read", Arguments: []byte(`{}`)},
	}
	if diff := cmp.Diff(want, m.Content); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"hm", "Hi ", "tök ", "tök ", `{"command":"echo`, ` ü","timeout":5}`, "{", "}"}, deltas); diff != "" {
		t.Error(diff)
	}
	if m.StopReason != message.StopToolUse || m.Usage.Input != 1000 || m.Usage.CacheRead != 200 || m.Usage.Output != 34 || m.Usage.TotalTokens != 1234 {
		t.Errorf("%s %+v", m.StopReason, m.Usage)
	}
}

func TestTurnsAreTakenInOrderByMatchAndOnce(t *testing.T) {
	p := script(t, `[
	{"match": "^weather", "repeat": true, "steps": [{"text": "sunny"}]},
	{"steps": [{"text": "first"}]},
	{"match": "x", "steps": [{"text": "x"}, {"stop": "length"}]}
]`)
	for _, c := range []struct{ asked, want string }{
		{"weather?", "sunny"},
		{"hello", "first"},
		{"weather again", "sunny"},
		{"hello", "(script exhausted)"},
		{"an x", "x"},
		{"an x", "(script exhausted)"},
	} {
		m, _, err := ask(t.Context(), p, Script, says(c.asked))
		if err != nil || m.Content.Join("\n") != c.want {
			t.Errorf("%s: %q, %v", c.asked, m.Content.Join("\n"), err)
		}
		if (c.want == "x") != (m.StopReason == message.StopLength) {
			t.Error(c.want, m.StopReason)
		}
	}
}

func TestStatusesAreMappedAsTheirHTTPAnswersWouldBe(t *testing.T) {
	p := script(t, `
- steps: [{status: 429, headers: {Retry-After: "7"}, body: {error: {message: slow down}}}]
- steps: [{status: 401, body: no}]
- steps: [{status: 529}]
`)
	for _, want := range []model.Error{
		{Class: model.ClassTransient, Status: 429, RetryAfter: 7 * time.Second, Message: "slow down"},
		{Class: model.ClassAuth, Status: 401, Message: "no"},
		{Class: model.ClassTransient, Status: 529, Message: "scripted failure"},
	} {
		_, _, err := ask(t.Context(), p, Script, says("x"))
		got := new(model.Error)
		if !errors.As(err, &got) || got.Class != want.Class || got.Status != want.Status || got.RetryAfter != want.RetryAfter ||
			!strings.Contains(got.Message, want.Message) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestADropKeepsWhatCameBefore(t *testing.T) {
	p := script(t, `[{"steps": [{"text": "half "}, {"drop": true}, {"text": "never"}]}]`)
	m, _, err := ask(t.Context(), p, Script, says("x"))
	failed := new(model.Error)
	if !errors.As(err, &failed) || !failed.Retryable() || m.Content.Join("\n") != "half " {
		t.Error(m.Content, err)
	}
}

func TestDelaysTakeTheirTimeAndHangsHearAnAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script(t, `
- steps: [{delay_ms: 1500}, {text: late}]
- steps: [{hang: true}]
- steps: [{delay_ms: 60000}]
- steps: [{text_repeat: [x, 10000000]}]
`)
		begun := time.Now()
		m, _, err := ask(t.Context(), p, Script, says("x"))
		if err != nil || m.Content.Join("\n") != "late" || time.Since(begun) != 1500*time.Millisecond {
			t.Error(m, err, time.Since(begun))
		}
		cause := errors.New("aborted by the test")
		for range 2 {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(cause) })
			begun = time.Now()
			if _, _, err := ask(ctx, p, Script, says("x")); !errors.Is(err, cause) || time.Since(begun) != time.Second {
				t.Error(err, time.Since(begun))
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if _, deltas, err := ask(ctx, p, Script, says("x")); !errors.Is(err, cause) || len(deltas) > 0 {
			t.Error(err, len(deltas))
		}
	})
}

func TestABadScriptIsRefusedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"- steps:\n  - text: ok\n- steps:\n  - text: ok\n  - txet: no\n", `turns.yml:5: turn 2, step 2, txet: unknown field "txet"`},
		{"- match: ok\n- match: '('\n", "turns.yml:2: turn 2, match: error parsing regexp: missing closing ): `(`"},
		{"- steps:\n  - {text: a, drop: true}\n", "turns.yml:2: turn 1, step 1: has text and drop; a step is only one of them"},
		{"- steps:\n  - {}\n", "turns.yml:2: turn 1, step 1: needs one of text"},
		{"- steps:\n  - text: a\n  - status: 500\n", "turns.yml:3: turn 1, step 2: status can only be the first step"},
		{"- steps:\n  - status: 200\n", "turn 1, step 1: status is between 300 and 599, not 200"},
		{"- steps:\n  - stop: never\n", `turn 1, step 1: stop is stop, length or tool, not "never"`},
		{"- steps:\n  - text_repeat: [x]\n", "turn 1, step 1: text_repeat is [text, how often]"},
		{"- steps:\n  - text_repeat: [x, -1]\n", "turn 1, step 1: text_repeat is [text, how often]"},
		{"- steps:\n  - delay_ms: -1\n", "turn 1, step 1: delay_ms is between 0 and 3600000"},
		{"- steps:\n  - delay_ms: .nan\n", "turn 1, step 1: delay_ms is between 0 and 3600000"},
		{"- steps:\n  - text: x\n    args: {}\n", "turn 1, step 1: args and id belong to a tool"},
		{"- steps:\n  - text: x\n    body: y\n", "turn 1, step 1: body and headers belong to a status"},
		{"- steps:\n  - tool: x\n    args: [1]\n", "turns.yml:3: turn 1, step 1, args: sequence was used where mapping is expected"},
		{"- steps:\n  - tool: x\n    args: {a: .inf}\n", "turn 1, step 1: args cannot be written as JSON"},
		{"- usage: {in: 1, cached: 2}\n", "turns.yml:1: turn 1, usage: counts must not be negative, and cached not more than in"},
		{"steps: []\n", "turns.yml:1: "},
		{"- steps: [\n", "turns.yml:1: sequence end token ']' not found"},
	} {
		_, err := Parse("turns.yml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestReadNamesAMissingScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.yml")
	if _, err := Read(path); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

func TestWithoutAScriptTheScriptModelSaysSo(t *testing.T) {
	if n := len(New(nil).Models()); n != 1 {
		t.Error(n, "models without a script")
	}
	_, _, err := ask(t.Context(), New(nil), Script, says("x"))
	if err == nil || !strings.Contains(err.Error(), "--script") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("- match: a\n  repeat: true\n  usage: {in: 1}\n  steps:\n  - text: x\n  - tool: t\n    args: {a: [1, {b: null}]}\n"))
	f.Add([]byte(`[{"steps":[{"status":500,"body":"x","headers":{"a":"b"}}]},{"steps":[{"text_repeat":["a",3]},{"stop":"tool"}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		play, err := Parse("f", text)
		if err != nil {
			return
		}
		for _, turn := range play.turns {
			for _, s := range turn.steps {
				if s.call != nil && !strings.HasPrefix(s.call.args, "{") || s.delay < 0 || s.count < 0 {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
