package session

import (
	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/message"
)

// contextSize keeps an estimate of the tokens in the context: what the provider
// counted for its last good answer, and a guess for all that came since
// (facts/agent 4.3, 11).
type contextSize struct {
	counted  int // prompt tokens of the last good answer, 0 before the first
	answered int // tokens of that answer itself
	since    int // estimated tokens of the messages since, or of all messages
	all      int // estimated tokens of all messages
	// compacted is when the context was compacted, in milliseconds as messages
	// count: what providers counted until then was another context. 0 for never.
	compacted int64
	// before is what stood here until the last good answer was added; it may be
	// taken out again.
	before struct{ counted, answered, since int }
}

func (c *contextSize) add(m message.Message) {
	tokens := compaction.Tokens(m)
	c.all += tokens
	switch m := m.(type) {
	case *message.CompactionSummary:
		c.compacted = m.Timestamp
	case *message.Assistant:
		if prompt := counted(m); prompt > 0 && m.Timestamp > c.compacted {
			c.before.counted, c.before.answered, c.before.since = c.counted, c.answered, c.since
			c.counted, c.answered, c.since = prompt, m.Usage.Output, 0
			return
		}
	}
	c.since += tokens
}

// counted is how many tokens the provider counted before a good answer; 0 when it
// said nothing or the answer failed.
func counted(a *message.Assistant) int {
	if a.StopReason == message.StopError || a.StopReason == message.StopAborted {
		return 0
	}
	return a.Usage.Input + a.Usage.CacheRead + a.Usage.CacheWrite
}

// remove takes back what add counted for the last answer.
func (c *contextSize) remove(m *message.Assistant) {
	tokens := compaction.Tokens(m)
	c.all -= tokens
	if counted(m) > 0 && m.Timestamp > c.compacted {
		c.counted, c.answered, c.since = c.before.counted, c.before.answered, c.before.since+c.since
		return
	}
	c.since -= tokens
}

// begin counts anew after a compaction; providers count the next answer.
func (c *contextSize) begin(messages []message.Message) {
	total := compaction.Total(messages)
	*c = contextSize{since: total, all: total}
}

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

// contextTokens is what the next request is taken to cost: what the provider
// last counted with all since, or our own estimate if that is more
// (facts/agent 4.2).
func (st *state) contextTokens() int {
	reported := 0
	if st.size.counted > 0 {
		reported = st.size.counted + st.size.answered + st.size.since
	}
	return max(reported, st.estimated())
}

// estimated is our own estimate of the next request.
func (st *state) estimated() int { return st.size.all + st.fixedTokens() }

// fixedTokens estimates the system prompt and the tools.
func (st *state) fixedTokens() int {
	bytes := 0
	for _, block := range st.system {
		bytes += len(block)
	}
	for _, spec := range st.s.opts.Tools().Offered() {
		bytes += len(spec.Name) + len(spec.Description) + len(spec.Parameters)
	}
	return compaction.TextTokens(bytes)
}
