package turn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/turn"
)

func TestAnAnswerThatIsCutOffEndsAtThatStepAndRunsNothing(t *testing.T) {
	ran := false
	tools := tool.NewSet(does{name: "a", run: func(context.Context, tool.Call) (tool.Output, error) {
		ran = true
		return tool.TextOutput("ran"), nil
	}})
	steps, o := play(t.Context(), turn.Input{
		Tools: tools,
		Provider: speaks(func(ctx context.Context, d *model.Draft) error {
			d.CallStart("c", "a")
			d.CallArguments("{}")
			d.Text("good ")
			d.Text("bad ")
			if !errors.Is(context.Cause(ctx), errBad) {
				t.Error("the provider is told", context.Cause(ctx))
			}
			d.Text("more") // it goes on all the same
			d.Thinking("hm")
			d.ThinkingSignature("s", "")
			d.RedactedThinking("r")
			d.CallStart("d", "a")
			d.CallArguments("{}")
			d.CloseBlock()
			return nil
		}),
		Watch: func(part event.Part) *turn.Cut {
			if part.Delta == "bad " {
				return &turn.Cut{Reason: errBad, Event: event.Notice{}}
			}
			return nil
		},
	})
	want := []string{
		"start assistant", "toolcall_start", "toolcall_delta", "toolcall_end", "text_start", "text_delta", "text_delta", "notice", "text_end",
		"end assistant", "run c", "ran c error=true", "start toolResult", "end toolResult",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	m := o.Message
	if ran || o.Err != nil || m.StopReason != message.StopAborted || m.ErrorMessage != "that was bad" || m.Content.Text() != "good bad " {
		t.Errorf("ran %t, %v, %+v", ran, o.Err, m)
	}
}

var errBad = errors.New("that was bad")

func TestAnAbortOfTheRunIsNotTakenForACut(t *testing.T) {
	ctx, abort := context.WithCancelCause(t.Context())
	_, o := play(ctx, turn.Input{
		Provider: speaks(func(ctx context.Context, d *model.Draft) error {
			d.Text("x")
			abort(errors.New("the person left"))
			d.Text("y")
			<-ctx.Done()
			return ctx.Err()
		}),
		Watch: func(event.Part) *turn.Cut { return nil },
	})
	if o.Message.ErrorMessage != "the person left" {
		t.Errorf("%+v", o.Message)
	}
}

func TestTheLastWordOnAResultIsStoredAndShown(t *testing.T) {
	_, o := play(t.Context(), turn.Input{
		Tools:    tool.NewSet(waits("a", false)),
		Provider: calling("a {}", "nobody {}"),
		Amend: func(call *message.ToolCall, output tool.Output) tool.Output {
			output.Content = append(message.Blocks{message.NewText(call.Name + ": ")}, output.Content...)
			return output
		},
	})
	if diff := cmp.Diff(map[string]string{"c0": "a: waited", "c1": "nobody: Tool nobody not found"}, texts(o)); diff != "" {
		t.Error(diff)
	}
}
