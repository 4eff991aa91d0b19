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
		Tools: func() tool.Set { return tool.NewSet(todo.New(true), echo{}) },
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
		case *event.MessageUpdate, event.MessageStart, event.ToolStart, event.ToolEnd, event.SessionSettled:
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

func TestAModelThatStopsWithOpenTasksIsRemindedWhileItWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, calls("todo", twoTasks), answers("done"), calls("todo", `{"op":"done","task":"first"}`), answers("one left"), answers("enough"))
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "assistant toolUse todo", "result todo error=false", "turn_end",
			"turn_start", "assistant stop done", "turn_end",
			"todo_reminder 1/3 [{first in_progress} {second pending}]",
			"agent_start", "turn_start", "assistant toolUse todo", "result todo error=false", "turn_end",
			"turn_start", "assistant stop one left", "turn_end",
			"todo_reminder 2/3 [{second in_progress}]",
			"agent_start", "turn_start", "assistant stop enough", "turn_end", "agent_end 1",
		)
		g.want(g.asked(2), "user go", "assistant toolUse todo", "result todo error=false", "assistant stop done", "developer You stopped, but the")
	})
}

func TestNobodyIsRemindedInVain(t *testing.T) {
	phases := []tool.Phase{{Name: "A", Tasks: []tool.Task{{Content: "B", Status: "pending"}}}}
	plain := []string{"agent_start", "turn_start", "user go", "assistant stop yes", "turn_end", "agent_end 2"}
	for name, c := range map[string]struct {
		change func(*Options)
		answer string
		want   []string
	}{
		"switched off":  {func(o *Options) { o.Todo.Reminders = 0 }, "yes", plain},
		"no todo tool":  {func(o *Options) { o.Tools = func() tool.Set { return tool.NewSet(echo{}) } }, "yes", plain},
		"a question":    {nil, "**Shall I?** ", []string{"agent_start", "turn_start", "user go", "assistant stop **Shall I?**", "turn_end", "agent_end 2"}},
		"the last turn": {func(o *Options) { o.Budget.Turns = 1 }, "yes", plain},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := setStage(t, c.change, answers(c.answer))
				if err := g.SetTodos(t.Context(), phases); err != nil {
					t.Fatal(err)
				}
				g.want(g.ask("go"), c.want...)
			})
		})
	}
}

func TestAClosedListGoesWhenTheNextPromptBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, answers("ok"))
		if err := g.SetTodos(t.Context(), []tool.Phase{{Name: "A", Tasks: []tool.Task{{Content: "B", Status: "completed"}, {Content: "C", Status: "abandoned"}}}}); err != nil {
			t.Fatal(err)
		}
		g.want(g.ask("go"), "agent_start", "todo_auto_clear", "turn_start", "user go", "assistant stop ok", "turn_end", "agent_end 2")
		if state, err := g.State(t.Context()); err != nil || len(state.TodoPhases) > 0 || state.TodoPhases == nil {
			t.Error(state.TodoPhases, err)
		}
	})
}

func TestAModelAtWorkIsNudgedAndToldOfItsFailedTodoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := []speaks{calls("todo", twoTasks), calls("todo", `{"op":"done","task":"third"}`)}
		for i := range nudgeAfter {
			turns = append(turns, calls("echo", fmt.Sprintf(`{"n":%d}`, i)))
		}
		g := setStage(t, func(o *Options) { o.Todo.Reminders = 1 }, append(turns, answers("what now?"))...)
		g.ask("go")
		last := g.asked(nudgeAfter + 2)
		g.want(last[3:6], "assistant toolUse todo", "result todo error=true", "developer The last todo call")
		g.want(last[len(last)-3:], "assistant toolUse echo", "result echo error=false", "developer The todo list has")
		before := g.asked(nudgeAfter + 1)
		g.want(before[len(before)-2:], "assistant toolUse echo", "result echo error=false")
	})
}

func TestAnEmptyAnswerIsAskedForAgainThreeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, answers(" \n"), answers("here"), answers(""), answers(""), answers(""), answers(""), answers("back"))
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "assistant stop", "turn_end",
			"agent_start", "turn_start", "assistant stop here", "turn_end", "agent_end 1")
		g.want(g.asked(1), "user go", "developer Your last answer was")
		again := []string{"agent_start", "turn_start", "assistant stop", "turn_end"}
		want := []string{"agent_start", "turn_start", "user more", "assistant stop", "turn_end"}
		want = append(append(append(want, again...), again...), again...)
		g.want(g.ask("more"), append(want, "auto_retry_end false 3 "+emptyEndText, "agent_end 1")...)
		g.want(g.ask("hello"), "agent_start", "turn_start", "user hello", "assistant stop back", "turn_end", "agent_end 2")
	})
}

func TestAModelThatGoesInCirclesIsWarnedAndThenStopped(t *testing.T) {
	for name, round := range map[string][]speaks{
		"one call":       {calls("echo", `{"a":1}`)},
		"a round of two": {calls("echo", `{"a":1}`), calls("nobody", `{"b":1}`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turns := make([]speaks, 0, len(round)*maxRepeats)
				for range maxRepeats {
					turns = append(turns, round...)
				}
				g := setStage(t, nil, append(turns, answers("sorry"))...)
				heard := g.ask("go")
				g.want(heard[len(heard)-2:],
					"notice warning The model made the same tool calls 8 times with the same results. The run was ended; the next prompt goes on from here.",
					fmt.Sprintf("agent_end %d", 1+2*len(turns)))
				warned := 0
				for _, m := range g.asked(len(turns) - 1) {
					if strings.HasPrefix(m, "developer The last calls were") {
						warned++
					}
				}
				if warned != 1 {
					t.Errorf("warned %d times", warned)
				}
				g.want(g.ask("stop it"), "agent_start", "turn_start", "user stop it", "assistant stop sorry", "turn_end", "agent_end 2")
				last := g.asked(len(turns))
				g.want(last[len(last)-2:], "developer The run was ended", "user stop it")
			})
		})
	}
}

func TestWorkThatChangesIsNoCircle(t *testing.T) {
	var c conduct
	for i := range 100 {
		c.past = append(c.past, uint64(i%4)) // longer rounds than maxPeriod are not looked for
		if n := c.repeats(); n > 1 {
			t.Fatalf("%d repeats in %v", n, c.past)
		}
	}
	for _, past := range [][]uint64{{}, {1}, {1, 2, 3}} {
		if n := (&conduct{past: past}).repeats(); n != 0 {
			t.Errorf("%v: %d repeats", past, n)
		}
	}
	if n := (&conduct{past: []uint64{9, 1, 2, 1, 2, 1, 2}}).repeats(); n != 3 {
		t.Errorf("%d repeats of a round of two", n)
	}
}

func TestABudgetEndsTheRunBetweenTwoTurns(t *testing.T) {
	costly := func(_ context.Context, r *model.Request, d *model.Draft) error {
		d.Usage(message.Usage{Input: 90, Output: 10}, model.Price{})
		return calls("echo", fmt.Sprintf(`{"n":%d}`, len(r.Messages)))(t.Context(), r, d)
	}
	for name, c := range map[string]struct {
		budget Budget
		reason string
	}{
		"turns":  {Budget{Turns: 2}, "The limit of 2 turns a prompt (session.maxTurns) has been reached."},
		"tokens": {Budget{Tokens: 150}, "The limit of 150 tokens a prompt (session.maxTokens) has been reached."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := setStage(t, func(o *Options) { o.Budget = c.budget }, costly)
				for _, text := range []string{"go", "go on"} {
					g.want(g.ask(text),
						"agent_start", "turn_start", "user "+text, "assistant toolUse echo", "result echo error=false", "turn_end",
						"turn_start", "assistant toolUse echo", "result echo error=false", "turn_end",
						"notice warning "+c.reason+" The run was ended; the next prompt goes on from here.", "agent_end 5")
				}
			})
		})
	}
}

func TestAnotherModelTakesOverAtOnceAndGivesThePlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) {
			o.Fallback.Chains = map[string][]string{"p/*": {"p/gone", "q/second", "r/third"}, "default": {"z/z"}}
		}, fails(model.ClassTransient, "busy", 0), fails(model.ClassUsageLimit, "empty", 0), answers("third"), answers("still third"), answers("first"))
		g.others = map[string]bool{"q/second": true, "r/third": true, "p/m": true}
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "assistant error busy", "turn_end",
			"retry_fallback_applied p/m>q/second default", "auto_retry_start 1 delay=false",
			"agent_start", "turn_start", "assistant error empty", "turn_end",
			"retry_fallback_applied q/second>r/third default", "auto_retry_start 2 delay=false",
			"agent_start", "turn_start", "assistant stop third", "auto_retry_end true 2", "retry_fallback_succeeded r/third default", "turn_end", "agent_end 1")
		g.want(g.asked(2), "user go")
		if state, err := g.State(t.Context()); err != nil || state.Model.Ref() != "r/third" {
			t.Error(state.Model, err)
		}
		if choice, err := g.Choice(t.Context()); err != nil || choice.Model.Ref() != "p/m" {
			t.Error("the next session begins with", choice.Model, err)
		}
		g.ask("more")
		time.Sleep(modelRest)
		g.ask("and more")
		var models []string
		for _, r := range g.requests {
			models = append(models, r.Model.Ref())
		}
		g.want(models, "p/m", "q/second", "r/third", "r/third", "p/m")
	})
}

func TestWithoutAnotherModelTheSameIsAskedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) { o.Fallback.Chains = map[string][]string{"default": {"q/gone"}} },
			fails(model.ClassTransient, "busy", 0), answers("ok"))
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "assistant error busy", "turn_end", "auto_retry_start 1 delay=true",
			"agent_start", "turn_start", "assistant stop ok", "auto_retry_end true 1", "turn_end", "agent_end 1")
	})
}

func TestAChoiceOfThePersonEndsTheFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) { o.Fallback.Chains = map[string][]string{"p/m": {"q/second"}} },
			fails(model.ClassTransient, "busy", time.Hour), answers("ok"))
		g.others = map[string]bool{"q/second": true}
		g.ask("go")
		if err := g.SetModel(t.Context(), &model.Model{ID: "chosen", Provider: "x"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		g.ask("more")
		if got := g.requests[2].Model.Ref(); got != "x/chosen" {
			t.Error("asked", got)
		}
	})
}

func TestAnAbortBehindAReminderEndsTheRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, calls("todo", twoTasks), answers("done"), hanging, answers("ok?"))
		say(t, g.Session, "go")
		synctest.Wait()
		wait, err := g.Abort(t.Context())
		if err != nil || wait(t.Context()) != nil {
			t.Fatal(err)
		}
		heard := g.take()
		g.want(heard[9:],
			"todo_reminder 1/3 [{first in_progress} {second pending}]", "agent_start", "turn_start",
			"assistant aborted wait Interrupted by user", "turn_end", "agent_end 1")
		g.want(g.ask("more"), "agent_start", "turn_start", "user more", "assistant stop ok?", "turn_end", "agent_end 2")
	})
}

func TestARunThatNoPersonBeganHasNoBudgetOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) { o.Budget.Turns = 2 }, calls("echo", `{"a":1}`), answers("done?"), calls("echo", `{"a":2}`), answers("again"))
		g.ask("go")
		woken := &message.Custom{Role: message.RoleCustom, CustomType: "async-result", Content: message.Blocks{message.NewText("a job has ended")}}
		if err := g.do(t.Context(), func(st *state) {
			p := &prompt{messages: []message.Message{woken}}
			p.released.Store(true)
			st.open(p)
			st.beginReleased()
		}); err != nil {
			t.Fatal(err)
		}
		if err := g.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.want(g.take(),
			"agent_start", "turn_start", "custom async-result a job has ended", "assistant toolUse echo", "result echo error=false", "turn_end",
			"notice warning The limit of 2 turns a prompt (session.maxTurns) has been reached. The run was ended; the next prompt goes on from here.", "agent_end 3")
	})
}
