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
	return Effect{Output: "Model set to " + m.Ref() + ".", Config: true}, nil
}

func thinking(ctx context.Context, t Target, args string) (Effect, error) {
	if args != "" {
		if err := t.SetThinkingLevel(ctx, args); err != nil {
			return say(err.Error())
		}
		return Effect{Output: "Thinking effort set to " + args + ".", Config: true}, nil
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	levels, err := t.ThinkingLevels(ctx)
	if err != nil {
		return Effect{}, err
	}
	choose := ""
	if len(levels) > 0 {
		choose = " Choose one of:"
		for _, level := range levels {
			choose += " " + string(level) + ","
		}
		choose = strings.TrimSuffix(choose, ",") + "."
	}
	return say(fmt.Sprintf("Thinking effort: %s.%s Usage: /thinking <level>", state.ThinkingLevel, choose))
}
