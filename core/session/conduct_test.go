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

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/todo"
	"veyyon.dev/veyyon/core/transcript"
)

// A stage is a session with a model that answers by a list, and a host that
// notes what it hears.
type stage struct {
	*Session
	t       *testing.T
	answers []speaks        // the last one goes on for ever
	others  map[string]bool // models there are to fall back to

	mu       sync.Mutex
	heard    []string
	requests []*model.Request
	count    int
}

// setStage runs a session until the test ends; it belongs in a bubble.
func setStage(t *testing.T, change func(*Options), answers ...speaks) *stage {
	t.Helper()
	g := &stage{t: t, answers: answers}
	log, err := transcript.New(transcript.Options{CWD: "/"})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{
		Log: log, Models: g, Dir: "/", Emit: g.hear,
		Tools: func() tool.Set { return tool.NewSet(todo.New(todo.Options{InMemory: true}), echo{}) },
		Todo:  Todo{Reminders: 3, AutoClear: true},
		Retry: Retry{Max: 3, BaseDelayMs: 500, MaxDelayMs: 60_000},
		Choice: Choice{
			Model: &model.Model{ID: "m", Provider: "p"}, Steering: QueueAll, FollowUp: QueueAll, Interrupt: InterruptImmediate, AutoRetry: true,
		},
	}
	if change != nil {
		change(&opts)
	}
	g.Session = New(opts)
	ctx, pull := context.WithCancelCause(context.Background())
	go g.Loop(ctx)
	t.Cleanup(func() {
		pull(errPulled)
		<-g.Done()
	})
	return g
}

func (g *stage) Provider(*model.Model) (model.Provider, error)     { return g, nil }
func (g *stage) HasKey(*model.Model) bool                          { return true }
func (g *stage) Key(context.Context, *model.Model) (string, error) { return "", nil }
func (g *stage) FindRef(ref string) (*model.Model, bool) {
	provider, id, _ := strings.Cut(ref, "/")
	return &model.Model{ID: id, Provider: provider}, g.others[ref]
}

func (g *stage) Stream(ctx context.Context, r *model.Request, d *model.Draft) error {
	g.mu.Lock()
	answer := g.answers[min(g.count, len(g.answers)-1)]
	g.count++
	g.requests = append(g.requests, r)
	g.mu.Unlock()
	if fault := unpaired(r.Messages); fault != "" {
		g.t.Error(fault)
	}
	return answer(ctx, r, d)
}

// hear notes an event in short; updates and the starts of messages are left out.
func (g *stage) hear(events ...event.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range events {
		switch e := e.(type) {
		case *event.MessageUpdate, event.MessageStart, event.ToolStart, event.ToolRunning, event.ToolEnd, event.SessionSettled:
		case event.MessageEnd:
			g.heard = append(g.heard, brief(e.Message))
		case event.TodoReminder:
			g.heard = append(g.heard, fmt.Sprintf("todo_reminder %d/%d %v", e.Attempt, e.MaxAttempts, e.Todos))
		case event.AutoRetryStart:
			g.heard = append(g.heard, fmt.Sprintf("auto_retry_start %d delay=%t", e.Attempt, e.DelayMs > 0))
		case event.AutoRetryEnd:
			g.heard = append(g.heard, strings.TrimSpace(fmt.Sprintf("auto_retry_end %t %d %s", e.Success, e.Attempt, e.FinalError)))
		case event.FallbackApplied:
			g.heard = append(g.heard, fmt.Sprintf("retry_fallback_applied %s>%s %s", e.From, e.To, e.Role))
		case event.FallbackSucceeded:
			g.heard = append(g.heard, fmt.Sprintf("retry_fallback_succeeded %s %s", e.Model, e.Role))
		case event.Notice:
			g.heard = append(g.heard, "notice "+e.Level+" "+e.Message)
		case event.AgentEnd:
			g.heard = append(g.heard, fmt.Sprintf("agent_end %d", len(e.Messages)))
		default:
			g.heard = append(g.heard, e.Name())
		}
	}
}

// brief is a message in a few words; of the program's own only the beginning.
func brief(m message.Message) string {
	switch m := m.(type) {
	case *message.User:
		return "user " + m.Content.Text()
	case *message.Developer:
		return "developer " + beginning(m.Content.Text())
	case *message.Custom:
		return "custom " + m.CustomType + " " + beginning(m.Content.Text())
	case *message.ToolResult:
		return fmt.Sprintf("result %s error=%t", m.ToolName, m.IsError)
	case *message.Assistant:
		text := fmt.Sprintf("assistant %s %s", m.StopReason, m.Content.Text())
		for _, call := range m.Content.ToolCalls() {
			text += " " + call.Name
		}
		return strings.Join(strings.Fields(text+" "+m.ErrorMessage), " ")
	}
	return string(m.Speaker())
}

func beginning(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), 4)], " ")
}

// take gives what was heard since the last call.
func (g *stage) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	heard := g.heard
	g.heard = nil
	return heard
}

// ask gives a prompt, waits for its end and returns what was heard.
func (g *stage) ask(text string) []string {
	g.t.Helper()
	say(g.t, g.Session, text)
	if err := g.Settled(g.t.Context()); err != nil {
		g.t.Fatal(err)
	}
	synctest.Wait()
	return g.take()
}

// asked is the request number n, from 0, in short.
func (g *stage) asked(n int) (messages []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.requests[n].Messages {
		messages = append(messages, brief(m))
	}
	return messages
}

func (g *stage) want(got []string, want ...string) {
	g.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		g.t.Error(diff)
	}
}

// echo is a tool that gives back its arguments.
type echo struct{}

func (echo) Spec() tool.Spec {
	return tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object"}`), Tier: tool.TierExec}
}

func (echo) Run(_ context.Context, call tool.Call) (tool.Output, error) {
	return tool.TextOutput(string(call.Args)), nil
}

// calls answers with one call.
func calls(name, args string) speaks {
	return func(_ context.Context, _ *model.Request, d *model.Draft) error {
		d.CallStart("", name)
		d.CallArguments(args)
		return nil
	}
}

func fails(class model.Class, text string, after time.Duration) speaks {
	return func(context.Context, *model.Request, *model.Draft) error {
		return &model.Error{Class: class, Message: text, RetryAfter: after}
	}
}

// hanging streams a word and then waits for the abort.
func hanging(ctx context.Context, _ *model.Request, d *model.Draft) error {
	d.Text("wait")
	<-ctx.Done()
	return context.Cause(ctx)
}

const twoTasks = `{"op":"init","items":["first","second"]}`
