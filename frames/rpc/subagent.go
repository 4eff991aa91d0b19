package rpc

import (
	"errors"
	"math"
	"strconv"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/frames"
)

// SubagentEvent is the body of a subagent_event: an event of an agent's session,
// as it would stand in front.
type SubagentEvent struct {
	ID    string
	Event frames.Note
}

func (c *Codec) appendNested(name string, e SubagentEvent) (frames.Line, error) {
	inner, err := c.Encode(e.Event)
	if err != nil {
		return nil, err
	}
	line := frames.AppendString([]byte(`{"type":`), name)
	line = frames.AppendString(append(line, `,"payload":{"id":`...), e.ID)
	line = append(append(line, `,"event":`...), inner...)
	return append(line, '}', '}'), nil
}

// AgentReport is the body of a subagent_progress. A newer one of the same agent
// supersedes it.
type AgentReport event.SubagentProgress

// Supersedes returns what all reports of one agent share.
func (r AgentReport) Supersedes() string { return "subagent_progress " + r.Payload.Progress.ID }

// SubagentMessages is the arguments of get_subagent_messages; one of AgentID
// and SessionFile is set, and AgentID wins.
type SubagentMessages struct {
	AgentID     string
	SessionFile string
	FromByte    float64 // 0 when absent
}

// DecodeSubagentMessages reads a SubagentMessages (facts/rpc 5.14). The agent
// may also be named by the older key subagentId.
func DecodeSubagentMessages(o Object) (m SubagentMessages, err error) {
	if value, ok := o.Get("fromByte"); ok {
		if m.FromByte, err = strconv.ParseFloat(string(value), 64); err != nil || math.IsInf(m.FromByte, 0) {
			return m, errors.New("fromByte must be a finite number")
		}
	}
	if m.AgentID, err = o.OptString("agentId"); err != nil {
		return m, err
	}
	if m.AgentID == "" {
		if m.AgentID, err = o.OptString("subagentId"); err != nil {
			return m, err
		}
	}
	if m.SessionFile, err = o.OptString("sessionFile"); err != nil {
		return m, err
	}
	if m.AgentID == "" && m.SessionFile == "" {
		return m, errors.New("get_subagent_messages requires agentId or sessionFile")
	}
	return m, nil
}
