package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// talk is a session whose events and requests are kept. Each request has to be
// paired.
type talk struct {
	*Session
	mu       sync.Mutex
	events   []event.Event
	requests []*model.Request
}

// window is that of the model in these tests, in tokens.
const window = 10_000

// talks runs a session on this transcript until ctx ends. Answers are written by
// say, summaries by sum.
func talks(ctx context.Context, t *testing.T, log *transcript.Log, say, sum speaks, change func(*Options)) *talk {
	t.Helper()
	k := &talk{}
	speaker := speaks(func(ctx context.Context, r *model.Request, d *model.Draft) error {
		k.mu.Lock()
		k.requests = append(k.requests, r)
		k.mu.Unlock()
		if fault := unpaired(r.Messages); fault != "" {
			t.Error(fault)
		}
		if r.NoTools {
			return sum(ctx, r, d)
		}
		return say(ctx, r, d)
	})
	opts := Options{
		Log: log, Models: speaker, Dir: t.TempDir(), Tools: func() tool.Set { return tool.NewSet(prints{}) },
		Emit: func(events ...event.Event) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.events = append(k.events, events...)
		},
		Choice: Choice{
			Model:    &model.Model{ID: "m", Provider: "p", ContextWindow: window},
			Steering: QueueAll, FollowUp: QueueAll, Interrupt: InterruptImmediate, Compact: true, AutoRetry: true,
		},
		Retry:      Retry{Max: 2, BaseDelayMs: 100},
		Compaction: Compaction{Limits: compaction.Limits{ReserveTokens: 1000, KeepRecent: 2000}, MidTurn: true, AutoContinue: true},
	}
	if change != nil {
		change(&opts)
	}
	k.Session = New(opts)
	go k.Loop(ctx)
	return k
}

// prints is a tool whose results are as long as its argument says.
type prints struct{}

func (prints) Spec() tool.Spec {
	return tool.Spec{Name: "prints", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (prints) Run(_ context.Context, c tool.Call) (tool.Output, error) {
	var args struct {
		Tokens int `json:"tokens"`
	}
	err := json.Unmarshal(c.Args, &args)
	return tool.Output{Content: message.Blocks{message.NewText(strings.Repeat("out ", args.Tokens))}}, err
}

// told lists the events but for deltas, shortly.
func (k *talk) told() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	for _, e := range k.events {
		switch e := e.(type) {
		case *event.MessageUpdate, event.MessageStart, event.TurnStart, event.TurnEnd, event.ToolStart, event.ToolRunning, event.ToolEnd, event.SessionSettled:
		case event.MessageEnd:
			out = append(out, short(e.Message))
		case event.CompactionStart:
			out = append(out, "compacting: "+e.Reason)
		case event.CompactionEnd:
			out = append(out, fmt.Sprintf("compacted: result %v, aborted %v, retry %v%s", e.Result != nil, e.Aborted, e.WillRetry, e.ErrorMessage))
		default:
			out = append(out, e.Name())
		}
	}
	return out
}

func short(m message.Message) string {
	clip := func(s string) string { return s[:min(len(s), 12)] }
	switch m := m.(type) {
	case *message.User:
		return "user " + clip(m.Content.Text())
	case *message.Assistant:
		if m.ErrorMessage != "" {
			return fmt.Sprintf("%s %s", m.StopReason, m.ErrorMessage)
		}
		return "answer " + clip(m.Content.Text())
	case *message.CompactionSummary:
		return "summary " + clip(m.Summary)
	}
	return string(m.Speaker())
}

// asked lists the requests, shortly: what they hold, or that they are for a
// summary.
func (k *talk) asked() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	for _, r := range k.requests {
		if r.NoTools {
			out = append(out, "summary")
			continue
		}
		var held []string
		for _, m := range r.Messages {
			held = append(held, short(m))
		}
		out = append(out, strings.Join(held, "; "))
	}
	return out
}

func (k *talk) settle(t *testing.T) {
	t.Helper()
	if err := k.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (k *talk) state(t *testing.T) State {
	t.Helper()
	state, err := k.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// compactNow compacts and waits.
func (k *talk) compactNow(t *testing.T) (*event.CompactionResult, error) {
	t.Helper()
	run, err := k.Compact(t.Context(), "")
	if err != nil {
		return nil, err
	}
	return run(t.Context())
}

// slow answers after a second.
func slow(text string) speaks {
	return func(ctx context.Context, r *model.Request, d *model.Draft) error {
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
		return answers(text)(ctx, r, d)
	}
}

// long is a text of so many tokens that begins with a word.
func long(word string, tokens int) string { return word + strings.Repeat(" abc", tokens) }

func memory(t *testing.T) *transcript.Log {
	t.Helper()
	return newLog(t, transcript.Options{CWD: t.TempDir()})
}

func newLog(t *testing.T, o transcript.Options) *transcript.Log {
	t.Helper()
	log, err := transcript.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// hung waits until it is told to end.
func hung(ctx context.Context, _ *model.Request, _ *model.Draft) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func overflow(context.Context, *model.Request, *model.Draft) error {
	return &model.Error{Class: model.ClassOverflow, Status: 400, Message: "prompt is too long"}
}

// inTime runs a test of sessions in a bubble; they end with it.
func inTime(t *testing.T, test func(ctx context.Context, t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, pull := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer pull()
		test(ctx, t)
	})
}
