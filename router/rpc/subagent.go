package rpc

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/transcript"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// subscription is the data of set_subagent_subscription.
type subscription struct {
	Level string `json:"level"`
}

func (c *commands) subscribe(_ context.Context, level string) (router.Answer, error) {
	c.agent.Subscribe(subagent.Levels[level])
	return router.Answer{Data: subscription{level}}, nil
}

// agents is the data of get_subagents: older clients read the second key
// (decisions 7).
type agents struct {
	Agents    []subagent.Snapshot `json:"agents"`
	Subagents []subagent.Snapshot `json:"subagents"`
}

func (c *commands) subagents(context.Context, struct{}) (router.Answer, error) {
	running := c.agent.Subagents()
	return router.Answer{Data: agents{running, running}}, nil
}

// agentMessages is the data of get_subagent_messages (facts/rpc 6.12).
type agentMessages struct {
	SessionFile string            `json:"sessionFile"`
	FromByte    int64             `json:"fromByte"`
	NextByte    int64             `json:"nextByte"`
	Reset       bool              `json:"reset"`
	Entries     []json.RawMessage `json:"entries"`
	Messages    []json.RawMessage `json:"messages"`
}

// maxAgentBytes bounds what one answer holds of a transcript, in bytes; the rest
// is behind nextByte.
const maxAgentBytes = 16 << 20

// subagentMessages finds the transcript in its turn and reads it in a pool.
func (c *commands) subagentMessages(_ context.Context, m wire.SubagentMessages) (router.Finish, error) {
	path, ok := c.agent.SubagentTranscript(m.AgentID, m.SessionFile)
	switch {
	case !ok && m.AgentID != "":
		return nil, fault.New(fault.NotFound, "Unknown agent or session file unavailable: "+m.AgentID)
	case !ok:
		return nil, fault.New(fault.NotFound, "Unknown agent session file")
	}
	return func(context.Context) (router.Answer, error) {
		part, err := transcript.ReadFrom(path, int64(min(max(0, m.FromByte), 1<<53)), maxAgentBytes)
		if err != nil {
			return router.Answer{}, fault.Wrap(fault.IO, err)
		}
		return encode(agentMessages{
			SessionFile: path, FromByte: part.From, NextByte: part.Next, Reset: part.Reset, Entries: part.Entries, Messages: part.Messages(),
		})
	}, nil
}
