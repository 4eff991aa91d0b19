package turn

import (
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// Texts of results that no tool gave (facts/agent 1.7, 1.8).
const (
	skippedText = "Skipped due to queued user message. Do not count this skipped result as completed work or verification. " +
		"After the queued message is handled on the next step, retry the skipped tool if it is still needed."
	streamErrorText = "Tool call was not executed because the provider stream ended with an error before the tool could run."
	lengthText      = "Tool call was not executed because the assistant hit its output token limit (stop_reason: length) " +
		"before the arguments could complete; split the work into smaller calls."
)

func abortedText(reason string) string {
	if reason == "" {
		return "Tool execution was aborted."
	}
	return "Tool execution was aborted: " + reason
}

// clean makes a result fit to be stored and sent, and never without content
// (providers refuse such results).
func clean(o tool.Output) tool.Output {
	o = cleanParts(o)
	if len(o.Content) == 0 {
		text := "(no output)"
		if o.IsError {
			text = "Tool failed with no output."
		}
		o.Content = message.Blocks{message.NewText(text)}
	}
	return o
}

// cleanParts leaves no empty text, and no text with NUL or invalid UTF-8.
func cleanParts(o tool.Output) tool.Output {
	content := make(message.Blocks, 0, len(o.Content))
	for _, block := range o.Content {
		text, ok := block.(*message.Text)
		switch {
		case !ok:
			content = append(content, block)
		case text.Text != "":
			content = append(content, message.NewText(cleanText(text.Text)))
		}
	}
	o.Content = content
	return o
}

func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
