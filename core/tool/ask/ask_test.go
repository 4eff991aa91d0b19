package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/tool"
)

// person answers dialogs from a list, and waits for ever when it is used up.
type person struct {
	answers []string // "" cancels
	shown   []string
}

func (p *person) Ask(ctx context.Context, d host.Dialog) (host.Answer, error) {
	var timeout <-chan time.Time
	switch d := d.(type) {
	case host.Select:
		p.shown = append(p.shown, d.Title+" | "+strings.Join(d.Options, " | "))
		if d.Timeout > 0 {
			timeout = time.After(d.Timeout)
		}
	case host.Editor:
		p.shown = append(p.shown, fmt.Sprintf("edit %s %q", d.Title, d.Prefill))
	}
	if len(p.answers) == 0 {
		select {
		case <-ctx.Done():
			return host.Answer{}, context.Cause(ctx)
		case <-timeout:
			return host.Answer{TimedOut: true}, nil
		}
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	return host.Answer{Value: answer, Given: answer != ""}, nil
}

func (p *person) Show(host.Notice) error { return nil }

const (
	single = `{"questions":[{"id":"q","question":"Which?","options":[{"label":"A"},{"label":"B"}],"recommended":1}]}`
	multi  = `{"questions":[{"id":"q","question":"Which?","options":[{"label":"A"},{"label":"B"}],"multi":true}]}`
	both   = `{"questions":[{"id":"one","question":"Which?","options":[{"label":"A"}]},{"id":"two","question":"How?","options":[{"label":"B"},{"label":"C"}],"multi":true}]}`
)

func TestAskPutsQuestions(t *testing.T) {
	tests := []struct {
		name, args          string
		answers, shown      []string
		text, details, fail string
	}{
		{
			"the recommended option", single,
			[]string{"B (Recommended)"},
			[]string{"Which? | A | B (Recommended) | Other (type your own)"},
			"User selected: B", `{"question":"Which?","options":["A","B"],"multi":false,"selectedOptions":["B"]}`, "",
		},
		{
			"an answer of their own", single,
			[]string{"Other (type your own)", "neither"},
			[]string{"Which? | A | B (Recommended) | Other (type your own)", `edit Which? ""`},
			"User provided custom input: neither", `{"question":"Which?","options":["A","B"],"multi":false,"selectedOptions":[],"customInput":"neither"}`, "",
		},
		{
			"several options", multi,
			[]string{"A", "B", "A", "✓ Done selecting"},
			[]string{
				"Which? | A | B | Other (type your own)", "(1 selected) Which? | A | B | ✓ Done selecting | Other (type your own)",
				"(2 selected) Which? | A | B | ✓ Done selecting | Other (type your own)", "(1 selected) Which? | A | B | ✓ Done selecting | Other (type your own)",
			},
			"User selected: B", `{"question":"Which?","options":["A","B"],"multi":true,"selectedOptions":["B"]}`, "",
		},
		{
			"several questions", both,
			[]string{"A", "B", "C", "✓ Done selecting"},
			[]string{
				"Which? (1/2) | A | Other (type your own)", "How? (2/2) | B | C | Other (type your own)",
				"(1 selected) How? (2/2) | B | C | ✓ Done selecting | Other (type your own)", "(2 selected) How? (2/2) | B | C | ✓ Done selecting | Other (type your own)",
			},
			"User answers:\none: A\ntwo: B, C",
			`{"results":[{"id":"one","question":"Which?","options":["A"],"multi":false,"selectedOptions":["A"]},{"id":"two","question":"How?","options":["B","C"],"multi":true,"selectedOptions":["B","C"]}]}`, "",
		},
		{"a cancelled dialog", single, []string{""}, []string{"Which? | A | B (Recommended) | Other (type your own)"}, "", "", "Ask tool was cancelled by the user"},
		{
			"a cancelled input", single,
			[]string{"Other (type your own)", ""},
			[]string{"Which? | A | B (Recommended) | Other (type your own)", `edit Which? ""`},
			"", "", "Ask input was cancelled",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &person{answers: tt.answers}
			out, err := New(p, 0).Run(t.Context(), tool.Call{Args: json.RawMessage(tt.args)})
			if fail := fmt.Sprint(err); err != nil && fail != tt.fail || err == nil && tt.fail != "" {
				t.Errorf("error is %v", err)
			}
			if err != nil && !errors.Is(err, tool.ErrStopRun) {
				t.Error("the run would go on")
			}
			if diff := cmp.Diff(tt.shown, p.shown); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{tt.text, tt.details}, []string{out.Content.Text(), string(out.Details)}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAskRefusesQuestionsThatCannotBePut(t *testing.T) {
	for args, want := range map[string]string{
		`{"questions":[]}`: "Error: questions must not be empty",
		`{"questions":[{"id":"q","question":"?","options":[{"label":"Next →"}]}]}`:          `Error: option label "Next →" is reserved`,
		`{"questions":[{"id":"q","question":"?","options":[{"label":"A"},{"label":"A"}]}]}`: `Error: question "q" has the option "A" twice`,
		`{"questions":[{"id":"q","question":"?","options":[{"label":""}]}]}`:                `Error: question "q" has an option without a label`,
	} {
		p := &person{}
		out, err := New(p, 0).Run(t.Context(), tool.Call{Args: json.RawMessage(args)})
		if err != nil || !out.IsError || out.Content.Text() != want || len(p.shown) != 0 {
			t.Errorf("%s: %q, %v", args, out.Content.Text(), err)
		}
	}
	out, err := New(nil, 0).Run(t.Context(), tool.Call{Args: json.RawMessage(single)})
	if err != nil || !out.IsError || out.Content.Text() != "Ask tool requires interactive mode" {
		t.Errorf("%q, %v", out.Content.Text(), err)
	}
}

func TestUnansweredQuestionsTakeTheRecommendedOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		out, err := New(&person{}, 30*time.Second).Run(t.Context(), tool.Call{Args: json.RawMessage(single)})
		if err != nil || out.Content.Text() != "User selected: B (auto-selected after timeout)" || !strings.Contains(string(out.Details), `"timedOut":true`) {
			t.Errorf("%q %s, %v", out.Content.Text(), out.Details, err)
		}
		if time.Since(began) != 30*time.Second {
			t.Errorf("it took %v", time.Since(began))
		}
	})
}

func TestAbortEndsAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("aborted")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { stop(cause) })
		if _, err := New(&person{}, time.Minute).Run(ctx, tool.Call{Args: json.RawMessage(single)}); !errors.Is(err, cause) {
			t.Errorf("error is %v", err)
		}
		ctx, stop = context.WithCancelCause(t.Context())
		stop(host.ErrGone)
		if _, err := New(&person{}, 0).Run(ctx, tool.Call{Args: json.RawMessage(single)}); !errors.Is(err, host.ErrGone) {
			t.Errorf("error is %v", err)
		}
	})
}
