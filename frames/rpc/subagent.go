package rpc

import (
	"errors"
	"strconv"
)

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
		if m.FromByte, err = strconv.ParseFloat(string(value), 64); err != nil {
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
