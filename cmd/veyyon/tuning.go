package main

import (
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/model"
)

// automatic is what settings say that leave a number to the provider.
const automatic = -1

// tuning is what the settings say of every request.
func tuning(s *config.Settings) *model.Tuning {
	t := &model.Tuning{
		Temperature: chosen(s, config.Temperature), TopP: chosen(s, config.TopP), TopK: chosen(s, config.TopK),
		MinP: chosen(s, config.MinP), PresencePenalty: chosen(s, config.PresencePenalty),
		RepetitionPenalty: chosen(s, config.RepetitionPenalty), NoImages: config.ImagesBlock.Of(s), Budgets: map[model.Level]int{},
	}
	if tier := config.Tier.Of(s); tier != "none" {
		t.Tier = tier
	}
	t.Verbosity, _ = config.Verbosity.Given(s)
	for level, key := range map[model.Level]config.Key[int]{
		model.LevelMinimal: config.BudgetMinimal, model.LevelLow: config.BudgetLow, model.LevelMedium: config.BudgetMedium,
		model.LevelHigh: config.BudgetHigh, model.LevelXHigh: config.BudgetXHigh, model.LevelMax: config.BudgetMax,
	} {
		if tokens, ok := key.Given(s); ok {
			t.Budgets[level] = tokens
		}
	}
	return t
}

// chosen is the number that a setting chooses, nil for none.
func chosen[T int | float64](s *config.Settings, key config.Key[T]) *T {
	n, ok := key.Given(s)
	if !ok || n == automatic {
		return nil
	}
	return &n
}
