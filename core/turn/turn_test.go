package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/turn"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // panics are logged on purpose
	goleak.VerifyTestMain(m)
}

var testModel = &model.Model{ID: "m", Provider: "p", API: model.APIScripted}

// speaks is a provider that is one function.
type speaks func(ctx context.Context, d *model.Draft) error

func (f speaks) Stream(ctx context.Context, _ *model.Request, d *model.Draft) error { return f(ctx, d) }

// calling answers with these calls, each "name args".
func calling(calls ...string) speaks {
	return func(_ context.Context, d *model.Draft) error {
		for i, call := range calls {
			name, args, _ := strings.Cut(call, " ")
			d.CallStart(fmt.Sprintf("c%d", i), name)
			d.CallArguments(args)
			d.CloseBlock()
		}
		return nil
	}
}

// does is a tool that is one function.
type does struct {
	name      string
	exclusive bool
	run       func(ctx context.Context, call tool.Call) (tool.Output, error)
}

func (d does) Spec() tool.Spec {
	return tool.Spec{Name: d.name, Exclusive: d.exclusive, Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
}

func (d does) Run(ctx context.Context, call tool.Call) (tool.Output, error) { return d.run(ctx, call) }

// waits is a tool that takes a second of fake time.
func waits(name string, exclusive bool) does {
	return does{name, exclusive, func(ctx context.Context, _ tool.Call) (tool.Output, error) {
		select {
		case <-time.After(time.Second):
			return tool.TextOutput("waited"), nil
		case <-ctx.Done():
			return tool.Output{}, errors.New("told to stop")
		}
	}}
}

// play runs a turn to its end and returns what it told, in short.
func play(ctx context.Context, in turn.Input) (steps []string, o turn.Outcome) {
	in.Request = &model.Request{Model: testModel}
	in.Key = func(context.Context) (string, error) { return "", nil }
	in.Dir = "/"
	t := turn.Start(ctx, in)
	for burst := range t.Steps {
		for _, e := range burst {
			steps = append(steps, short(e))
		}
	}
	return steps, t.Outcome()
}

func short(e event.Event) string {
	switch e := e.(type) {
	case event.MessageStart:
		return "start " + string(e.Message.Speaker())
	case event.MessageEnd:
		return "end " + string(e.Message.Speaker())
	case *event.MessageUpdate:
		return string(e.Part.Kind)
	case event.ToolStart:
		return "run " + e.ToolCallID
	case event.ToolRunning:
		return "running " + e.ToolCallID
	case event.ToolUpdate:
		return "update " + e.ToolCallID + " " + e.PartialResult.Content.Text()
	case event.ToolEnd:
		return fmt.Sprintf("ran %s error=%t", e.ToolCallID, e.IsError)
	}
	return e.Name()
}

func texts(o turn.Outcome) map[string]string {
	out := map[string]string{}
	for _, r := range o.Results {
		out[r.ToolCallID] = r.Content.Text()
	}
	return out
}

func TestTextStreamsAsStartDeltasEnd(t *testing.T) {
	steps, o := play(t.Context(), turn.Input{Provider: speaks(func(_ context.Context, d *model.Draft) error {
		d.Thinking("hm")
		d.Text("a")
		d.Text("b")
		return nil
	})})
	want := []string{
		"start assistant", "thinking_start", "thinking_delta", "thinking_end", "text_start", "text_delta", "text_delta", "text_end", "end assistant",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	if o.Message.Content.Text() != "ab" || o.Message.StopReason != message.StopStop || o.Err != nil {
		t.Errorf("outcome %+v", o)
	}
}

func TestFailureBeforeTheFirstDeltaStillOpensTheMessage(t *testing.T) {
	steps, o := play(t.Context(), turn.Input{Provider: speaks(func(context.Context, *model.Draft) error {
		return &model.Error{Class: model.ClassAuth, Status: 401, Message: "no"}
	})})
	if diff := cmp.Diff([]string{"start assistant", "end assistant"}, steps); diff != "" {
		t.Error(diff)
	}
	if o.Message.StopReason != message.StopError || o.Message.ErrorMessage != "no" || o.Message.ErrorStatus != 401 || o.Err == nil {
		t.Errorf("outcome %+v", o)
	}
}

func TestCallsInARowOverlapAndAnExclusiveOneRunsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		steps, o := play(t.Context(), turn.Input{
			Provider: calling("w {}", "w {}", "x {}", "w {}"),
			Tools:    tool.NewSet(waits("w", false), waits("x", true)),
		})
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("took %v, want two together, one alone, one after: 3s", took)
		}
		if len(o.Results) != 4 {
			t.Errorf("%d results", len(o.Results))
		}
		tail := steps[len(steps)-10:]
		want := []string{
			"run c2", "running c2", "ran c2 error=false", "start toolResult", "end toolResult", "run c3", "running c3", "ran c3 error=false", "start toolResult", "end toolResult",
		}
		if diff := cmp.Diff(want, tail); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUpdatesStandBetweenStartAndEndOfTheirCall(t *testing.T) {
	chatty := does{"chatty", false, func(_ context.Context, call tool.Call) (tool.Output, error) {
		call.Update(tool.TextOutput("one"))
		call.Update(tool.TextOutput("two"))
		return tool.TextOutput("three"), nil
	}}
	steps, _ := play(t.Context(), turn.Input{Provider: calling("chatty {}"), Tools: tool.NewSet(chatty)})
	want := []string{
		"start assistant", "toolcall_start", "toolcall_delta", "toolcall_end", "end assistant",
		"run c0", "running c0", "update c0 one", "update c0 two", "ran c0 error=false", "start toolResult", "end toolResult",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}

func TestEveryCallGetsOneResultWhateverGoesWrong(t *testing.T) {
	broken := does{"broken", false, func(context.Context, tool.Call) (tool.Output, error) { panic("boom") }}
	silent := does{"silent", false, func(context.Context, tool.Call) (tool.Output, error) { return tool.Output{}, nil }}
	odd := does{"odd", false, func(context.Context, tool.Call) (tool.Output, error) { return tool.TextOutput("a\x00b\xff"), nil }}
	steps, o := play(t.Context(), turn.Input{
		Provider: calling("broken {}", "nobody {}", "silent {\"n\":\"x\"}", "silent {bad", "silent {}", "odd {}"),
		Tools:    tool.NewSet(broken, silent, odd),
	})
	for id, runs := range map[string]bool{"c0": true, "c1": false, "c3": false, "c4": true} {
		if slices.Contains(steps, "running "+id) != runs {
			t.Errorf("%s is told to run: %v", id, !runs)
		}
	}
	got := texts(o)
	for id, want := range map[string]string{
		"c0": "boom", "c1": "Tool nobody not found", "c2": `Validation failed for tool "silent":`, "c3": `Validation failed for tool "silent":`,
		"c4": "(no output)", "c5": "a\uFFFDb\uFFFD",
	} {
		if !strings.Contains(got[id], want) {
			t.Errorf("result of %s: %q, want %q in it", id, got[id], want)
		}
	}
	if len(o.Results) != 6 {
		t.Errorf("%d results for 6 calls", len(o.Results))
	}
}

func TestAbortWhileTheModelStreamsRefusesItsCalls(t *testing.T) {
	ctx, abort := context.WithCancelCause(t.Context())
	_, o := play(ctx, turn.Input{Provider: speaks(func(ctx context.Context, d *model.Draft) error {
		d.CallStart("whole", "w")
		d.CallArguments("{}")
		d.CloseBlock()
		d.CallStart("half", "w")
		d.CallArguments(`{"n":`)
		abort(errors.New("<enough>"))
		return ctx.Err()
	}), Tools: tool.NewSet(waits("w", false))})
	if o.Message.StopReason != message.StopAborted || o.Message.ErrorMessage != "<enough>" {
		t.Errorf("message %+v", o.Message)
	}
	want := map[string]string{"whole": "Tool execution was aborted: <enough>"}
	if diff := cmp.Diff(want, texts(o)); diff != "" {
		t.Error(diff)
	}
	details := `{"__synthetic":true,"source":"assistant_stop_aborted","executed":false,"upstreamError":"<enough>"}`
	if diff := cmp.Diff(details, string(o.Results[0].Details)); diff != "" {
		t.Error(diff)
	}
}

func TestAbortWhileToolsRunEndsThemAndSkipsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, abort := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Millisecond, func() { abort(errors.New("enough")) })
		_, o := play(ctx, turn.Input{
			Provider: calling("w {}", "x {}", "w {}"), Tools: tool.NewSet(waits("w", false), waits("x", true)),
		})
		want := map[string]string{
			"c0": "told to stop",
			"c1": "Tool was not executed because the run was aborted: enough.",
			"c2": "Tool was not executed because the run was aborted: enough.",
		}
		if diff := cmp.Diff(want, texts(o)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSteeringSkipsWhatHasNotCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steered atomic.Bool
		quick := does{"quick", false, func(context.Context, tool.Call) (tool.Output, error) {
			steered.Store(true)
			return tool.TextOutput("done"), nil
		}}
		_, o := play(t.Context(), turn.Input{
			Provider: calling("quick {}", "w {}", "x {}"), Steered: steered.Load,
			Tools: tool.NewSet(quick, waits("w", false), waits("x", true)),
		})
		got := texts(o)
		if got["c0"] != "done" {
			t.Errorf("the finished call lost its result: %q", got["c0"])
		}
		for _, id := range []string{"c1", "c2"} {
			if !strings.HasPrefix(got[id], "Skipped due to queued user message.") {
				t.Errorf("result of %s: %q", id, got[id])
			}
		}
	})
}

// patient is a tool that waits for long and that a queued message is to end.
type patient struct{ does }

func (p patient) Spec() tool.Spec {
	spec := p.does.Spec()
	spec.Interruptible = true
	return spec
}

func TestSteeringEndsTheWaitOfAnInterruptibleCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steered atomic.Bool
		time.AfterFunc(time.Second, func() { steered.Store(true) })
		polls := patient{does{"polls", false, func(ctx context.Context, _ tool.Call) (tool.Output, error) {
			<-ctx.Done()
			return tool.TextOutput("still running"), nil
		}}}
		began := time.Now()
		_, o := play(t.Context(), turn.Input{Provider: calling("polls {}"), Steered: steered.Load, Tools: tool.NewSet(polls)})
		if took := time.Since(began); took > 1250*time.Millisecond || texts(o)["c0"] != "still running" {
			t.Errorf("%q after %v", texts(o)["c0"], took)
		}
	})
}

func TestCallsOfACutAnswerAreNotRun(t *testing.T) {
	ran := false
	tools := tool.NewSet(does{"w", false, func(context.Context, tool.Call) (tool.Output, error) { ran = true; return tool.Output{}, nil }})
	_, o := play(t.Context(), turn.Input{Tools: tools, Provider: speaks(func(_ context.Context, d *model.Draft) error {
		d.CallStart("a", "w")
		d.CallArguments("{}")
		d.CallStart("b", "w")
		d.CallArguments(`{"n": 1`)
		d.Stop(message.StopLength)
		return nil
	})})
	if ran {
		t.Error("a call of an answer that hit the output limit was run")
	}
	for id, text := range texts(o) {
		if !strings.Contains(text, "output token limit") {
			t.Errorf("result of %s: %q", id, text)
		}
	}
	if len(o.Results) != 2 {
		t.Errorf("%d results for 2 calls", len(o.Results))
	}
}

func TestAToolThatDoesNotStopIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, abort := context.WithCancelCause(t.Context())
		release := make(chan struct{})
		deaf := does{"deaf", false, func(context.Context, tool.Call) (tool.Output, error) {
			<-release
			return tool.TextOutput("too late"), nil
		}}
		time.AfterFunc(time.Millisecond, func() { abort(errors.New("enough")) })
		_, o := play(ctx, turn.Input{Provider: calling("deaf {}", "w {}", "x {}"), Tools: tool.NewSet(deaf, waits("w", false), waits("x", true))})
		got := texts(o)
		if !strings.Contains(got["c0"], "left behind") || got["c1"] != "told to stop" || !strings.Contains(got["c2"], "was not executed") {
			t.Errorf("results %q", got)
		}
		close(release) // its goroutine ends, and hurts nobody
	})
}

func TestAToolCanEndTheRun(t *testing.T) {
	ctx, abort := context.WithCancelCause(t.Context())
	asks := does{"asks", true, func(context.Context, tool.Call) (tool.Output, error) {
		return tool.Output{}, fmt.Errorf("the person left: %w", tool.ErrStopRun)
	}}
	_, o := play(ctx, turn.Input{Provider: calling("asks {}", "w {}"), Tools: tool.NewSet(asks, waits("w", false)), Abort: abort})
	if got := texts(o); !strings.Contains(got["c0"], "the person left") || !strings.Contains(got["c1"], "was not executed") || ctx.Err() == nil {
		t.Errorf("results %q, ctx %v", got, ctx.Err())
	}
}

func TestPanicInTheProviderEndsTheTurnWithAnError(t *testing.T) {
	_, o := play(t.Context(), turn.Input{Provider: speaks(func(context.Context, *model.Draft) error { panic("boom") })})
	if o.Message == nil || o.Message.StopReason != message.StopError || !strings.Contains(o.Message.ErrorMessage, "boom") {
		t.Errorf("outcome %+v", o)
	}
}

func TestPanicInTheMiddleOfAnAnswerKeepsWhatCame(t *testing.T) {
	steps, o := play(t.Context(), turn.Input{Provider: speaks(func(_ context.Context, d *model.Draft) error {
		d.Text("half")
		panic("boom")
	})})
	if diff := cmp.Diff([]string{"start assistant", "text_start", "text_delta", "text_end", "end assistant"}, steps); diff != "" {
		t.Error(diff)
	}
	if o.Message.Content.Text() != "half" || o.Message.StopReason != message.StopError || o.Err == nil {
		t.Errorf("outcome %+v", o)
	}
}

func TestUpdatesBehindTheEndOfTheirCallAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := does{"late", false, func(_ context.Context, call tool.Call) (tool.Output, error) {
			for _, after := range []time.Duration{time.Second / 2, time.Minute} { // beside the other call, and behind the turn
				go func() { time.Sleep(after); call.Update(tool.TextOutput("late")) }()
			}
			return tool.TextOutput("done"), nil
		}}
		steps, _ := play(t.Context(), turn.Input{Provider: calling("late {}", "w {}"), Tools: tool.NewSet(late, waits("w", false))})
		want := []string{
			"run c0", "run c1", "ran c0 error=false", "start toolResult", "end toolResult", "ran c1 error=false", "start toolResult", "end toolResult",
		}
		steps = slices.DeleteFunc(steps, func(s string) bool { return strings.HasPrefix(s, "running ") }) // they overlap
		if diff := cmp.Diff(want, steps[len(steps)-len(want):]); diff != "" {
			t.Error(diff)
		}
		time.Sleep(time.Hour) // nothing is left blocked
	})
}
