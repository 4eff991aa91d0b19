package core

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/session"
)

// CycledModel answers cycle_model.
type CycledModel struct {
	Model         *model.Model `json:"model"`
	ThinkingLevel model.Level  `json:"thinkingLevel,omitempty"`
	IsScoped      bool         `json:"isScoped"`
}

// SetModel chooses the model of the next request, by its exact names; a model
// that is not known has the code fault.NotFound.
func (a *Agent) SetModel(ctx context.Context, provider, id string) (*model.Model, error) {
	m, ok := a.opts.Models.Find(provider, id)
	if !ok {
		return nil, fault.Newf(fault.NotFound, "Model not found: %s/%s", provider, id)
	}
	return m, a.tell(ctx, func(front *session.Session) error { return front.SetModel(ctx, m) })
}

// CycleModel goes to the next model; nil when there is none to go to.
func (a *Agent) CycleModel(ctx context.Context) (*CycledModel, error) {
	candidates := a.opts.Scope
	if candidates == nil {
		candidates = a.opts.Models.Available()
	}
	if len(candidates) < 2 {
		return nil, nil
	}
	state, err := a.State(ctx)
	if err != nil {
		return nil, err
	}
	next := candidates[0]
	for i, m := range candidates {
		if state.Model != nil && m.Ref() == state.Model.Ref() {
			next = candidates[(i+1)%len(candidates)]
		}
	}
	if err := a.tell(ctx, func(front *session.Session) error { return front.SetModel(ctx, next) }); err != nil {
		return nil, err
	}
	state, err = a.State(ctx)
	return &CycledModel{Model: next, ThinkingLevel: state.ThinkingLevel, IsScoped: a.opts.Scope != nil}, err
}

// AvailableModels lists the models whose provider has credentials.
func (a *Agent) AvailableModels(context.Context) ([]*model.Model, error) {
	return a.opts.Models.Available(), nil
}

// SetThinkingLevel asks for a level: one that the model accepts, auto or
// inherit.
func (a *Agent) SetThinkingLevel(ctx context.Context, level string) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetThinkingLevel(ctx, model.Level(level)) })
}

// ThinkingLevels lists the levels that the model accepts; empty without a model
// that reasons.
func (a *Agent) ThinkingLevels(ctx context.Context) ([]model.Level, error) {
	state, err := a.State(ctx)
	if err != nil || state.Model == nil {
		return nil, err
	}
	return registry.Levels(state.Model), nil
}

// CycleThinkingLevel returns the next level, "" when the model does not reason.
func (a *Agent) CycleThinkingLevel(ctx context.Context) (model.Level, error) {
	return moving(ctx, a, func(front *session.Session) (model.Level, error) { return front.CycleThinkingLevel(ctx) })
}
