// Package compaction plans how a conversation that has grown too long is made
// shorter: what is summarised, what is kept, what a model is asked for the
// summary, and which old tool results say too little to be kept. It only
// computes; asking the model and storing what it says is the session's.
//
// Source: facts/agent 4.
package compaction

import "veyyon.dev/veyyon/core/message"

// What a token is taken to be (facts/agent 4.3).
const (
	bytesPerToken = 4    // of any text
	imageTokens   = 1200 // of any image
)

// TextTokens estimates the tokens of a text of so many bytes.
func TextTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// Tokens estimates what a message costs in a request.
func Tokens(m message.Message) int {
	switch m := m.(type) {
	case *message.User:
		return blockTokens(m.Content)
	case *message.Developer:
		return blockTokens(m.Content)
	case *message.Assistant:
		return blockTokens(m.Content)
	case *message.ToolResult:
		return blockTokens(m.Content)
	case *message.Custom:
		return blockTokens(m.Content)
	case *message.BashExecution:
		return TextTokens(len(m.Command) + len(m.Output))
	case *message.CompactionSummary:
		return TextTokens(len(m.Summary))
	case *message.BranchSummary:
		return TextTokens(len(m.Summary))
	}
	return 0
}

// Total estimates what these messages cost.
func Total(messages []message.Message) int {
	tokens := 0
	for _, m := range messages {
		tokens += Tokens(m)
	}
	return tokens
}

func blockTokens(blocks message.Blocks) int {
	tokens, bytes := 0, 0
	for _, block := range blocks {
		switch b := block.(type) {
		case *message.Text:
			bytes += len(b.Text)
		case *message.Thinking:
			bytes += len(b.Thinking) + len(b.Signature)
		case *message.ToolCall:
			bytes += len(b.Name) + len(b.Arguments)
		case *message.Image:
			tokens += imageTokens
		}
	}
	return tokens + TextTokens(bytes)
}
