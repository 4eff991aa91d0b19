// Package replay fits a conversation to one model before it is sent: what
// another model thought is left out, images are held to what the provider
// takes, call ids to what it accepts, text to what every JSON reader can read.
// The conversation itself stays as it is; only copies are changed.
package replay

import (
	"fmt"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// Rules are what a dialect asks of a conversation.
type Rules struct {
	// CallID makes an acceptable id of a call's; the same for the call and its
	// result. nil keeps ids.
	CallID func(string) string
	// ResultImages tells that tool results may hold images. Otherwise they
	// follow in a user message after the last result of the batch.
	ResultImages bool
	// NoThinking leaves out all thinking, NoImages all images.
	NoThinking, NoImages bool
}

// Conversation returns the messages to send: only *User, *Developer,
// *Assistant and *ToolResult, none of them empty, without empty text.
// Assistants hold thinking and signatures only if they are this model's own.
func Conversation(req *model.Request, rules Rules) []message.Message {
	images := newImages(req, rules)
	out := make([]message.Message, 0, len(req.Messages)+1)
	var carried message.Blocks // images of tool results, on their way to a user message
	for _, m := range req.Messages {
		if _, isResult := m.(*message.ToolResult); !isResult && len(carried) > 0 {
			out = append(out, carrier(carried))
			carried = nil
		}
		switch m := m.(type) {
		case *message.User:
			if content := spoken(images, m.Content, m.Steering); len(content) > 0 {
				clone := *m
				clone.Content = content
				out = append(out, &clone)
			}
		case *message.Developer:
			if content := spoken(images, m.Content, false); len(content) > 0 {
				clone := *m
				clone.Content = content
				out = append(out, &clone)
			}
		case *message.Assistant:
			if content := answered(req, rules, m); len(content) > 0 {
				clone := *m
				clone.Content = content
				out = append(out, &clone)
			}
		case *message.ToolResult:
			result, aside := returned(images, rules, m)
			carried = append(carried, aside...)
			out = append(out, result)
		}
	}
	if len(carried) > 0 {
		out = append(out, carrier(carried))
	}
	return out
}

// carrier is the message that shows images of tool results.
func carrier(content message.Blocks) *message.User {
	return &message.User{Role: message.RoleUser, Content: content, Synthetic: true}
}

// spoken is the content of a user or developer message.
func spoken(images *images, content message.Blocks, steering bool) message.Blocks {
	var out message.Blocks
	for _, block := range content {
		switch block := block.(type) {
		case *message.Text:
			if text := clean(block.Text); text != "" {
				if steering {
					text = "<user_interjection>\n" + text + "\n</user_interjection>"
				}
				out = append(out, message.NewText(text))
			}
		case *message.Image:
			out = appendImage(out, images, block)
		}
	}
	return out
}

// answered is the content of an assistant message. Thinking at its end is left
// out: it leads to nothing, and providers refuse it.
func answered(req *model.Request, rules Rules, m *message.Assistant) message.Blocks {
	own := m.API == string(req.Model.API) && m.Provider == req.Model.Provider && m.Model == req.Model.ID
	var out message.Blocks
	solid := 0 // length up to the last block that is not thinking
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Thinking:
			if own && !rules.NoThinking && block.Signature != "" {
				out = append(out, block)
			}
			continue
		case *message.RedactedThinking:
			if own && !rules.NoThinking {
				out = append(out, block)
			}
			continue
		case *message.Text:
			text := clean(block.Text)
			if text == "" {
				continue
			}
			clone := message.NewText(text)
			if own {
				clone.Signature = block.Signature
			}
			out = append(out, clone)
		case *message.ToolCall:
			clone := *block
			clone.ID = callID(rules, block.ID)
			clone.Name = ToolName(block.Name)
			clone.Arguments = cleanArguments(block.Arguments)
			if !own || rules.NoThinking {
				clone.ThoughtSignature = ""
			}
			out = append(out, &clone)
		default:
			continue
		}
		solid = len(out)
	}
	return out[:solid]
}

// silentResult stands for a result without any content; models take a missing
// one for a fault.
const silentResult = "(no output)"

// returned is a tool result, and what of it must be shown in another message.
func returned(images *images, rules Rules, m *message.ToolResult) (*message.ToolResult, message.Blocks) {
	var content, aside message.Blocks
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Text:
			if text := clean(block.Text); text != "" {
				content = append(content, message.NewText(text))
			}
		case *message.Image:
			if rules.ResultImages {
				content = appendImage(content, images, block)
				continue
			}
			aside = appendImage(aside, images, block)
		}
	}
	if len(aside) > 0 {
		aside = append(message.Blocks{message.NewText(fmt.Sprintf("Image from the tool %s:", m.ToolName))}, aside...)
	}
	if len(content) == 0 {
		text := silentResult
		if len(aside) > 0 {
			text = "(see the image below)"
		}
		content = message.Blocks{message.NewText(text)}
	}
	clone := *m
	clone.Content = content
	clone.ToolCallID = callID(rules, m.ToolCallID)
	clone.ToolName = ToolName(m.ToolName)
	return &clone, aside
}

func callID(rules Rules, id string) string {
	if rules.CallID == nil {
		return id
	}
	return rules.CallID(id)
}
