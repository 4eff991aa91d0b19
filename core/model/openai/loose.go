package openai

import (
	"encoding/json"
	"strings"

	"veyyon.dev/veyyon/core/model/wire"
)

// looseChunk reads a chunk whose content is a list of parts, as Mistral's
// reasoning models send it. Only what the typed reading refused comes here.
func looseChunk(data []byte) (chatChunk, error) {
	var loose struct {
		Choices [1]struct {
			Delta struct {
				Content   json.RawMessage `json:"content"`
				ToolCalls []looseCall     `json:"tool_calls"`
			} `json:"delta"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
		Usage *chatUsage `json:"usage"`
		Error any        `json:"error"`
	}
	if err := wire.Unmarshal(data, &loose); err != nil {
		return chatChunk{}, err
	}
	choice := &loose.Choices[0]
	var delta chatDelta
	if err := delta.takeParts(choice.Delta.Content); err != nil {
		return chatChunk{}, err
	}
	if err := delta.takeCalls(choice.Delta.ToolCalls); err != nil {
		return chatChunk{}, err
	}
	return chatChunk{
		Choices: [1]chatChoice{{Delta: delta, FinishReason: choice.FinishReason}}, Usage: loose.Usage, Error: loose.Error,
	}, nil
}

// takeParts reads content that is a string or a list of parts.
func (d *chatDelta) takeParts(raw json.RawMessage) error {
	if len(raw) == 0 || raw[0] != '[' {
		return wire.Unmarshal(orNull(raw), &d.Content)
	}
	var parts []struct {
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if err := wire.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var text, thinking strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text)
		for _, thought := range part.Thinking {
			thinking.WriteString(thought.Text)
		}
	}
	d.Content, d.Reasoning = text.String(), thinking.String()
	return nil
}

// looseCall is a callDelta whose arguments may be an object, as some servers of
// local models send them, in one piece.
type looseCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func (d *chatDelta) takeCalls(loose []looseCall) error {
	for _, l := range loose {
		call := callDelta{Index: l.Index, ID: l.ID}
		call.Function.Name = l.Function.Name
		if raw := l.Function.Arguments; len(raw) > 0 && raw[0] == '{' {
			call.Function.Arguments = string(raw)
		} else if err := wire.Unmarshal(orNull(raw), &call.Function.Arguments); err != nil {
			return err
		}
		d.ToolCalls = append(d.ToolCalls, call)
	}
	return nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
