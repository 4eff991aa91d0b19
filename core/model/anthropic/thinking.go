package anthropic

import (
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
)

const (
	// defaultOutput is the limit for a model whose own is unknown; the dialect
	// demands one. In tokens, as all here.
	defaultOutput = 8192
	// minAnswer is what thinking leaves to the answer.
	minAnswer = 1024
	// minBudget is the smallest budget that is accepted.
	minBudget = 1024
)

// budgets are the tokens a level may think for (facts/agent 10.1).
var budgets = map[model.Level]int{
	model.LevelMinimal: 1024, model.LevelLow: 4096, model.LevelMedium: 8192,
	model.LevelHigh: 16384, model.LevelXHigh: 32768, model.LevelMax: 32768,
}

// think sets the output limit, and how hard the model thinks.
func (r *request) think(req *model.Request) {
	r.MaxTokens = replay.OutputLimit(req)
	if r.MaxTokens == 0 {
		r.MaxTokens = defaultOutput
	}
	if !req.Model.Reasoning {
		return
	}
	mode := ""
	if req.Model.Thinking != nil {
		mode = req.Model.Thinking.Mode
	}
	on := req.Thinks()
	switch {
	case mode == "anthropic-adaptive" && on:
		r.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		r.OutputConfig = &outputConfig{effort(req)}
	case mode == "anthropic-adaptive" && !req.Model.Thinking.RequireEffort:
		r.Thinking = &thinking{Type: "disabled"}
	case on:
		r.budget(req)
		if mode == "anthropic-budget-effort" {
			r.OutputConfig = &outputConfig{effort(req)}
		}
	}
}

// budget lets the model think in tokens of its own, on top of the answer's as
// far as the model's limit goes.
func (r *request) budget(req *model.Request) {
	budget, set := req.Tuned().Budgets[req.Thinking]
	if !set {
		budget = budgets[req.Thinking]
	}
	most := max(r.MaxTokens, min(req.Model.MaxTokens, replay.MaxOutput))
	if req.MaxTokens > 0 {
		r.MaxTokens = min(r.MaxTokens+budget, most)
	}
	budget = min(budget, r.MaxTokens-minAnswer)
	if budget >= minBudget {
		r.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
	}
}

func effort(req *model.Request) string {
	if word, ok := req.Model.Thinking.EffortMap[req.Thinking]; ok {
		return word
	}
	if req.Thinking == model.LevelMinimal {
		return string(model.LevelLow) // the dialect has no word below
	}
	return string(req.Thinking)
}
