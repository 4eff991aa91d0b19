package openai

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire/wiretest"
)

// Whatever a memo knows, a request is the same as without it: also when the
// model, the rules or the beginning of the conversation have changed since.
func TestARequestWithAMemoIsTheSameAsWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memo := &model.Memo{}
		var history []message.Message
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			switch rapid.IntRange(0, 9).Draw(t, "change") {
			case 0:
				history = history[:rapid.IntRange(0, len(history)).Draw(t, "kept")]
			case 1:
				history = append([]message.Message(nil), history[rapid.IntRange(0, len(history)).Draw(t, "cut"):]...)
			}
			for range rapid.IntRange(0, 3).Draw(t, "new") {
				history = append(history, anyMessage(t))
			}
			m := wiretest.Model(model.APICompletions)
			m.Input = []string{"text", "image"}
			m.ID = rapid.SampledFrom([]string{"m-1", `m-"messages":`, "m-2"}).Draw(t, "model")
			c, err := compatOf(m)
			if err != nil {
				t.Fatal(err)
			}
			c.CacheControl = rapid.Bool().Draw(t, "cache control")
			c.DeveloperRole = rapid.Bool().Draw(t, "developer role")
			rules := replay.Rules{CallID: replay.IDsUpTo(chatIDLimit), NoThinking: rapid.Bool().Draw(t, "no thinking")}
			req := &model.Request{Model: m, System: []string{knownMark}, Messages: history}
			plain := encoded(t, req, c, rules)
			req.Memo = memo
			if diff := cmp.Diff(plain, encoded(t, req, c, rules)); diff != "" {
				t.Fatalf("-without +with a memo:\n%s", diff)
			}
		}
	})
}

func encoded(t *rapid.T, req *model.Request, c compat, rules replay.Rules) string {
	parts, err := chatRequestOf(req, c, rules).JSON()
	if err != nil {
		t.Fatal(err)
	}
	raw := bytes.Join(parts, nil)
	if !json.Valid(raw) {
		t.Fatalf("this is no JSON: %s", raw)
	}
	return string(raw)
}

func anyMessage(t *rapid.T) message.Message {
	text := message.NewText(rapid.SampledFrom([]string{"hi", "", knownMark, "a\nb\xff"}).Draw(t, "text"))
	image := &message.Image{Type: "image", Data: "AAAA", MimeType: "image/png"}
	content := message.Blocks{text}
	if rapid.IntRange(0, 5).Draw(t, "image") == 0 {
		content = append(content, image)
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return &message.User{Role: message.RoleUser, Content: content}
	case 1:
		return &message.Developer{Role: message.RoleDeveloper, Content: content}
	case 2:
		return &message.ToolResult{Role: message.RoleToolResult, ToolCallID: "c", ToolName: "read", Content: content}
	}
	return &message.Assistant{
		Role: message.RoleAssistant, API: string(model.APICompletions), Provider: "p", Model: "m-1",
		Content: message.Blocks{
			&message.Thinking{Type: "thinking", Thinking: "hm", Signature: "reasoning"}, text,
			&message.ToolCall{Type: "toolCall", ID: "c", Name: "read", Arguments: json.RawMessage(`{"path":"x"}`)},
		},
	}
}
