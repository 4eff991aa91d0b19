package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
)

func modelCommand(ctx context.Context, t Target, args string) (Effect, error) {
	if args == "" {
		state, err := t.State(ctx)
		switch {
		case err != nil:
			return Effect{}, err
		case state.Model == nil:
			return say("No model is currently selected.")
		}
		return say("Current model: " + state.Model.Ref())
	}
	models, err := t.AvailableModels(ctx)
	if err != nil {
		return Effect{}, err
	}
	provider, id, _ := strings.Cut(args, "/")
	if i := slices.IndexFunc(models, func(m *model.Model) bool { return args == m.ID }); i >= 0 {
		provider, id = models[i].Provider, models[i].ID
	}
	m, err := t.SetModel(ctx, provider, id)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return say(fmt.Sprintf("Unknown model: %s. The command get_available_models lists those that can be used.", args))
	case err != nil:
		return Effect{}, err
	}
	return Effect{Output: "Model set to " + m.Ref() + ".", Title: true, Config: true}, nil
}

func thinking(ctx context.Context, t Target, args string) (Effect, error) {
	levels, err := t.ThinkingLevels(ctx)
	if err != nil {
		return Effect{}, err
	}
	choose := choices(levels)
	if args != "" {
		err := t.SetThinkingLevel(ctx, args)
		switch {
		case err != nil && choose != "":
			return say("Unknown thinking level: " + args + "." + choose)
		case err != nil:
			return say(err.Error())
		}
		return Effect{Output: "Thinking effort set to " + args + ".", Config: true}, nil
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	return say(fmt.Sprintf("Thinking effort: %s.%s Usage: /thinking <level>", state.ThinkingLevel, choose))
}

// choices tells which levels there are, "" for none.
func choices(levels []model.Level) string {
	names := make([]string, len(levels))
	for i, level := range levels {
		names[i] = string(level)
	}
	if len(names) == 0 {
		return ""
	}
	return " Choose one of: " + strings.Join(names, ", ") + "."
}
