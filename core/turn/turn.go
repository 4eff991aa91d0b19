// Package turn runs one turn: it streams one answer of the model and runs the
// tool calls in it. It holds no session state; whoever starts a turn receives
// its steps and decides what comes next.
package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
)

// Input is all that a turn needs. The turn does not change it.
type Input struct {
	Provider model.Provider
	Request  *model.Request
	// Key finds the credential, on the turn's goroutine: it may run a command.
	Key     func(context.Context) (string, error)
	Tools   tool.Set
	Dir     string // working directory of the tools
	Session tool.Session
	Spill   tool.Spill // when the text of a result is too long
	Full    bool       // message updates carry the whole answer so far
	// CallID gives a tool call an id that no other call of the session has.
	// It is called on the turn's goroutine only.
	CallID func(providerID string) string
	// Unwind is how long calls may take to end once they are told to; 0 means
	// UnwindWait.
	Unwind time.Duration
	// Abort ends ctx for this reason; a tool may ask for it (tool.ErrStopRun).
	Abort func(error)
	// Watch, if set, sees each step of the streaming answer, on the turn's
	// goroutine. With a Cut the answer ends there as aborted, and none of its
	// calls run.
	Watch func(event.Part) *Cut
	// Amend, if set, has the last word on what a call gave, on the turn's
	// goroutine.
	Amend func(call *message.ToolCall, output tool.Output) tool.Output
	// Approve, if set, decides whether a call runs, on the turn's goroutine. A
	// refusal takes the place of the output. When ask is there, it waits for a
	// person, and refuses likewise.
	Approve func(spec tool.Spec, call tool.Call) (refusal *tool.Output, ask func(context.Context) *tool.Output)
	// Steered tells whether a queued message should cut the batch of tool
	// calls short; nil never does. Safe for concurrent use.
	Steered func() bool
}

// A Turn is one under way. Its steps must be received until they are closed.
type Turn struct {
	// Steps brings message and tool events in order, those of a burst together;
	// the turn closes it when it is over. Unbuffered: whoever is slow to
	// receive holds up the stream. An empty burst says nothing: once it is
	// taken, the receiver has dealt with all before it.
	Steps   <-chan []event.Event
	steps   chan<- []event.Event
	burst   []event.Event // not handed over yet
	outcome Outcome
}

// Outcome is how a turn ended.
type Outcome struct {
	Message *message.Assistant
	// Results has one entry for each tool call of the message, in the order
	// they completed; never nil.
	Results []*message.ToolResult
	// Err is the *model.Error of an answer that failed, nil otherwise.
	Err *model.Error
}

// A Cut ends an answer before the model does.
type Cut struct {
	Reason error       // its text is shown
	Event  event.Event // told ahead of the end of the message
}

// Start begins a turn on a goroutine of its own, which ends when Steps is
// closed. Ending ctx aborts it: the model stream is closed, running tools are
// told, and every call still gets its result. The cause's text is the reason
// shown.
func Start(ctx context.Context, in Input) *Turn {
	steps := make(chan []event.Event)
	t := &Turn{Steps: steps, steps: steps}
	go t.run(ctx, in)
	return t
}

// Outcome tells how the turn ended; only after Steps has been closed.
func (t *Turn) Outcome() Outcome { return t.outcome }

func (t *Turn) run(ctx context.Context, in Input) {
	defer close(t.steps)
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a turn panicked", "panic", p, "stack", string(debug.Stack()))
			t.panicked(in, fmt.Sprintf("internal error: %v", p))
		}
	}()
	t.outcome.Results = []*message.ToolResult{}
	m := t.answer(ctx, in)
	t.outcome.Message = m
	t.emit(event.MessageEnd{Message: m})
	calls := m.Content.ToolCalls()
	switch {
	case len(calls) == 0:
	case m.StopReason == message.StopAborted:
		t.refuse(calls, "assistant_stop_aborted", abortedText(m.ErrorMessage), m.ErrorMessage)
	case m.StopReason == message.StopError:
		t.refuse(calls, "assistant_stop_error", streamErrorText, m.ErrorMessage)
	case m.StopReason == message.StopLength:
		t.refuse(calls, "assistant_stop_length", lengthText, "")
	default:
		t.execute(ctx, in, calls)
	}
}

// panicked closes a turn whose code failed: the answer, if it had not been
// closed, becomes an error, and each call left open gets a result.
func (t *Turn) panicked(in Input, text string) {
	if t.outcome.Message == nil {
		m := model.NewDraft(in.Request.Model, model.DraftOptions{}).Fail(message.StopError, text)
		t.outcome.Message, t.outcome.Err = m, &model.Error{Message: text}
		t.emit(event.MessageStart{Message: m})
		t.emit(event.MessageEnd{Message: m})
		return
	}
	answered := map[string]bool{}
	for _, r := range t.outcome.Results {
		answered[r.ToolCallID] = true
	}
	for _, call := range t.outcome.Message.Content.ToolCalls() {
		if !answered[call.ID] {
			t.finish(call, tool.ErrorOutput(text))
		}
	}
}

// answer streams one answer and returns it finished, whatever happened.
func (t *Turn) answer(ctx context.Context, in Input) *message.Assistant {
	began, started, first := time.Now(), false, time.Duration(0)
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	var draft *model.Draft
	draft = model.NewDraft(in.Request.Model, model.DraftOptions{
		Full: in.Full, CallID: in.CallID,
		Emit: func(part event.Part, m *message.Assistant) {
			if !started {
				started, first = true, time.Since(began)
				t.gather(event.MessageStart{Message: draft.Light()})
			}
			t.gather(&event.MessageUpdate{Part: part, Message: m})
			if in.Watch == nil || draft.Halted() {
				return
			}
			if found := in.Watch(part); found != nil {
				t.gather(found.Event)
				draft.Halt() // a provider may go on for a while before it hears of it
				cut(found.Reason)
			}
		},
		Flush: t.flush,
	})
	m, err := t.ask(ctx, in, draft)
	m.Duration, m.TTFT = time.Since(began).Milliseconds(), first.Milliseconds()
	if err != nil {
		m.ErrorStatus, m.ErrorID = err.Status, err.ID()
		t.outcome.Err = err
	}
	if !started {
		t.emit(event.MessageStart{Message: m})
	}
	return m
}

func (t *Turn) ask(ctx context.Context, in Input, draft *model.Draft) (*message.Assistant, *model.Error) {
	err := ctx.Err()
	if err == nil {
		err = stream(ctx, in, draft)
	}
	if err == nil && !draft.Halted() {
		return draft.Finish(), nil
	}
	if ctx.Err() != nil {
		return draft.Fail(message.StopAborted, context.Cause(ctx).Error()), nil
	}
	var failure *model.Error
	if !errors.As(err, &failure) {
		failure = &model.Error{Message: err.Error()}
	}
	return draft.Fail(message.StopError, failure.Message), failure
}

// stream asks the provider; a panic in it makes a failed answer of what had
// streamed in.
func stream(ctx context.Context, in Input, draft *model.Draft) (err error) {
	request := *in.Request
	caught := panics.Try(func() {
		if request.Key, err = in.Key(ctx); err == nil {
			err = in.Provider.Stream(ctx, &request, draft)
		}
	})
	if caught != nil {
		slog.Error("a provider panicked", "model", request.Model.Ref(), "panic", caught.Value, "stack", string(caught.Stack))
		return fmt.Errorf("internal error: %v", caught.Value)
	}
	return err
}

// emit hands a step over, with what has gathered before it; the receiver takes
// steps until they are closed.
func (t *Turn) emit(e event.Event) {
	t.burst = append(t.burst, e)
	t.flush()
}

// maxBurst is how many steps gather at the most.
const maxBurst = 64

// gather keeps a step of the streaming answer until the next flush: a hop to the
// loop for each delta would cost more than all the rest.
func (t *Turn) gather(e event.Event) {
	if t.burst = append(t.burst, e); len(t.burst) >= maxBurst {
		t.flush()
	}
}

func (t *Turn) flush() {
	if len(t.burst) > 0 {
		t.steps <- t.burst
		t.burst = nil // the receiver's now
	}
}
