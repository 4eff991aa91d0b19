package message

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Block is one of *Text, *Thinking, *RedactedThinking, *Image, *ToolCall or
// *UnknownBlock.
type Block interface{ kind() string }

// Text is plain text.
type Text struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Signature string `json:"textSignature,omitempty"`
}

// Thinking is the model's reasoning. Signature goes back to the same provider
// and model family verbatim, and to no other.
type Thinking struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"thinkingSignature,omitempty"`
	ItemID    string `json:"itemId,omitempty"`
}

// RedactedThinking is reasoning the provider keeps sealed.
type RedactedThinking struct {
	Type string `json:"type"`
	Data string `json:"data"`
}

// Image holds base64 data without a data: prefix.
type Image struct {
	Type     string `json:"type"`
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
	Detail   string `json:"detail,omitempty"`
}

// ToolCall asks for a tool. Arguments is always one JSON object; what could not
// be parsed arrives as {"__parseError": TEXT, "__rawJson": TEXT}.
type ToolCall struct {
	Type             string          `json:"type"`
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	Arguments        json.RawMessage `json:"arguments"`
	ThoughtSignature string          `json:"thoughtSignature,omitempty"`
}

// UnknownBlock is a stored block of a type we do not produce, kept as it was.
type UnknownBlock struct{ Raw json.RawMessage }

// MarshalJSON returns the bytes as they were read.
func (u UnknownBlock) MarshalJSON() ([]byte, error) { return u.Raw, nil }

func (*Text) kind() string             { return "text" }
func (*Thinking) kind() string         { return "thinking" }
func (*RedactedThinking) kind() string { return "redactedThinking" }
func (*Image) kind() string            { return "image" }
func (*ToolCall) kind() string         { return "toolCall" }
func (*UnknownBlock) kind() string     { return "" }

// NewText returns a text block.
func NewText(text string) *Text { return &Text{Type: "text", Text: text} }

// NewImage returns an image block; data is base64.
func NewImage(data, mimeType string) *Image {
	return &Image{Type: "image", Data: data, MimeType: mimeType}
}

// Blocks is the content of a message. It reads a plain JSON string as one text
// block, and writes an empty list as [] (never null).
type Blocks []Block

// MarshalJSON writes the list, [] when there is none.
func (b Blocks) MarshalJSON() ([]byte, error) {
	if len(b) == 0 {
		return []byte("[]"), nil
	}
	return Marshal([]Block(b))
}

// UnmarshalJSON accepts a list of blocks, a string, or null.
func (b *Blocks) UnmarshalJSON(raw []byte) error {
	*b = Blocks{}
	if len(raw) > 0 && raw[0] == '"' {
		text := ""
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		*b = Blocks{NewText(text)}
		return nil
	}
	if blocks, ok := decodeKnown(raw); ok {
		*b = blocks
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	for i, item := range items {
		block, err := decodeBlock(item)
		if err != nil {
			return fmt.Errorf("content block %d: %w", i, err)
		}
		*b = append(*b, block)
	}
	return nil
}

// decodeKnown reads a list of blocks in one pass, which is what loading a long
// session spends its time on. It is not ok when a block is of an unknown type or
// does not fit its own: the slow way then keeps the one and names the other.
func decodeKnown(raw []byte) (Blocks, bool) {
	var items []struct {
		ToolCall                 // type, id, name, arguments, thoughtSignature
		Text              string `json:"text"`
		TextSignature     string `json:"textSignature"`
		Thinking          string `json:"thinking"`
		ThinkingSignature string `json:"thinkingSignature"`
		ItemID            string `json:"itemId"`
		Data              string `json:"data"`
		MimeType          string `json:"mimeType"`
		Detail            string `json:"detail"`
	}
	if json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	blocks := make(Blocks, 0, len(items))
	for i := range items {
		item := &items[i]
		var block Block
		switch item.Type {
		case "text":
			block = &Text{Type: item.Type, Text: item.Text, Signature: item.TextSignature}
		case "thinking":
			block = &Thinking{Type: item.Type, Thinking: item.Thinking, Signature: item.ThinkingSignature, ItemID: item.ItemID}
		case "redactedThinking":
			block = &RedactedThinking{Type: item.Type, Data: item.Data}
		case "image":
			block = &Image{Type: item.Type, Data: item.Data, MimeType: item.MimeType, Detail: item.Detail}
		case "toolCall":
			call := item.ToolCall
			block = &call
		default:
			return nil, false
		}
		blocks = append(blocks, block)
	}
	return blocks, true
}

func decodeBlock(raw json.RawMessage) (Block, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	var block Block
	switch head.Type {
	case "text":
		block = &Text{}
	case "thinking":
		block = &Thinking{}
	case "redactedThinking":
		block = &RedactedThinking{}
	case "image":
		block = &Image{}
	case "toolCall":
		block = &ToolCall{}
	default:
		return &UnknownBlock{Raw: append(json.RawMessage(nil), raw...)}, nil
	}
	return block, json.Unmarshal(raw, block)
}

// Text joins the text blocks.
func (b Blocks) Text() string { return b.Join("") }

// Join joins the text blocks with a separator between them.
func (b Blocks) Join(separator string) string {
	var texts []string
	for _, block := range b {
		if text, ok := block.(*Text); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, separator)
}

// ToolCalls returns the tool calls in order.
func (b Blocks) ToolCalls() []*ToolCall {
	var calls []*ToolCall
	for _, block := range b {
		if call, ok := block.(*ToolCall); ok {
			calls = append(calls, call)
		}
	}
	return calls
}
