package registry

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/model"
)

func thinker(required bool, fallback model.Level, efforts ...model.Level) *model.Model {
	return &model.Model{Provider: "p", ID: "m", Reasoning: true, Thinking: &model.ThinkingConfig{
		Mode: "effort", Efforts: efforts, RequireEffort: required, DefaultLevel: fallback,
	}}
}

var (
	usualThinker  = thinker(false, "", "minimal", "low", "medium", "high")
	alwaysThinker = thinker(true, "medium", "low", "medium", "xhigh")
	plain         = &model.Model{Provider: "p", ID: "m"}
)

func TestLevelsAreWhatTheModelAccepts(t *testing.T) {
	if diff := cmp.Diff([]model.Level{"off", "minimal", "low", "medium", "high"}, Levels(usualThinker)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]model.Level{"low", "medium", "xhigh"}, Levels(alwaysThinker)); diff != "" {
		t.Error(diff)
	}
	if got := Levels(plain); len(got) > 0 {
		t.Error(got)
	}
}

func TestARefusedLevelIsAnsweredWithTheAcceptedOnes(t *testing.T) {
	for _, c := range []struct {
		m     *model.Model
		level model.Level
		want  string
	}{
		{usualThinker, "loud", "p/m does not accept thinking level loud. Accepted: off, minimal, low, medium, high"},
		{usualThinker, "xhigh", "p/m does not accept thinking level xhigh. Accepted: off, minimal, low, medium, high"},
		{alwaysThinker, "off", "p/m does not accept thinking level off. Accepted: low, medium, xhigh"},
		{plain, "high", "p/m does not accept thinking level high. Accepted: none (this model exposes no effort control)"},
		{plain, "auto", "p/m does not accept thinking level auto. Accepted: none (this model exposes no effort control)"},
	} {
		if err := CheckLevel(c.m, c.level); err == nil || err.Error() != c.want {
			t.Errorf("%v", err)
		}
	}
	for _, err := range []error{
		CheckLevel(usualThinker, "off"), CheckLevel(usualThinker, "auto"), CheckLevel(plain, "inherit"), CheckLevel(nil, "loud"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTheEffectiveLevelIsTheNearestNotAbove(t *testing.T) {
	for _, c := range []struct {
		m           *model.Model
		asked, want model.Level
	}{
		{usualThinker, "max", "high"},
		{usualThinker, "off", "off"},
		{usualThinker, "low", "low"},
		{usualThinker, "auto", "high"},
		{usualThinker, "", "high"},
		{usualThinker, "inherit", "high"},
		{alwaysThinker, "off", "low"},
		{alwaysThinker, "high", "medium"},
		{alwaysThinker, "max", "xhigh"},
		{alwaysThinker, "auto", "medium"},
		{plain, "high", "off"},
	} {
		if got := Effective(c.m, c.asked); got != c.want {
			t.Errorf("%s of %v is %s, want %s", c.asked, Levels(c.m), got, c.want)
		}
	}
}

func TestCyclingGoesRoundAllLevels(t *testing.T) {
	level, seen := model.Level("low"), []model.Level{}
	for range 5 {
		level = NextLevel(usualThinker, level)
		seen = append(seen, level)
	}
	if diff := cmp.Diff([]model.Level{"medium", "high", "off", "minimal", "low"}, seen); diff != "" {
		t.Error(diff)
	}
	if got := NextLevel(usualThinker, "auto"); got != "off" {
		t.Error("after auto comes", got)
	}
	if NextLevel(plain, "off") != "" || NextLevel(nil, "off") != "" {
		t.Error("a level of a model that has none")
	}
}

// Whatever is asked of whatever model, the effective level is one it accepts,
// and asking for an accepted one gives just that.
func TestTheEffectiveLevelIsAlwaysAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		efforts := rapid.SliceOfNDistinct(rapid.SampledFrom(ladder[1:]), 1, 6, rapid.ID).Draw(t, "efforts")
		slices.SortFunc(efforts, func(a, b model.Level) int { return slices.Index(ladder, a) - slices.Index(ladder, b) })
		m := thinker(rapid.Bool().Draw(t, "required"), "", efforts...)
		asked := rapid.SampledFrom(append(slices.Clone(ladder), "auto", "inherit", "", "loud")).Draw(t, "asked")
		got := Effective(m, asked)
		if !slices.Contains(Levels(m), got) || slices.Contains(Levels(m), asked) && got != asked {
			t.Fatalf("%s of %v is %s", asked, Levels(m), got)
		}
	})
}
