package core

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// HostTool is a tool the host brought along. Protocol: "set_host_tools payload".
type HostTool struct {
	Name        string
	Label       string
	Description string
	Parameters  json.RawMessage
	Hidden      bool
}

// SetHostTools replaces the host's tools, from the next model call on. Names of
// other tools are refused (fault.Invalid), and then nothing changes. Calls under
// way go on.
func (a *Agent) SetHostTools(_ context.Context, tools []HostTool) (names []string, err error) {
	names = make([]string, len(tools))
	wrapped := make([]tool.Tool, len(tools))
	for i, t := range tools {
		if _, taken := a.opts.Tools.Lookup(t.Name); taken {
			return nil, fault.New(fault.Invalid, `RPC host tool "`+t.Name+`" conflicts with an existing tool`)
		}
		names[i], wrapped[i] = t.Name, hostTool{t, a.opts.HostTools}
	}
	set := a.opts.Tools.With(wrapped...)
	a.tools.Store(&set)
	return names, nil
}

// hostTool runs at the host.
type hostTool struct {
	HostTool
	host host.Tools
}

func (t hostTool) Spec() tool.Spec {
	return tool.Spec{Name: t.Name, Label: t.Label, Description: t.Description, Parameters: t.Parameters, Hidden: t.Hidden, Tier: tool.TierExec}
}

func (t hostTool) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	output, err := t.host.Call(ctx, host.ToolCall{ToolCallID: call.ID, ToolName: t.Name, Arguments: call.Args}, call.Update)
	for i, block := range output.Content {
		if text, ok := block.(*message.Text); ok {
			if short, cut := tool.Shorten(text.Text, t.Name, call); cut != nil {
				output.Content[i] = message.NewText(short)
			}
		}
	}
	return output, err
}
