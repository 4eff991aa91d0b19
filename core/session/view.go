package session

import (
	"fmt"
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

// customMessage speaks for the program, but for a skill the person called.
func customMessage(m *message.Custom) message.Message {
	if m.CustomType == "skill-prompt" && m.Attribution == "user" {
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

// resultOf finds the call's result among the messages that follow, up to the
// next answer that makes a call of the same id. Results stand close to their
// calls, so the search is short but for a result that is lost.
func resultOf(call *message.ToolCall, following []message.Message, at int64) *message.ToolResult {
search:
	for _, m := range following {
		switch m := m.(type) {
		case *message.ToolResult:
			if m.ToolCallID == call.ID {
				return m
			}
		case *message.Assistant:
			for _, other := range m.Content.ToolCalls() {
				if other.ID == call.ID {
					break search
				}
			}
		}
	}
	return &message.ToolResult{
		Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, IsError: true,
		Content: message.Blocks{message.NewText(lostText)}, Timestamp: at,
	}
}
