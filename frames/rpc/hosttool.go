package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
)

// The frames of the host tool sub-protocol.
const (
	HostToolCallName   = "host_tool_call"
	HostToolCancelName = "host_tool_cancel"
	HostToolResultName = "host_tool_result"
	HostToolUpdateName = "host_tool_update"
)

// HostTool is a tool as set_host_tools brings it.
type HostTool struct {
	Name        string
	Label       string
	Description string
	Parameters  json.RawMessage
	Hidden      bool
}

// HostToolCall is the body of a host_tool_call.
type HostToolCall struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Arguments  json.RawMessage `json:"arguments"`
}

// Withdrawal is the body of the frames that take back an ask.
type Withdrawal struct {
	ID       string `json:"id"`
	TargetID string `json:"targetId"`
}

// HostToolResult is the body of a host_tool_result; IsError is the frame's own.
// The body of a host_tool_update is an event.ToolOutput.
type HostToolResult struct {
	Output  event.ToolOutput
	IsError bool
}

var errToolNames = wrong("RPC host tool names must be unique")

// DecodeHostTools reads the tools of set_host_tools (facts/rpc 10.1). Whether a
// name is taken by another tool is not known here.
func DecodeHostTools(o Object) ([]HostTool, error) {
	items, err := o.Array("tools")
	if err != nil {
		return nil, err
	}
	tools, seen := make([]HostTool, len(items)), map[string]bool{}
	unique := true
	for i, item := range items {
		if tools[i], err = decodeHostTool(i, item); err != nil {
			return nil, err
		}
		unique = unique && !seen[tools[i].Name]
		seen[tools[i].Name] = true
	}
	if !unique {
		return nil, errToolNames
	}
	return tools, nil
}

func decodeHostTool(i int, raw json.RawMessage) (tool HostTool, err error) {
	var o Object // stays empty, without fields, when it is no object
	if frames.IsObject(raw) {
		o = Object(raw)
	}
	if tool.Name = trimmed(o, "name"); tool.Name == "" {
		return tool, wrong("Host tool at index %d must provide a non-empty name", i)
	}
	if tool.Description = trimmed(o, "description"); tool.Description == "" {
		return tool, wrong("Host tool \"%s\" must provide a non-empty description", tool.Name)
	}
	schema, ok := o.Object("parameters")
	if !ok {
		return tool, wrong("Host tool \"%s\" must provide a JSON Schema object", tool.Name)
	}
	tool.Parameters = bytes.Clone(schema)
	if tool.Label = trimmed(o, "label"); tool.Label == "" {
		tool.Label = tool.Name
	}
	tool.Hidden = o.IsTrue("hidden")
	return tool, nil
}

// trimmed returns a string field without white space around it, "" when there
// is no such string.
func trimmed(o Object, key string) string {
	text, _ := o.OptString(key)
	return strings.TrimSpace(text)
}

func decodeHostToolResult(o Object) (any, bool) {
	output, ok := decodeToolOutput(o, "result")
	return HostToolResult{Output: output, IsError: o.Truthy("isError")}, ok
}

func decodeHostToolUpdate(o Object) (any, bool) { return decodeToolOutput(o, "partialResult") }

// decodeToolOutput reads what a host's tool gives. ok is false when there is no
// content array. Blocks that are neither text nor image are dropped, and the
// output becomes an error that says so (facts/rpc 10.3).
func decodeToolOutput(o Object, key string) (output event.ToolOutput, ok bool) {
	result, _ := o.Object(key)
	items, err := result.Array("content")
	if err != nil {
		return output, false
	}
	output.Content = message.Blocks{}
	for _, item := range items {
		if block := decodeToolBlock(item); block != nil {
			output.Content = append(output.Content, block)
		}
	}
	output.IsError, output.Useless = result.IsTrue("isError"), result.IsTrue("useless")
	if dropped := len(items) - len(output.Content); dropped > 0 {
		output.IsError = true
		output.Content = append(output.Content, message.NewText(
			fmt.Sprintf("The host tool returned %d content blocks that are neither text nor image; they were dropped.", dropped)))
	}
	if result.Set("details") {
		details, _ := result.Get("details")
		output.Details = bytes.Clone(details)
	}
	return output, true
}

// decodeToolBlock returns nil for a block of another shape.
func decodeToolBlock(raw json.RawMessage) message.Block {
	if !frames.IsObject(raw) {
		return nil
	}
	o := Object(raw)
	switch o.Shown("type") {
	case "text":
		if text, err := o.String("text"); err == nil {
			return message.NewText(text)
		}
	case "image":
		if image, err := decodeImage(o); err == nil {
			return image
		}
	}
	return nil
}
