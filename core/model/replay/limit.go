package replay

import (
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

const (
	// MaxOutput bounds the tokens of one answer that is asked for.
	MaxOutput = 64_000
	// minOutput is asked for even when the estimate leaves no room, since the
	// estimate may be wrong; the provider has the last word.
	minOutput = 1024
	// bytesPerToken is low, so that the estimate of the input is high.
	bytesPerToken = 3
	imageTokens   = 1600
)

// OutputLimit is how many tokens the answer may have: what was asked for, else
// the model's own limit, less what the input takes of the context window
// (providers refuse a request whose input and limit exceed it together). 0
// leaves it to the provider.
func OutputLimit(req *model.Request) int {
	limit := req.Model.MaxTokens
	if req.MaxTokens > 0 {
		limit = req.MaxTokens
	}
	limit = min(limit, MaxOutput)
	if limit <= 0 || req.Model.ContextWindow <= 0 {
		return max(limit, 0)
	}
	room := req.Model.ContextWindow - inputTokens(req)
	return min(limit, max(room, minOutput))
}

// inputTokens estimates the tokens of the input.
func inputTokens(req *model.Request) int {
	size, images := 0, 0
	for _, text := range req.System {
		size += len(text)
	}
	for _, tool := range req.Tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	for _, m := range req.Messages {
		content := contentOf(m)
		if assistant, ok := m.(*message.Assistant); ok {
			content = assistant.Content
		}
		for _, block := range content {
			switch block := block.(type) {
			case *message.Text:
				size += len(block.Text)
			case *message.Thinking:
				size += len(block.Thinking) + len(block.Signature)
			case *message.ToolCall:
				size += len(block.Name) + len(block.Arguments)
			case *message.Image:
				images++
			}
		}
	}
	return size/bytesPerToken + images*imageTokens
}
