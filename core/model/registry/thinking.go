package registry

import (
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/model"
)

// ladder is all effective levels, ascending.
var ladder = []model.Level{
	model.LevelOff, model.LevelMinimal, model.LevelLow, model.LevelMedium, model.LevelHigh, model.LevelXHigh, model.LevelMax,
}

// Levels are the effective levels a model accepts, ascending: off, unless it
// cannot be switched off, then its efforts. It is empty for a model that does
// not reason or cannot be told how hard.
func Levels(m *model.Model) []model.Level {
	if !m.Reasoning || m.Thinking == nil {
		return nil
	}
	if m.Thinking.RequireEffort {
		return m.Thinking.Efforts
	}
	return append([]model.Level{model.LevelOff}, m.Thinking.Efforts...)
}

// CheckLevel tells whether set_thinking_level may ask the model for this: one
// of Levels, auto where there are any, or inherit; anything when no model is
// selected (nil). The error is the protocol's text.
//
// Protocol: facts/rpc 5.18.
func CheckLevel(m *model.Model, level model.Level) error {
	if m == nil || level == model.LevelInherit {
		return nil
	}
	levels := Levels(m)
	if slices.Contains(levels, level) || level == model.LevelAuto && len(levels) > 0 {
		return nil
	}
	accepted := "none (this model exposes no effort control)"
	if len(levels) > 0 {
		accepted = joinLevels(levels)
	}
	return fmt.Errorf("%s does not accept thinking level %s. Accepted: %s", m.Ref(), level, accepted)
}

// Effective is the level a request is made with when this one was asked for:
// the nearest the model has that is not above it, else its lowest; off when it
// has none. auto, inherit and unknown words stand for the model's default
// level, or high.
func Effective(m *model.Model, asked model.Level) model.Level {
	levels := Levels(m)
	if len(levels) == 0 {
		return model.LevelOff
	}
	rung := slices.Index(ladder, asked)
	if rung < 0 {
		rung = slices.Index(ladder, m.Thinking.DefaultLevel)
	}
	if rung < 0 {
		rung = slices.Index(ladder, model.LevelHigh)
	}
	best := levels[0]
	for _, level := range levels {
		if slices.Index(ladder, level) <= rung {
			best = level
		}
	}
	return best
}

// NextLevel is the level after this one, going round; "" when there is none to
// choose from. The model may be nil.
func NextLevel(m *model.Model, current model.Level) model.Level {
	if m == nil {
		return ""
	}
	levels := Levels(m)
	if len(levels) == 0 {
		return ""
	}
	return levels[(slices.Index(levels, current)+1)%len(levels)] // of an unknown one (-1) it is the first
}

// defaultThinking is for a model of models.yml that reasons and does not say
// how.
func defaultThinking(api model.API) *model.ThinkingConfig {
	config := &model.ThinkingConfig{
		Mode:    "effort",
		Efforts: []model.Level{model.LevelMinimal, model.LevelLow, model.LevelMedium, model.LevelHigh},
	}
	if api == model.APIAnthropic || api == model.APIGoogle {
		config.Mode = "budget"
	}
	return config
}

func joinLevels(levels []model.Level) string {
	words := make([]string, len(levels))
	for i, level := range levels {
		words[i] = string(level)
	}
	return strings.Join(words, ", ")
}
