package session

import (
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core/model"
)

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
