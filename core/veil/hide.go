package veil

import (
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/secret"
)

// hider hides what is secret at one moment.
type hider struct {
	veil  *Veil
	plain *strings.Replacer
}

// hide is the request as it is sent. What has no secret in it stays the same
// value, so that a dialect knows it again.
func (v *Veil) hide(req *model.Request) *model.Request {
	h := hider{v, v.now()}
	sent := *req
	sent.System = make([]string, 0, len(req.System)+1)
	for _, block := range req.System {
		sent.System = append(sent.System, h.text(block))
	}
	sent.System = append(sent.System, note)
	sent.Messages = make([]message.Message, len(req.Messages))
	for i, m := range req.Messages {
		sent.Messages[i] = h.message(m)
	}
	sent.Tools = make([]model.ToolSpec, len(req.Tools))
	for i, t := range req.Tools {
		sent.Tools[i] = model.ToolSpec{Name: t.Name, Description: h.text(t.Description), Parameters: secret.InJSON(t.Parameters, h.text)}
	}
	return &sent
}

// Texts returns what hides secrets of this moment in texts for others than models.
// It is safe for concurrent use.
func (v *Veil) Texts() func(string) string { return hider{v, v.now()}.text }

func (h hider) message(m message.Message) message.Message {
	switch m := m.(type) {
	case *message.User:
		return withContent(h, m, m.Content, func(to *message.User, b message.Blocks) { to.Content = b })
	case *message.Developer:
		return withContent(h, m, m.Content, func(to *message.Developer, b message.Blocks) { to.Content = b })
	case *message.Assistant:
		return withContent(h, m, m.Content, func(to *message.Assistant, b message.Blocks) { to.Content = b })
	case *message.ToolResult:
		return withContent(h, m, m.Content, func(to *message.ToolResult, b message.Blocks) { to.Content = b })
	}
	return m
}

// withContent is m, or a copy of it when there is a secret in its content.
func withContent[M any](h hider, m *M, content message.Blocks, set func(*M, message.Blocks)) *M {
	var changed message.Blocks
	for i, block := range content {
		hidden := h.block(block)
		if hidden != block && changed == nil {
			changed = append(message.Blocks{}, content[:i]...)
		}
		if changed != nil {
			changed = append(changed, hidden)
		}
	}
	if changed == nil {
		return m
	}
	clean := *m
	set(&clean, changed)
	return &clean
}

func (h hider) block(block message.Block) message.Block {
	switch b := block.(type) {
	case *message.Text:
		if text := h.text(b.Text); text != b.Text {
			clean := *b
			clean.Text = text
			return &clean
		}
	case *message.Thinking:
		if text := h.text(b.Thinking); text != b.Thinking {
			clean := *b
			clean.Thinking = text
			return &clean
		}
	case *message.ToolCall:
		if args := secret.InJSON(b.Arguments, h.text); string(args) != string(b.Arguments) {
			clean := *b
			clean.Arguments = args
			return &clean
		}
	}
	return block
}

// text hides the plain secrets, and then what the expressions find in the rest.
func (h hider) text(text string) string {
	text = h.plain.Replace(text)
	for _, e := range h.veil.entries {
		if e.expr == nil {
			continue
		}
		text = e.expr.ReplaceAllStringFunc(text, func(found string) string {
			if found == "" {
				return ""
			}
			h.veil.mu.Lock()
			defer h.veil.mu.Unlock()
			meant, rest := h.veil.restore(found, false) // it may hold a plain secret
			return h.veil.standIn(meant+rest, e.stand)
		})
	}
	return text
}

// stars stand for a text of which no placeholder is kept.
func stars(text string) string { return strings.Repeat("*", utf8.RuneCountInString(text)) }
