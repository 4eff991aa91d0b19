package transcript

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/message"
)

// FuzzMessagesAreReadTheSameQuickly compares the quick way with encoding/json.
func FuzzMessagesAreReadTheSameQuickly(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":"a\n\"b\"","timestamp":1}`))
	f.Add([]byte(`{"role":"toolResult","toolCallId":"1","content":[{"type":"text","text":"ü\u00fc","textSignature":"s"},{"type":"image","data":"AA==","mimeType":"image/png"}],"isError":true}`))
	f.Add([]byte(`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s"},{"type":"toolCall","id":"1","name":"n","arguments":{"a": 1},"thoughtSignature":"x"}],"usage":{"input":1},"stopReason":"stop"}`))
	f.Add([]byte(`{"role":"user","Content":[],"content":[{"type":"other"},null]}`))
	f.Add([]byte(`{"content":[{"type":"text","text":"x","thinking":"y"}],"role":"custom","role":"user"}`))
	f.Add([]byte(`{"role":"assistant","content":[{"type":"toolCall","arguments":{"a\n":"\x","b":[1],"c":"\""}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		quick := quickMessage(raw)
		if quick == nil {
			return
		}
		slow, err := message.Decode(raw)
		if err != nil {
			t.Fatalf("%#v is no message: %v", quick, err)
		}
		same(t, slow, quick)
	})
}

func TestWhatWeWriteIsReadQuickly(t *testing.T) {
	call := &message.ToolCall{Type: "toolCall", ID: "1", Name: "bash", Arguments: json.RawMessage(`{"n":1}`)}
	m := answer("text \"quoted\"\n")
	m.Content = append(m.Content, call, &message.Thinking{Type: "thinking", Thinking: "hm", Signature: "s"})
	for _, want := range []message.Message{
		m, message.NewUser("look", []*message.Image{message.NewImage("AA==", "image/png")}),
		&message.ToolResult{Role: message.RoleToolResult, Content: message.Blocks{message.NewText("ok")}, Details: json.RawMessage(`{"a":[1]}`)},
	} {
		raw, err := message.Marshal(want)
		do(t, err)
		same(t, want, quickMessage(raw))
	}
}

// FuzzTextPrefix compares the beginning of a string with the whole of it.
func FuzzTextPrefix(f *testing.F) {
	f.Add([]byte(`"plain"`), 3)
	f.Add([]byte(`"\u00fc\ud83d\ude00\n\ud83d \"x\""`), 5)
	f.Add([]byte("\"\xff\xf0\x9f\""), 9)
	f.Fuzz(func(t *testing.T, value []byte, limit int) {
		got := textPrefix(value, limit)
		if n := utf8.RuneCountInString(got); n > max(0, limit) {
			t.Fatalf("%d characters of %d", n, limit)
		}
		var whole string
		if json.Unmarshal(value, &whole) != nil || len(value) == 0 || value[0] != '"' {
			return
		}
		if want := []rune(whole); limit >= 0 && got != string(want[:min(limit, len(want))]) {
			t.Fatalf("%q begins with %q", whole, got)
		}
		if quick, ok := quickString(value); ok && quick != whole {
			t.Fatalf("%q became %q", whole, quick)
		}
		for cut := range value { // any piece of it is a beginning
			if !strings.HasPrefix(whole, textPrefix(value[:cut], len(value))) {
				t.Fatalf("%q does not begin with %q", whole, textPrefix(value[:cut], len(value)))
			}
		}
	})
}
