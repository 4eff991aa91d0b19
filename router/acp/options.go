package acp

import (
	"context"
	"slices"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

// The options of a session. Protocol: "Config options".
const (
	optionMode     = "mode"
	optionModel    = "model"
	optionThinking = "thinking"
)

// The modes. Protocol: "Modes".
const (
	modeDefault = "default"
	modePlan    = "plan"
)

// modes are those of a session.
func (one *session) modes(ctx context.Context) (wire.Modes, error) {
	planning, err := one.agent.Planning(ctx)
	modes := wire.Modes{CurrentModeID: modeOf(planning), AvailableModes: []wire.Mode{
		{ID: modeDefault, Name: "Default", Description: "Standard ACP headless mode"},
	}}
	if one.agent.Plans() {
		modes.AvailableModes = append(modes.AvailableModes, wire.Mode{
			ID: modePlan, Name: "Plan", Description: "Read-only planning mode that drafts a plan to a markdown file before any code changes",
		})
	}
	return modes, err
}

func modeOf(planning bool) string {
	if planning {
		return modePlan
	}
	return modeDefault
}

// options are those of a session, in the order of facts/acp 5.3.
func (one *session) options(ctx context.Context) ([]wire.ConfigOption, error) {
	state, err := one.agent.State(ctx)
	if err != nil {
		return nil, err
	}
	modes, err := one.modes(ctx)
	if err != nil {
		return nil, err
	}
	mode := wire.ConfigOption{ID: optionMode, Name: "Mode", Category: "mode", Type: "select", CurrentValue: modes.CurrentModeID}
	for _, m := range modes.AvailableModes {
		mode.Options = append(mode.Options, wire.Choice{Value: m.ID, Name: m.Name, Description: m.Description})
	}
	options := []wire.ConfigOption{mode}
	models, err := one.agent.AvailableModels(ctx)
	if err != nil {
		return nil, err
	}
	if len(models) > 0 {
		options = append(options, modelOption(models, state.Model))
	}
	return append(options, thinkingOption(state.Model, state.ThinkingLevel)), nil
}

func modelOption(models []*model.Model, current *model.Model) wire.ConfigOption {
	option := wire.ConfigOption{ID: optionModel, Name: "Model", Category: "model", Type: "select", CurrentValue: models[0].Ref()}
	if current != nil {
		option.CurrentValue = current.Ref()
		if !slices.ContainsFunc(models, func(m *model.Model) bool { return m.Ref() == current.Ref() }) {
			models = append([]*model.Model{current}, models...)
		}
	}
	for _, m := range models {
		option.Options = append(option.Options, wire.Choice{Value: m.Ref(), Name: m.Name, Description: m.Ref()})
	}
	return option
}

func thinkingOption(m *model.Model, level model.Level) wire.ConfigOption {
	option := wire.ConfigOption{ID: optionThinking, Name: "Thinking", Category: "thought_level", Type: "select", CurrentValue: string(model.LevelOff)}
	option.Options = []wire.Choice{{Value: string(model.LevelOff), Name: "Off"}}
	if m == nil {
		return option
	}
	for _, l := range registry.Levels(m) {
		if l != model.LevelOff {
			option.Options = append(option.Options, wire.Choice{Value: string(l), Name: string(l)})
		}
	}
	if slices.ContainsFunc(option.Options, func(c wire.Choice) bool { return c.Value == string(level) }) {
		option.CurrentValue = string(level)
	}
	return option
}

// setMode changes the mode, and tells it.
func (s *Server) setMode(ctx context.Context, m wire.SetMode) (router.Answer, error) {
	one, err := s.find(m.SessionID)
	if err != nil {
		return router.Answer{}, err
	}
	if err := one.setMode(ctx, m.ModeID); err != nil {
		return router.Answer{}, err
	}
	_, err = one.tellOptions(ctx)
	return router.Answer{}, err
}

// setMode changes the mode, and tells that alone.
func (one *session) setMode(ctx context.Context, id string) error {
	modes, err := one.modes(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(modes.AvailableModes, func(m wire.Mode) bool { return m.ID == id }) {
		return fault.New(fault.Invalid, "Unsupported ACP mode: "+id)
	}
	return one.agent.SetPlanning(ctx, id == modePlan) // its event tells the mode
}

// setOption changes an option. The answer and one update carry all options.
func (s *Server) setOption(ctx context.Context, o wire.SetOption) (router.Answer, error) {
	one, err := s.find(o.SessionID)
	if err != nil {
		return router.Answer{}, err
	}
	if o.Bool {
		return router.Answer{}, fault.New(fault.Invalid, "Unsupported boolean ACP config option: "+o.ConfigID)
	}
	if err := one.set(ctx, o.ConfigID, o.Value); err != nil {
		return router.Answer{}, err
	}
	options, err := one.tellOptions(ctx)
	return router.Answer{Data: wire.OptionsSet{ConfigOptions: options}}, err
}

func (one *session) set(ctx context.Context, id, value string) error {
	unknown := func(what string) error { return fault.New(fault.Invalid, "Unknown ACP "+what) }
	switch id {
	case optionMode:
		return one.setMode(ctx, value)
	case optionModel:
		models, err := one.agent.AvailableModels(ctx)
		if err != nil {
			return err
		}
		for _, m := range models {
			if m.Ref() == value {
				_, err := one.agent.SetModel(ctx, m.Provider, m.ID)
				return err
			}
		}
		return unknown("model: " + value)
	case optionThinking:
		state, err := one.agent.State(ctx)
		if err != nil {
			return err
		}
		option := thinkingOption(state.Model, state.ThinkingLevel)
		if !slices.ContainsFunc(option.Options, func(c wire.Choice) bool { return c.Value == value }) {
			return unknown("thinking level: " + value)
		}
		if len(option.Options) == 1 {
			return nil // off is all there is
		}
		return one.agent.SetThinkingLevel(ctx, value)
	}
	return unknown("config option: " + id)
}

// tellOptions tells all options.
func (one *session) tellOptions(ctx context.Context) ([]wire.ConfigOption, error) {
	options, err := one.options(ctx)
	if err == nil {
		one.sink.tellOptions(options)
	}
	return options, err
}
