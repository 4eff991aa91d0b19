package session

import (
	"veyyon.dev/veyyon/core/message"
)

// contextSize keeps an estimate of the tokens in the context: what the provider
// counted for its last good answer, and a guess for all that came since
// (facts/agent 4.3, 11).
type contextSize struct {
	counted int // prompt tokens of the last good answer, 0 before the first
	since   int // estimated tokens of the messages since, or of all messages
}

// What a token is taken to be (facts/agent 4.3).
const (
	bytesPerToken = 4    // of any text
	imageTokens   = 1200 // of any image
)

func (c *contextSize) add(m message.Message) {
	if a, ok := m.(*message.Assistant); ok && a.StopReason != message.StopError && a.StopReason != message.StopAborted {
		if prompt := a.Usage.Input + a.Usage.CacheRead + a.Usage.CacheWrite; prompt > 0 {
			c.counted, c.since = prompt, 0
			return
		}
	}
	c.since += estimate(m)
}

// remove takes back what add counted for a failed answer.
func (c *contextSize) remove(m *message.Assistant) { c.since -= estimate(m) }

// usage is how full the context window is; nil without a model.
func (st *state) usage() *ContextUsage {
	m := st.choice.Model
	if m == nil {
		return nil
	}
	tokens := st.size.counted + st.size.since
	if st.size.counted == 0 {
		tokens += st.fixedTokens()
	}
	usage := &ContextUsage{Tokens: tokens, ContextWindow: m.ContextWindow}
	if m.ContextWindow > 0 {
		usage.Percent = 100 * float64(tokens) / float64(m.ContextWindow)
	}
	return usage
}

// fixedTokens estimates the system prompt and the tools.
func (st *state) fixedTokens() int {
	bytes := 0
	for _, block := range st.s.opts.System {
		bytes += len(block)
	}
	for _, spec := range st.s.opts.Tools().Offered() {
		bytes += len(spec.Name) + len(spec.Description) + len(spec.Parameters)
	}
	return textTokens(bytes)
}

func textTokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

func estimate(m message.Message) int {
	switch m := m.(type) {
	case *message.User:
		return estimateBlocks(m.Content)
	case *message.Developer:
		return estimateBlocks(m.Content)
	case *message.Assistant:
		return estimateBlocks(m.Content)
	case *message.ToolResult:
		return estimateBlocks(m.Content)
	case *message.Custom:
		return estimateBlocks(m.Content)
	case *message.BashExecution:
		return textTokens(len(m.Command) + len(m.Output))
	case *message.CompactionSummary:
		return textTokens(len(m.Summary))
	case *message.BranchSummary:
		return textTokens(len(m.Summary))
	}
	return 0
}

func estimateBlocks(blocks message.Blocks) int {
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
	return tokens + textTokens(bytes)
}
