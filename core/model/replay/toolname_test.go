package replay

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

func TestEveryToolHasANameThatProvidersTake(t *testing.T) {
	legal := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	names := []string{"", " ", "a b", "a.b", "a\nb", "naïve", "naive", strings.Repeat("x", 65), strings.Repeat("x", 300), "1st", "-x", "functions.bash", "\xff", "☃☃", "☃"}
	seen := map[string]string{}
	req := &model.Request{}
	for _, name := range names {
		req.Tools = append(req.Tools, model.ToolSpec{Name: name})
		sent := ToolName(name)
		if !legal.MatchString(sent) {
			t.Errorf("%q is sent as %q", name, sent)
		}
		if other, taken := seen[sent]; taken {
			t.Errorf("%q and %q are both %q", name, other, sent)
		}
		seen[sent] = name
	}
	for sent, name := range seen {
		if got := CalledTool(req, sent); got != name {
			t.Errorf("%q came back as %q, not %q", sent, got, name)
		}
	}
	for _, name := range []string{"read", "echo_host", "mcp__a-b", "T", strings.Repeat("x", 64)} {
		if got := ToolName(name); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
}

// A call of a tool that does not exist, stored with its name, made providers
// refuse everything that came after it.
func TestCallsInTheHistoryHaveSuchNamesToo(t *testing.T) {
	call := &message.ToolCall{Type: "toolCall", ID: "c", Name: "functions.bash", Arguments: json.RawMessage(`{}`)}
	result := &message.ToolResult{Role: message.RoleToolResult, ToolCallID: "c", ToolName: call.Name, Content: message.Blocks{message.NewText("not found")}}
	req := &model.Request{
		Model:    &model.Model{},
		Messages: []message.Message{&message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{call}}, result},
	}
	sent := Conversation(req, Rules{})
	want := ToolName("functions.bash")
	if got := sent[0].(*message.Assistant).Content.ToolCalls()[0].Name; got != want {
		t.Errorf("the call is sent as %q", got)
	}
	if got := sent[1].(*message.ToolResult).ToolName; got != want {
		t.Errorf("the result is sent as %q", got)
	}
	if call.Name != "functions.bash" || result.ToolName != "functions.bash" {
		t.Error("the conversation itself has changed")
	}
}

func TestSchemasAreOfObjects(t *testing.T) {
	for given, want := range map[string]string{
		"":                     anyObject,
		"null":                 anyObject,
		"[]":                   anyObject,
		`{"type":"string"}`:    anyObject,
		`{"type":["object"]}`:  anyObject,
		`{"properties":[]}`:    anyObject,
		`{}`:                   `{"type":"object"}`,
		`{"$ref":"#/$defs/a"}`: `{"$ref":"#/$defs/a","type":"object"}`,
		`{ "type": "object" }`: `{ "type": "object" }`, // as it came, for the provider's cache
		`{"type":"object","properties":{"b":{},"a":{}}}`: `{"type":"object","properties":{"b":{},"a":{}}}`,
	} {
		if got := string(Parameters(model.ToolSpec{Parameters: json.RawMessage(given)})); got != want {
			t.Errorf("%s became %s, want %s", given, got, want)
		}
	}
}
