package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/transcript"
)

// rules reads rules, each a head by its name.
func rules(t testing.TB, opts rule.Options, heads map[string]string) *rule.Set {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, ".veyyon", "rules")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, head := range heads {
		if err := os.WriteFile(filepath.Join(folder, name+".md"), []byte("---\n"+head+"\n---\nNever do that."), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, faults := rule.Load(rule.Sources{Dir: dir, Agent: dir}, opts)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return set
}

func withRules(set *rule.Set) func(*Options) { return func(o *Options) { o.Rules = set } }

// streams answers in these pieces, and minds no abort.
func streams(pieces ...string) speaks {
	return func(_ context.Context, _ *model.Request, d *model.Draft) error {
		for _, piece := range pieces {
			d.Text(piece)
		}
		return nil
	}
}

// callsBehind answers with a text and a call behind it.
func callsBehind(text, name, args string) speaks {
	return func(ctx context.Context, r *model.Request, d *model.Draft) error {
		d.Text(text)
		return calls(name, args)(ctx, r, d)
	}
}

func TestAnAnswerThatBreaksARuleIsCutOffAndAskedForAnew(t *testing.T) {
	set := rules(t, rule.Options{Interrupt: rule.Always}, map[string]string{"no-any": "condition: as any"})
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, withRules(set), streams("x as", " any", " more"), answers("better"), answers("as any"))
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "ttsr_triggered", "assistant aborted x as any TTSR matched rule: no-any", "turn_end",
			"agent_start", "turn_start", "assistant stop better", "turn_end", "agent_end 1")
		g.want(g.asked(1), "user go", "developer Your answer was stopped")
		messages, err := g.Messages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told, ok := messages[1].(*message.Custom)
		want := "<system-interrupt reason=\"rule_violation\" rule=\"no-any\" path="
		if !ok || told.CustomType != "ttsr-injection" || told.Display || string(told.Details) != `{"rules":["no-any"]}` || !strings.Contains(told.Content.Text(), want) {
			t.Errorf("%+v", messages[1])
		}
		g.want(g.ask("again"), "agent_start", "turn_start", "user again", "assistant stop as any", "turn_end", "agent_end 2") // once
	})
}

func TestNoCallOfAnAnswerThatWasCutOffRuns(t *testing.T) {
	for name, c := range map[string]struct {
		keep bool
		next []string
	}{
		"discard": {false, []string{"user go", "developer Your answer was stopped"}},
		"keep":    {true, []string{"user go", "assistant aborted echo TTSR matched rule: r", "result echo error=true", "developer Your answer was stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			set := rules(t, rule.Options{Interrupt: rule.Always, Keep: c.keep}, map[string]string{"r": "condition: BAD"})
			synctest.Test(t, func(t *testing.T) {
				g := setStage(t, withRules(set), func(_ context.Context, _ *model.Request, d *model.Draft) error {
					d.CallStart("", "echo")
					d.CallArguments(`{"a":1}`)
					d.Text("BAD")
					d.CallStart("", "echo")
					d.CallArguments(`{}`)
					return nil
				}, answers("fine"))
				cut := "assistant aborted BAD echo TTSR matched rule: r"
				g.want(g.ask("go"),
					"agent_start", "turn_start", "user go", "ttsr_triggered", cut, "result echo error=true", "turn_end",
					"agent_start", "turn_start", "assistant stop fine", "turn_end", "agent_end 1")
				if c.keep {
					c.next[1] = cut
				}
				g.want(g.asked(1), c.next...)
			})
		})
	}
}

func TestARuleThatDoesNotInterruptIsToldWithTheResultOrAfterTheTurn(t *testing.T) {
	set := rules(t, rule.Options{Interrupt: rule.Never}, map[string]string{"call": "condition: WORSE", "prose": "condition: BAD\nscope: text"})
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, withRules(set), calls("echo", `{"a":"WORSE"}`), answers("BAD"), answers("oh"))
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "assistant toolUse echo", "result echo error=false", "turn_end",
			"turn_start", "assistant stop BAD", "turn_end", "turn_start", "assistant stop oh", "turn_end", "agent_end 5")
		request := g.asked(2)
		g.want(request[:4], "user go", "assistant toolUse echo", "result echo error=false", "assistant stop BAD")
		if told := request[4]; !strings.HasPrefix(told, `developer <system-reminder reason="rule_violation" rule="prose"`) {
			t.Error(told)
		}
		result, _ := g.requests[1].Messages[2].(*message.ToolResult)
		if len(result.Content) != 2 || !strings.HasPrefix(result.Content[:1].Text(), "<system-reminder reason=\"rule_violation\" rule=\"call\"") {
			t.Errorf("%+v", result)
		}
	})
}

func TestARuleHeardOnceIsHeardNoMoreAfterAResume(t *testing.T) {
	set := rules(t, rule.Options{Interrupt: rule.Always}, map[string]string{"r": "condition: BAD", "s": "condition: WORSE"})
	dir := t.TempDir()
	var path string
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) {
			o.Rules = set
			o.Log, _ = transcript.New(transcript.Options{Dir: dir, CWD: "/"})
		}, answers("BAD"), answers("ok"))
		g.ask("go")
		path = g.Path()
	})
	synctest.Test(t, func(t *testing.T) {
		log, err := transcript.Open(path, transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := setStage(t, func(o *Options) { o.Rules, o.Log = set, log }, answers("BAD"), answers("WORSE"), answers("ok"))
		g.want(g.ask("go on"), "agent_start", "turn_start", "user go on", "assistant stop BAD", "turn_end", "agent_end 2")
		g.want(g.asked(0), "user go", "developer Your answer was stopped", "assistant stop ok", "user go on")
		g.want(g.ask("and"),
			"agent_start", "turn_start", "user and", "ttsr_triggered", "assistant aborted WORSE TTSR matched rule: s", "turn_end",
			"agent_start", "turn_start", "assistant stop ok", "turn_end", "agent_end 1")
	})
}

func TestRulesDoNotKeepAModelFromEnding(t *testing.T) {
	set := rules(t, rule.Options{Interrupt: rule.Always, AfterGap: true}, map[string]string{"r": "condition: BAD"})
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, withRules(set), answers("BAD"))
		g.ask("go")
		if g.count != maxCuts+1 {
			t.Errorf("asked %d times", g.count)
		}
	})
}

func TestABudgetEndsARunWhoseAnswerWasCutOff(t *testing.T) {
	set := rules(t, rule.Options{Interrupt: rule.Always}, map[string]string{"r": "condition: BAD"})
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) { o.Rules, o.Budget.Turns = set, 1 }, callsBehind("BAD", "echo", "{}"), answers("ok"))
		heard := g.ask("go")
		g.want(heard[3:], "ttsr_triggered", "assistant aborted BAD TTSR matched rule: r", "turn_end",
			"notice warning The limit of 1 turns a prompt (session.maxTurns) has been reached. The run was ended; the next prompt goes on from here.", "agent_end 2")
		g.ask("more")
		g.want(g.asked(1), "user go", "assistant aborted BAD TTSR matched rule: r", "developer The run was ended", "user more")
	})
}

func TestAnAbortWhileACutOffAnswerUnwindsEndsTheRunOnce(t *testing.T) {
	set := rules(t, rule.Options{Interrupt: rule.Always}, map[string]string{"r": "condition: BAD"})
	synctest.Test(t, func(t *testing.T) {
		unwind := make(chan struct{})
		g := setStage(t, withRules(set), func(_ context.Context, _ *model.Request, d *model.Draft) error {
			d.Text("BAD")
			<-unwind // a provider that is slow to hear of its end
			return nil
		}, answers("ok"))
		say(t, g.Session, "go")
		synctest.Wait()
		wait, err := g.Abort(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		close(unwind)
		if err := wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.want(g.take(), "agent_start", "turn_start", "user go", "ttsr_triggered", "assistant aborted BAD TTSR matched rule: r", "turn_end", "agent_end 2")
		g.want(g.ask("more"), "agent_start", "turn_start", "user more", "assistant stop ok", "turn_end", "agent_end 2")
		g.want(g.asked(1), "user go", "assistant aborted BAD TTSR matched rule: r", "user more")
	})
}

// TestAnyConductLeavesAnOrderlySession lets a model break rules, stop early,
// say nothing, go in circles and fail, while a person steers and aborts.
func TestAnyConductLeavesAnOrderlySession(t *testing.T) {
	sets := map[bool]*rule.Set{}
	for _, keep := range []bool{false, true} {
		sets[keep] = rules(t, rule.Options{Interrupt: rule.Always, Keep: keep, AfterGap: true, Gap: 2}, map[string]string{
			"prose": "condition: BAD\nscope: text", "call": "condition: BAD\nscope: tool", "note": "condition: NOTE\ninterruptMode: never",
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		kinds := rapid.SliceOfN(rapid.IntRange(0, 11), 1, 12).Draw(rt, "answers")
		moves := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 8).Draw(rt, "moves")
		pauses := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 100, 700, 5000}), len(moves), len(moves)).Draw(rt, "pauses")
		keep := rapid.Bool().Draw(rt, "keep")
		turns := rapid.IntRange(0, 6).Draw(rt, "budget")
		var wrong string
		synctest.Test(t, func(t *testing.T) {
			var answered []speaks
			for _, kind := range kinds {
				answered = append(answered, anyAnswer(kind))
			}
			var sounds atomic.Pointer[soundness]
			sounds.Store(&soundness{})
			g := setStage(t, func(o *Options) {
				o.Rules, o.Budget.Turns = sets[keep], turns
				o.Fallback.Chains = map[string][]string{"default": {"q/other"}}
				hear := o.Emit
				o.Emit = func(events ...event.Event) {
					hear(events...)
					sounds.Load().take(events)
				}
			}, append(answered, answers("end"))...)
			g.others = map[string]bool{"q/other": true}
			for i, move := range moves {
				g.move(move, i)
				time.Sleep(time.Duration(pauses[i]) * time.Millisecond)
			}
			g.mu.Lock()
			g.answers = g.answers[len(answered):]
			g.mu.Unlock()
			if wait, err := g.Abort(t.Context()); err == nil && wait != nil {
				_ = wait(t.Context())
			}
			if err := g.Settled(t.Context()); err != nil { // queued steering begins a run of its own
				t.Fatal(err)
			}
			g.ask("are you there")
			synctest.Wait()
			s := sounds.Load()
			if wrong = s.wrong; wrong == "" && s.ends != s.prompts {
				wrong = fmt.Sprintf("%d ends of %d prompts", s.ends, s.prompts)
			}
			if wrong == "" {
				messages, err := g.Messages(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				stored := g.opts.Log.Messages()
				if diff := cmp.Diff(asked(messages), asked(stored)); diff != "" {
					wrong = "the file does not hold what the session holds:\n" + diff
				}
			}
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

func asked(messages []message.Message) (out []string) {
	for _, m := range messages {
		out = append(out, brief(m))
	}
	return out
}

func anyAnswer(kind int) speaks {
	switch kind {
	case 0:
		return answers("BAD")
	case 1:
		return calls("echo", `{"a":"BAD"}`)
	case 2:
		return callsBehind("NOTE", "echo", `{"a":"NOTE"}`)
	case 3:
		return answers("")
	case 4:
		return calls("todo", twoTasks)
	case 5:
		return fails(model.ClassTransient, "busy", 0)
	case 6:
		return hanging
	case 7:
		return calls("echo", `{}`)
	case 8:
		return callsBehind("BAD", "echo", `{}`)
	case 9:
		return fails(0, "broken", 0)
	case 10:
		return answers("NOTE")
	}
	return answers("well?")
}

// move is what a person does; the text is new each time.
func (g *stage) move(move, at int) {
	text := Prompt{Text: fmt.Sprint("word ", at)}
	ctx := g.t.Context()
	var release func()
	switch move {
	case 0:
		release, _ = g.Steer(ctx, text)
	case 1:
		release, _ = g.FollowUp(ctx, text)
	case 2:
		_, _ = g.Abort(ctx)
	case 3:
		if accepted, err := g.AbortAndPrompt(ctx, text); err == nil {
			release = accepted.Release
		}
	default:
		if accepted, err := g.Prompt(ctx, text); err == nil {
			release = accepted.Release
		}
	}
	if release != nil {
		release()
	}
}

// soundness follows the starts and ends of a session's events. The loop alone
// writes it, and the test reads it at rest.
type soundness struct {
	run, turn, open bool
	prompts, ends   int
	wrong           string
}

func (s *soundness) take(events []event.Event) {
	for _, e := range events {
		ok := true
		switch e.(type) {
		case event.AgentStart:
			ok = !s.turn
			if !s.run {
				s.prompts++
			}
			s.run = true
		case event.AgentEnd:
			ok = s.run && !s.turn
			s.run = false
			s.ends++
		case event.TurnStart:
			ok = s.run && !s.turn
			s.turn = true
		case event.TurnEnd:
			ok = s.turn && !s.open
			s.turn = false
		case event.MessageStart:
			ok = s.turn && !s.open
			s.open = true
		case event.MessageEnd:
			ok = s.open
			s.open = false
		case event.TTSRTriggered, *event.MessageUpdate:
			ok = s.open
		case event.TodoReminder, event.AutoRetryStart:
			ok = s.run && !s.turn
		}
		if !ok && s.wrong == "" {
			s.wrong = fmt.Sprintf("%s out of order: %+v", e.Name(), *s)
		}
	}
}
