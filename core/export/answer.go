package export

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tally"
	"veyyon.dev/veyyon/core/transcript"
)

// answer writes what a model said, each call with its result.
func (p *page) answer(e *transcript.Entry, m *message.Assistant) {
	var tags []string
	switch m.StopReason {
	case message.StopError, message.StopAborted:
		tags = append(tags, string(m.StopReason))
	case message.StopLength:
		tags = append(tags, "cut at the length limit")
	}
	p.open(e, message.RoleAssistant, m.Model, tags...)
	for _, block := range m.Content {
		switch b := block.(type) {
		case *message.Text:
			p.put("prose", markdown(b.Text))
		case *message.Thinking:
			if strings.TrimSpace(b.Thinking) != "" {
				p.put("thinking", markdown(b.Thinking))
			}
		case *message.RedactedThinking:
			p.put("note", "Thinking that the provider keeps sealed")
		case *message.ToolCall:
			p.call(e, b)
		default:
			p.plain(message.Blocks{block})
		}
	}
	if m.ErrorMessage != "" {
		p.put("failure", clean(m.ErrorMessage))
	}
	if line := spent(m); line != "" {
		p.put("spent", line)
	}
	p.close()
}

// spent says in one line what an answer took; "" when nothing is known.
func spent(m *message.Assistant) string {
	var parts []string
	if in := m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite; in+m.Usage.Output > 0 {
		parts = append(parts, fmt.Sprintf("%s tokens in", tally.Commas(in)))
		if m.Usage.CacheRead > 0 {
			parts[0] += fmt.Sprintf(" (%s cached)", tally.Commas(m.Usage.CacheRead))
		}
		parts = append(parts, tally.Commas(m.Usage.Output)+" out")
	}
	if m.Usage.Cost.Total > 0 {
		parts = append(parts, tally.Dollars(m.Usage.Cost.Total))
	}
	if m.Duration > 0 {
		parts = append(parts, tally.Took(time.Duration(m.Duration)*time.Millisecond))
	}
	return strings.Join(parts, " · ")
}

// summary is a text that stands for others.
type summary struct {
	Class, Head string
	Text        template.HTML
}
