package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// bigSession writes a file of about 20 MB: answers with code, calls and results.
func bigSession(b *testing.B) string {
	b.Helper()
	l, err := New(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	code := bytes.Repeat([]byte("func main() {\n\tfmt.Println(\"hello\")\n}\n"), 100)
	for size := 0; size < 20<<20; size += 2*len(code) + 900 {
		call := &message.ToolCall{Type: "toolCall", ID: fmt.Sprint(size), Name: "write", Arguments: json.RawMessage(fmt.Sprintf(`{"path":"a.go","content":%q}`, code))}
		m := answer("I write it.")
		m.Content = append(m.Content, call)
		result := &message.ToolResult{Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: "write", Content: message.Blocks{message.NewText(string(code))}}
		if err := l.Append(&Message{m}, &Message{result}); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return l.Path()
}

// BenchmarkLoad compares opening a session, and opening it and building the
// context, with one pass that decodes each line.
func BenchmarkLoad(b *testing.B) {
	path := bigSession(b)
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("reference", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			for line := range bytes.Lines(data) {
				var entry map[string]any
				if err := json.Unmarshal(line, &entry); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	for _, context := range []bool{false, true} {
		b.Run(map[bool]string{false: "open", true: "open+messages"}[context], func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				l, err := Open(path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if context && len(l.Messages()) == 0 {
					b.Fatal("no messages")
				}
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	l, err := New(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := l.AppendMessage(answer("a short answer")); err != nil {
			b.Fatal(err)
		}
	}
	_ = l.Close()
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	for n := range 1000 {
		text := header + said("a", "null", "first") + replied("stop")
		if err := os.WriteFile(filepath.Join(dir, fileName(fmt.Sprint(n), time.Unix(int64(n), 0))), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if list, err := List(dir); err != nil || len(list) != 1000 {
			b.Fatal(err)
		}
	}
}
