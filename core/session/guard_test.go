package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
)

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
				turns := make([]speaks, 0, len(round)*(usualRepeats+moreRepeats))
				for range usualRepeats + moreRepeats {
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

func TestJobsDoNotGoOnBeyondABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, func(o *Options) {
			o.Budget.Turns, o.MaxJobs = 2, 3
			o.Tools = func() tool.Set { return tool.NewSet(starter{5}) }
		}, calls("starter", `{}`), answers("waiting"))
		g.ask("go")
		time.Sleep(time.Minute)
		const waits = "notice warning The limit of 2 turns a prompt (session.maxTurns) has been reached. What background jobs have come to waits for the next prompt."
		if got := g.take(); len(got) != 1 || got[0] != waits {
			t.Errorf("behind the run came %q", got)
		}
		if g.count != 2 {
			t.Errorf("%d requests", g.count)
		}
		heard := g.ask("go on")
		if len(heard) < 3 || !strings.HasPrefix(heard[2], "custom async-result") {
			t.Errorf("the next prompt brings %q", heard)
		}
	})
}
