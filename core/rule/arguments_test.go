package rule

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"
)

// reads gives arguments to the reader, byte by byte.
func reads(raw string) (added string, a arguments) {
	for i := range len(raw) {
		added += string(a.feed(raw[i : i+1]))
	}
	return added, a
}

func TestPatchesAddTheirPlusLines(t *testing.T) {
	added, a := reads(`{"input":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@ x\n kept\n-gone\n+came \u00e9\n+\n*** Add File: c\n+last"}`)
	if added != "came é\n\nlast\n" || fmt.Sprint(a.paths) != "[a.go b.go c]" {
		t.Errorf("added %q to %v", added, a.paths)
	}
	added, a = reads(`{"input":"[a.go#1A2B]\nSWAP 1:\n+came"}`)
	if added != "came\n" || fmt.Sprint(a.paths) != "[a.go]" {
		t.Errorf("added %q to %v", added, a.paths)
	}
	added, a = reads(`{"edits":[{"diff":"-a\n+b"},{"diff":"+c\n"}],"path":"p"}`)
	if added != "b\nc\n" || fmt.Sprint(a.paths) != "[p]" {
		t.Errorf("added %q to %v", added, a.paths)
	}
}

// FuzzTextOfArguments compares texts with what encoding/json reads.
func FuzzTextOfArguments(f *testing.F) {
	for _, seed := range []string{
		"plain é", `\ud83d\ude00`, `\ud83d lone`, `\ud83d\n`, `\ud83d\ud83d\ude00`, `\ud83d\u0041`, `\ude00`, `ends \ud83d`, `\ud83d\ude0`, `\/\b\f\r\t\"\\`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := `{"content":"` + text + `","path":"` + text + `"}`
		var want struct{ Content, Path string }
		if !utf8.ValidString(text) || json.Unmarshal([]byte(raw), &want) != nil {
			reads(raw) // must not panic
			return
		}
		added, a := reads(raw)
		if added != want.Content+"\n" {
			t.Errorf("%s adds %q, want %q", text, added, want.Content)
		}
		if len(text) < maxWord && (len(a.paths) != 1 || a.paths[0] != want.Path) {
			t.Errorf("%s names %q, want %q", text, a.paths, want.Path)
		}
	})
}
