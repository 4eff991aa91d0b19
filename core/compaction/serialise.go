package compaction

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/message"
)

// How much of one part a summary request may hold before it is fitted to the
// window, in bytes; the middle of what is longer is left out.
const (
	maxResult   = 2000 // of a tool result or of the output of a command
	maxCall     = 2000 // of the arguments of a call
	maxThinking = 1000 // of a thinking block
)

// minPart is how far parts are shortened to fit, in bytes; then whole ones are
// left out.
const minPart = 200

// part is one thing that was said or done.
type part struct {
	head, text string
	most       int // bytes of it that may stay
}

// size is about what the part takes, at most.
func (p part) size() int { return len(p.head) + min(len(p.text), p.most) + len("[]: \n\n") }

// serialise writes a conversation down as plain text of at most about budget
// bytes. It holds no image, no call whose result was useless, and nothing that
// hide takes out (nil hides nothing). Only what stays is looked at for secrets,
// since a long conversation has much that does not.
func serialise(messages []message.Message, budget int, hide func(string) string) string {
	var b strings.Builder
	for _, p := range fit(partsOf(messages), budget) {
		text := p.text
		if hide != nil {
			text = hide(text) // before it is clipped: half a key is a key
		}
		fmt.Fprintf(&b, "[%s]: %s\n\n", p.head, harmless(clip(text, p.most)))
	}
	return strings.TrimRight(b.String(), "\n")
}

func partsOf(messages []message.Message) []part {
	useless := map[string]bool{}
	for _, m := range messages {
		if r, ok := m.(*message.ToolResult); ok && r.Useless {
			useless[r.ToolCallID] = true
		}
	}
	var parts []part
	add := func(head, text string, most int) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, part{head, text, most})
		}
	}
	const whole = math.MaxInt
	for _, m := range messages {
		switch m := m.(type) {
		case *message.User:
			add("User", plain(m.Content), whole)
		case *message.Developer:
			add("Program", plain(m.Content), whole)
		case *message.Custom:
			add("Note "+m.CustomType, plain(m.Content), whole)
		case *message.CompactionSummary:
			add("Earlier summary", m.Summary, whole)
		case *message.BranchSummary:
			add("Summary of another branch", m.Summary, whole)
		case *message.BashExecution:
			if !m.ExcludeFromContext {
				add("Command of the user", m.Command, maxCall)
				add("Its output", m.Output, maxResult)
			}
		case *message.ToolResult:
			head := "Result of " + m.ToolName
			if m.IsError {
				head = "Error of " + m.ToolName
			}
			if !useless[m.ToolCallID] {
				add(head, plain(m.Content), maxResult)
			}
		case *message.Assistant:
			for _, block := range m.Content {
				switch b := block.(type) {
				case *message.Thinking:
					add("Assistant thinks", b.Thinking, maxThinking)
				case *message.Text:
					add("Assistant", b.Text, whole)
				case *message.ToolCall:
					if !useless[b.ID] {
						add("Assistant calls "+b.Name, string(b.Arguments), maxCall)
					}
				}
			}
		}
	}
	return parts
}

// plain is the text of a content; an image is only named.
func plain(blocks message.Blocks) string {
	var texts []string
	for _, block := range blocks {
		switch b := block.(type) {
		case *message.Text:
			texts = append(texts, b.Text)
		case *message.Image:
			texts = append(texts, fmt.Sprintf("(an image of type %s)", b.MimeType))
		}
	}
	return strings.Join(texts, "\n")
}

// harmless keeps a text from closing the element it stands in.
func harmless(text string) string { return openEnds.Replace(text) }

var openEnds = strings.NewReplacer("</conversation>", "</ conversation>", "</previous-summary>", "</ previous-summary>", "</additional-context>", "</ additional-context>")

// fit bounds the longest parts until all of them take at most about budget
// bytes; when that is not enough, parts in the middle are left out.
func fit(parts []part, budget int) []part {
	total, longest := 0, 0
	for _, p := range parts {
		total += p.size()
		longest = max(longest, min(len(p.text), p.most))
	}
	for total > budget && longest > minPart {
		longest = max(minPart, longest/2)
		total = 0
		for i := range parts {
			parts[i].most = min(parts[i].most, longest)
			total += parts[i].size()
		}
	}
	if total <= budget {
		return parts
	}
	return ends(parts, budget)
}

// ends keeps the first quarter of the budget and the rest from the end: the
// task is told at the beginning, the state of things at the end.
func ends(parts []part, budget int) []part {
	first, used := 0, 0
	for first < len(parts) && used+parts[first].size() <= budget/4 {
		used += parts[first].size()
		first++
	}
	last := len(parts)
	for last > first && used+parts[last-1].size() <= budget {
		last--
		used += parts[last].size()
	}
	gap := part{"Note", fmt.Sprintf("%d parts of the conversation are left out here", last-first), math.MaxInt}
	return append(append(parts[:first:first], gap), parts[last:]...)
}

// clip leaves out the middle of a text so that at most about most bytes stay,
// and never half a character.
func clip(text string, most int) string {
	const note = "\n… (%d bytes left out) …\n"
	if len(text)-len(note) <= most {
		return text
	}
	head, tail := most*2/3, len(text)-most/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + fmt.Sprintf(note, tail-head) + text[tail:]
}
