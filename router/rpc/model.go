package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

func (c *commands) setModel(ctx context.Context, m wire.SetModel) (router.Answer, error) {
	chosen, err := c.agent.SetModel(ctx, m.Provider, m.ModelID)
	return router.Answer{Data: chosen}, err
}

// cycleModel answers null when there is nothing to choose from.
func (c *commands) cycleModel(ctx context.Context, _ struct{}) (router.Answer, error) {
	cycled, err := c.agent.CycleModel(ctx)
	if cycled == nil {
		return router.Answer{Data: frames.Null}, err
	}
	return router.Answer{Data: cycled}, err
}

// thinking is the data of cycle_thinking_level.
type thinking struct {
	Level model.Level `json:"level"`
}

// cycleThinkingLevel answers null when the model does not reason.
func (c *commands) cycleThinkingLevel(ctx context.Context, _ struct{}) (router.Answer, error) {
	level, err := c.agent.CycleThinkingLevel(ctx)
	if level == "" {
		return router.Answer{Data: frames.Null}, err
	}
	return router.Answer{Data: thinking{level}}, err
}
