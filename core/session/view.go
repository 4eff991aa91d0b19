package session

import (
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/message"
)

// view turns the conversation into what a model may be asked with: only user,
// developer, assistant and toolResult messages, each tool call with its one
// result directly behind its answer. The conversation itself is not repaired,
// only this view of it (decisions 15).
func view(messages []message.Message) []message.Message {
	return pair(speakable(messages))
}

// seen keeps the view of the messages before the last answer, so that it is not
// made anew for each turn of a long session. What has been answered stands: a
// model is asked again only once all calls before have their results.
type seen struct {
	first *message.Message // of the messages it was made of: others stand elsewhere
	n     int              // how many of them
	view  []message.Message
}

// of is the view of messages, which have only been appended to since it was last
// asked for, or are others in another place.
func (s *seen) of(messages []message.Message) []message.Message {
	closed := len(messages)
	for closed > 0 {
		closed--
		if messages[closed].Speaker() == message.RoleAssistant {
			break
		}
	}
	if closed == 0 || s.first != &messages[0] || s.n > closed {
		*s = seen{}
	}
	if closed > s.n && standsAlone(messages[s.n:closed], messages[closed:]) {
		s.view = append(s.view, view(messages[s.n:closed])...)
		s.first, s.n = &messages[0], closed
	}
	return slices.Concat(s.view, view(messages[s.n:]))
}

// standsAlone tells whether no call of these messages has its result only behind
// them, as in files that other programs wrote.
func standsAlone(messages, behind []message.Message) bool {
	late := map[string]bool{}
	for _, m := range behind {
		if r, ok := m.(*message.ToolResult); ok {
			late[r.ToolCallID] = true
		}
	}
	if len(late) == 0 {
		return true
	}
	for i, m := range messages {
		a, ok := m.(*message.Assistant)
		if !ok {
			continue
		}
		for _, call := range a.Content.ToolCalls() {
			if late[call.ID] && findResult(call, messages[i+1:]) == nil {
				return false
			}
		}
	}
	return true
}

// speakable rewrites what models do not know and leaves out what they must not
// see.
func speakable(messages []message.Message) []message.Message {
	out := make([]message.Message, 0, len(messages))
	for _, m := range messages {
		switch m := m.(type) {
		case *message.User, *message.Developer, *message.ToolResult:
			out = append(out, m)
		case *message.Assistant:
			if len(m.Content) > 0 {
				out = append(out, m)
			}
		case *message.BashExecution:
			if !m.ExcludeFromContext {
				out = append(out, userText(ranText(m), m.Timestamp))
			}
		case *message.Custom:
			if len(m.Content) > 0 {
				out = append(out, customMessage(m))
			}
		case *message.CompactionSummary:
			out = append(out, userText(summaryText("The conversation before this point was compacted into this summary:", m.Summary), m.Timestamp))
		case *message.BranchSummary:
			out = append(out, userText(summaryText("Another branch of this conversation was left; this is its summary:", m.Summary), m.Timestamp))
		}
	}
	return out
}

// SkillPrompt is the custom type of a skill that is called.
const SkillPrompt = "skill-prompt"

func callsSkill(m *message.Custom) bool {
	return m.CustomType == SkillPrompt && m.Attribution == "user"
}

// customMessage speaks for the program, but for a skill the person called.
func customMessage(m *message.Custom) message.Message {
	if callsSkill(m) {
		return &message.User{Role: message.RoleUser, Content: m.Content, Timestamp: m.Timestamp}
	}
	return &message.Developer{Role: message.RoleDeveloper, Content: m.Content, Attribution: "agent", Timestamp: m.Timestamp}
}

func userText(text string, at int64) *message.User {
	return &message.User{Role: message.RoleUser, Content: message.Blocks{message.NewText(text)}, Timestamp: at}
}

func summaryText(introduction, summary string) string {
	return introduction + "\n\n<summary>\n" + summary + "\n</summary>"
}

// ranText tells a model what the host's bash command did.
func ranText(m *message.BashExecution) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ran `%s`\n", m.Command)
	if output := strings.TrimRight(m.Output, "\n"); output == "" {
		b.WriteString("(no output)")
	} else {
		b.WriteString("```\n" + output + "\n```")
	}
	switch {
	case m.Cancelled:
		b.WriteString("\n(command cancelled)")
	case m.ExitCode != nil && *m.ExitCode != 0:
		fmt.Fprintf(&b, "\nCommand exited with code %d", *m.ExitCode)
	}
	if m.Truncated {
		b.WriteString("\n(the middle of the output was left out)")
	}
	return b.String()
}

// lostText is the result of a call whose own result never came to be stored:
// the process ended, the file was torn, or the branch was cut there.
const lostText = "No result was recorded for this tool call; it may or may not have run."

// pair puts behind each answer exactly one result for each of its calls, in
// call order, wherever it stood before; results without a call are left out and
// missing ones are made up.
func pair(messages []message.Message) []message.Message {
	out := make([]message.Message, 0, len(messages))
	for i, m := range messages {
		switch m := m.(type) {
		case *message.ToolResult:
		case *message.Assistant:
			out = append(out, m)
			for _, call := range m.Content.ToolCalls() {
				out = append(out, resultOf(call, messages[i+1:], m.Timestamp))
			}
		default:
			out = append(out, m)
		}
	}
	return out
}

// resultOf finds the call's result among the messages that follow, or makes one
// up for a result that is lost.
func resultOf(call *message.ToolCall, following []message.Message, at int64) *message.ToolResult {
	if r := findResult(call, following); r != nil {
		return r
	}
	return &message.ToolResult{
		Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, IsError: true,
		Content: message.Blocks{message.NewText(lostText)}, Timestamp: at,
	}
}

// findResult looks for the call's result up to the next answer that makes a call
// of the same id; nil is none. Results stand close to their calls, so the search
// is short but for a result that is lost.
func findResult(call *message.ToolCall, following []message.Message) *message.ToolResult {
	for _, m := range following {
		switch m := m.(type) {
		case *message.ToolResult:
			if m.ToolCallID == call.ID {
				return m
			}
		case *message.Assistant:
			for _, other := range m.Content.ToolCalls() {
				if other.ID == call.ID {
					return nil
				}
			}
		}
	}
	return nil
}
