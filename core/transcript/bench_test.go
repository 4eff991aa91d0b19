package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

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

// bigFolder holds 300 sessions of 30 MB, holes between their ends.
func bigFolder(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for n := range 300 {
		l, err := New(Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Append(&Message{user(strings.Repeat("first ", 200))}, &Message{answer(strings.Repeat("answer ", 500))}); err != nil {
			b.Fatal(err)
		}
		if err := l.file().Truncate(30 << 20); err != nil {
			b.Fatal(err)
		}
		for range 20 {
			if err := l.AppendMessage(answer(strings.Repeat(fmt.Sprint("last ", n), 200))); err != nil {
				b.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkPage compares the first page with reading the ends of its files, and
// shows a list of all.
func BenchmarkPage(b *testing.B) {
	dir := bigFolder(b)
	first, err := Page([]string{dir}, "", 0)
	if err != nil || len(first.Sessions) != DefaultPage {
		b.Fatal(err)
	}
	b.Run("reference", func(b *testing.B) {
		buf := make([]byte, tailSize)
		for b.Loop() {
			for _, s := range first.Sessions {
				f, err := os.Open(s.Path)
				if err != nil {
					b.Fatal(err)
				}
				_, head := f.ReadAt(buf[:headSize], 0)
				_, tail := f.ReadAt(buf, s.Size-tailSize)
				if err := errors.Join(head, tail, f.Close()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if _, err := Page([]string{dir}, "", 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if list, err := listed(dir); err != nil || len(list) != 300 {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkNodes draws the tree of a session of 20 MB.
func BenchmarkNodes(b *testing.B) {
	l, err := Open(bigSession(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Snapshot().Nodes(); err != nil {
			b.Fatal(err)
		}
	}
	_ = l.Close()
}

// BenchmarkBranch copies a session of 20 MB; the reference copies its file.
func BenchmarkBranch(b *testing.B) {
	path := bigSession(b)
	l, err := Open(path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("reference", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path+".copy", data, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("branch", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			branch, err := l.Branch(l.Leaf(), Options{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			if err := branch.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
