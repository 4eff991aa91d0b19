package google

import (
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/model"
)

type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"` // tokens; 0 is off, -1 the model's choice
}

// thinking says how hard the model thinks (facts/agent 10.1), nil when it is
// not told.
func thinking(req *model.Request) *thinkingConfig {
	m, level := req.Model, req.Thinking
	if !m.Reasoning {
		return nil
	}
	on := req.Thinks()
	if byLevel(m) {
		return &thinkingConfig{IncludeThoughts: on, ThinkingLevel: levelWord(m, level)}
	}
	if !on && m.Thinking != nil && m.Thinking.RequireEffort {
		return nil
	}
	budget, set := req.Tuned().Budgets[level]
	if !on || !set {
		budget = budgetOf(m, level)
	}
	return &thinkingConfig{IncludeThoughts: on, ThinkingBudget: &budget}
}

func byLevel(m *model.Model) bool {
	if m.Thinking != nil && m.Thinking.Mode == "google-level" {
		return true
	}
	return strings.Contains(m.ID, "gemini-3")
}

// levelWord is the dialect's word. Thinking that goes by level cannot be
// switched off, only down.
func levelWord(m *model.Model, level model.Level) string {
	if m.Thinking != nil {
		if (level == model.LevelOff || level == "") && len(m.Thinking.Efforts) > 0 {
			level = m.Thinking.Efforts[0]
		}
		if word, ok := m.Thinking.EffortMap[level]; ok {
			return word
		}
	}
	pro := strings.Contains(m.ID, "pro")
	switch level {
	case model.LevelMinimal, model.LevelOff, "":
		if pro && !lists(m, level) {
			return "LOW"
		}
		return "MINIMAL"
	case model.LevelLow:
		return "LOW"
	case model.LevelMedium:
		if pro && !lists(m, model.LevelMedium) {
			return "HIGH"
		}
		return "MEDIUM"
	default:
		return "HIGH"
	}
}

func lists(m *model.Model, level model.Level) bool {
	return m.Thinking != nil && slices.Contains(m.Thinking.Efforts, level)
}

// budgetOf is how many tokens the model may think for.
func budgetOf(m *model.Model, level model.Level) int {
	const dynamic = -1
	off := level == model.LevelOff || level == ""
	switch {
	case off && strings.Contains(m.ID, "2.5-pro"):
		return 128 // it always thinks
	case off:
		return 0
	case !strings.Contains(m.ID, "2.5"):
		return dynamic
	case level == model.LevelMinimal && strings.Contains(m.ID, "flash-lite"):
		return 512 // the least it accepts
	case level == model.LevelMinimal:
		return 128
	case level == model.LevelLow:
		return 2048
	case level == model.LevelMedium:
		return 8192
	case strings.Contains(m.ID, "pro"):
		return 32768
	default:
		return 24576
	}
}
