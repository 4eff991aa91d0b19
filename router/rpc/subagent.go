package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// There are no subagents yet, so the lists are empty and nothing is found.

// subscription is the data of set_subagent_subscription.
type subscription struct {
	Level string `json:"level"`
}

func (c *commands) subscribe(_ context.Context, level string) (router.Answer, error) {
	c.level.Store(level)
	return router.Answer{Data: subscription{level}}, nil
}

// agents is the data of get_subagents: older clients read the second key
// (decisions 7).
type agents struct {
	Agents    []struct{} `json:"agents"`
	Subagents []struct{} `json:"subagents"`
}

func (c *commands) subagents(context.Context, struct{}) (router.Answer, error) {
	none := []struct{}{}
	return router.Answer{Data: agents{none, none}}, nil
}

func (c *commands) subagentMessages(_ context.Context, m wire.SubagentMessages) (router.Answer, error) {
	if m.AgentID != "" {
		return router.Answer{}, fault.New(fault.NotFound, "Unknown agent or session file unavailable: "+m.AgentID)
	}
	return router.Answer{}, fault.New(fault.NotFound, "Unknown agent session file")
}
