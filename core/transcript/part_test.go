package transcript

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"veyyon.dev/veyyon/core/message"
)

const plenty = 1 << 20 // bytes

func TestAPartHasTheWholeLinesFromAByteOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	one, two := said("a", "null", "one"), said("b", `"a"`, "two")
	slot, err := encodeSlot("title", TitleUser, parseTime("2026-02-16T10:20:30Z"))
	do(t, err)
	torn := string(slot) + header + one + "foreign\n" + `{"type":"message","id":[tru]}` + "\n" + two[:50]
	do(t, os.WriteFile(path, []byte(torn), 0o600))
	p, err := ReadFrom(path, -7, plenty)
	do(t, err)
	next := int64(len(torn) - 50)
	entries := func(lines ...string) []json.RawMessage {
		out := []json.RawMessage{}
		for _, line := range lines {
			out = append(out, json.RawMessage(strings.TrimSpace(line)))
		}
		return out
	}
	same(t, Part{Next: next, Entries: entries(header, one)}, p)
	m, err := message.Decode(p.Messages()[0])
	do(t, err)
	same(t, []string{"user: one"}, texts([]message.Message{m}))

	do(t, os.WriteFile(path, []byte(torn[:next]+two), 0o600))
	whole := next + int64(len(two))
	p, err = ReadFrom(path, next, plenty)
	do(t, err)
	same(t, Part{From: next, Next: whole, Entries: entries(two)}, p)
	p, err = ReadFrom(path, whole, plenty)
	do(t, err)
	same(t, Part{From: whole, Next: whole, Entries: entries()}, p)
	p, err = ReadFrom(path, whole+1, 600)
	do(t, err)
	same(t, []any{true, int64(0), 2}, []any{p.Reset, p.From, len(p.Entries)})
	p, err = ReadFrom(filepath.Join(filepath.Dir(path), "missing"), 9, plenty)
	do(t, err)
	same(t, Part{From: 9, Next: 9, Entries: entries()}, p)
}

func TestAPartIsOfARegularFile(t *testing.T) {
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	do(t, syscall.Mkfifo(fifo, 0o600))
	do(t, os.Symlink("/etc/passwd", link))
	for _, path := range []string{dir, fifo, link} {
		if _, err := ReadFrom(path, 0, plenty); !errors.Is(err, ErrNotSession) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// However the file is divided, the parts make the whole and come to an end.
func FuzzPartsJoinToTheWhole(f *testing.F) {
	f.Add([]byte(header+said("a", "null", "one")+"x\n"+said("b", `"a"`, "two")+`{"type`), 10)
	f.Add([]byte("\n\n\r\n{}\n[]\n"), 0)
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, data []byte, maxBytes int) {
		do(t, os.WriteFile(path, data, 0o600))
		whole, err := ReadFrom(path, 0, len(data))
		do(t, err)
		if want := strings.LastIndexByte(string(data), '\n') + 1; whole.Next != int64(want) {
			t.Fatalf("it ends at %d, not at %d", whole.Next, want)
		}
		joined := []json.RawMessage{}
		for from := int64(0); from < whole.Next; {
			p, err := ReadFrom(path, from, maxBytes)
			do(t, err)
			if p.From != from || p.Next <= from || p.Reset {
				t.Fatalf("no way on from %d: %+v", from, p)
			}
			joined, from = append(joined, p.Entries...), p.Next
		}
		same(t, whole.Entries, joined)
		for _, entry := range joined {
			if !json.Valid(entry) || strings.ContainsRune(string(entry), '\n') {
				t.Fatalf("%q cannot be passed on", entry)
			}
		}
	})
}
