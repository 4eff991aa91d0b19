package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/message"
)

func exportPage(ctx context.Context, t Target, args string) (Effect, error) {
	switch args {
	case "copy", "clipboard", "--copy":
		return say("Use /dump to see the session as text.")
	}
	if args != "" {
		args = file.Resolve(t.Dir(), args)
	}
	write, err := t.ExportHTML(ctx, args)
	if err != nil {
		return exportFailed(err), nil
	}
	return Effect{Later: func(ctx context.Context) Effect {
		path, err := write(ctx)
		if err != nil {
			return exportFailed(err)
		}
		return Effect{Output: "Session exported to: " + path}
	}}, nil
}

func exportFailed(err error) Effect {
	return Effect{Output: "Failed to export session: " + err.Error()}
}

// maxDump bounds the text of a conversation, in bytes; of a longer one the end is
// shown.
const maxDump = 4 << 20

func dump(ctx context.Context, t Target, _ string) (Effect, error) {
	messages, err := t.Messages(ctx)
	if err != nil {
		return Effect{}, err
	}
	if len(messages) == 0 {
		return say("No messages to dump yet.")
	}
	return Effect{Later: func(context.Context) Effect { return Effect{Output: dumped(messages)} }}, nil
}

func dumped(messages []message.Message) string {
	var parts []string
	room := maxDump
	for i := len(messages) - 1; i >= 0 && room > 0; i-- {
		part := spoken(messages[i])
		if part == "" {
			continue
		}
		if room -= len(part); room < 0 {
			part = fmt.Sprintf("[What is before this is left out; /export writes all.]\n\n%s", strings.ToValidUTF8(part[-room:], ""))
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n\n")
}

// spoken is a message as text, "" when it says nothing.
func spoken(m message.Message) string {
	switch m := m.(type) {
	case *message.User:
		return headed("User", plain(m.Content))
	case *message.Developer:
		return headed("Program", plain(m.Content))
	case *message.Custom:
		return headed("Note "+m.CustomType, plain(m.Content))
	case *message.CompactionSummary:
		return headed("Summary", m.Summary)
	case *message.BranchSummary:
		return headed("Summary of another branch", m.Summary)
	case *message.BashExecution:
		return headed("Command of the user", "$ "+m.Command+"\n"+m.Output)
	case *message.ToolResult:
		return headed("Result of "+m.ToolName, plain(m.Content))
	case *message.Assistant:
		return headed("Assistant", plain(m.Content))
	}
	return ""
}

func headed(head, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "## " + head + "\n\n" + text
}

func plain(blocks message.Blocks) string {
	var texts []string
	for _, block := range blocks {
		switch b := block.(type) {
		case *message.Text:
			texts = append(texts, b.Text)
		case *message.Image:
			texts = append(texts, "(an image of type "+b.MimeType+")")
		case *message.ToolCall:
			texts = append(texts, "→ "+b.Name+" "+string(b.Arguments))
		}
	}
	return strings.Join(texts, "\n")
}
