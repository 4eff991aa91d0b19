package rule

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
)

// ruled is a set of rules, each "name: head".
func ruled(t *testing.T, opts Options, rules map[string]string) *Set {
	t.Helper()
	files := map[string]string{}
	for name, head := range rules {
		files[".veyyon/rules/"+name+".md"] = rule(head)
	}
	root := folder(t, files)
	set, faults := Load(Sources{Dir: root, Agent: root}, opts)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return set
}

// answer is what a model writes: blocks of a kind (or the name of a tool) and
// their text.
type answer [][2]string

// write shows a watcher the answer in pieces of so many bytes, up to where it is
// cut off, and returns what for and how much had been written.
func write(w *Watcher, a answer, size int) (cut []string, written int) {
	w.Begin()
	for i, block := range a {
		kinds := [3]event.PartKind{event.CallStart, event.CallDelta, event.CallEnd}
		switch block[0] {
		case "text":
			kinds = [3]event.PartKind{event.TextStart, event.TextDelta, event.TextEnd}
		case "thinking":
			kinds = [3]event.PartKind{event.ThinkingStart, event.ThinkingDelta, event.ThinkingEnd}
		}
		see := func(part event.Part) bool {
			part.ContentIndex = i
			found := w.See(part)
			cut = append(cut, Names(found)...)
			return len(found) > 0
		}
		if see(event.Part{Kind: kinds[0], Tool: block[0]}) {
			return cut, written
		}
		for text := block[1]; len(text) > 0; {
			n := min(size, len(text))
			written += n
			if see(event.Part{Kind: kinds[1], Delta: text[:n]}) {
				return cut, written
			}
			text = text[n:]
		}
		if see(event.Part{Kind: kinds[2], Call: &message.ToolCall{ID: fmt.Sprint("call", i)}}) {
			return cut, written
		}
	}
	return cut, written
}

func TestARuleHoldsWhereItSays(t *testing.T) {
	edit := func(path, text string) string {
		raw, _ := json.Marshal(map[string]any{"edits": []any{map[string]any{"new_text": text, "old_text": "BAD"}}, "path": path})
		return string(raw)
	}
	for _, c := range []struct {
		head  string
		reply answer
		cut   bool
	}{
		{"condition: BAD", answer{{"text", "so BAD"}}, true},
		{"condition: BAD", answer{{"text", "so "}, {"text", "good"}}, false},
		{"condition: BAD", answer{{"thinking", "BAD"}}, false},
		{"condition: BAD\nscope: thinking", answer{{"thinking", "BAD"}}, true},
		{"condition: BAD\nscope: thinking", answer{{"text", "BAD"}}, false},
		{"condition: BAD", answer{{"bash", `{"command":"BAD"}`}}, true},
		{"condition: BAD\nscope: text", answer{{"bash", `{"command":"BAD"}`}}, false},
		{"condition: BAD\nscope: tool:edit", answer{{"bash", `{"command":"BAD"}`}}, false},
		{"condition: BAD\nscope: bash", answer{{"bash", `{"command":"BAD"}`}}, true},
		{"condition: BAD", answer{{"edit", edit("a.go", "fine")}}, false}, // the text that goes away
		{"condition: BAD", answer{{"edit", edit("a.go", "BAD")}}, true},
		{"condition: '\"quoted\"\\ntext'", answer{{"edit", edit("a.go", "a \"quoted\"\ntext")}}, true},
		{"condition: BAD\nscope: tool:edit(*.go)", answer{{"edit", edit("x/a.go", "BAD")}}, true},
		{"condition: BAD\nscope: tool:edit(*.go)", answer{{"edit", edit("x/a.ts", "BAD")}}, false},
		{"condition: BAD\nglobs: src/**", answer{{"edit", edit("src/a/b.ts", "BAD")}}, true},
		{"condition: BAD\nglobs: src/**", answer{{"edit", edit("lib/b.ts", "BAD")}}, false},
		{"condition: BAD\nglobs: src/**", answer{{"text", "BAD"}}, false},
		{"condition: BAD\nglobs: src/**", answer{{"edit", `{"edits":[{"new_text":"BAD"}]}`}}, false},
		{"condition: '*.lock'", answer{{"write", `{"content":"x","path":"/a/b.lock"}`}}, true},
		{"condition: '*.lock'", answer{{"read", `{"path":"/a/b.lock"}`}}, false},
		{"condition: ^BAD", answer{{"text", "not BAD"}}, false},
		{"condition: ^BAD", answer{{"text", strings.Repeat("x", 9999) + "BAD"}}, false},
		{"condition: BAD", answer{{"text", strings.Repeat("x", 9999) + "BAD"}}, true},
		{"condition: good$", answer{{"text", "good enough"}}, false},
		{"condition: good$", answer{{"text", "so good"}}, true},
		{"condition: '\\bso\\b'", answer{{"text", "some"}}, false},
		{"condition: BEGIN[^]*END", answer{{"text", "BEGIN" + strings.Repeat("x\n", 9999) + "END"}}, true},
		{"condition: '*.lock'", answer{{"write", `{"path":"/a/b.lock","content":""}`}}, true},
		{"condition: BAD\ninterruptMode: never", answer{{"text", "BAD"}}, false},
		{"condition: BAD\ninterruptMode: tool-only", answer{{"text", "BAD"}}, false},
		{"condition: BAD\ninterruptMode: prose-only", answer{{"bash", "BAD"}}, false},
	} {
		set := ruled(t, Options{Interrupt: Always}, map[string]string{"r": c.head})
		for _, size := range []int{1, 3, 1 << 20} { // what is found does not hang on the pieces
			if cut, _ := write(NewWatcher(set, nil), c.reply, size); len(cut) > 0 != c.cut {
				t.Errorf("%q and %.80q in pieces of %d: cut off %t", c.head, c.reply, size, len(cut) > 0)
			}
		}
	}
}

func TestAnAnswerIsCutOffAtTheMatch(t *testing.T) {
	set := ruled(t, Options{Interrupt: Always}, map[string]string{"one": "condition: BAD", "two": "condition: [never, AD]"})
	cut, written := write(NewWatcher(set, nil), answer{{"text", "it is BAD and more"}}, 1)
	if diff := cmp.Diff([]string{"one", "two"}, cut); diff != "" || written != len("it is BAD") {
		t.Error(diff, written)
	}
}

func TestARuleIsHeardOnceOrAgainAfterAGap(t *testing.T) {
	bad := answer{{"text", "BAD"}}
	heard := func(w *Watcher, turns int) string {
		marks := ""
		for range turns {
			if cut, _ := write(w, bad, 1); len(cut) > 0 {
				marks += "x"
			} else {
				marks += "."
			}
		}
		return marks
	}
	heads := map[string]string{"r": "condition: BAD"}
	once := ruled(t, Options{Interrupt: Always, Gap: 3}, heads)
	again := ruled(t, Options{Interrupt: Always, AfterGap: true, Gap: 3}, heads)
	if got := heard(NewWatcher(once, nil), 8); got != "x......." {
		t.Error("once:", got)
	}
	if got := heard(NewWatcher(again, nil), 8); got != "x..x..x." {
		t.Error("after-gap:", got)
	}
	if got := heard(NewWatcher(once, []string{"r"}), 3); got != "..." {
		t.Error("once, after a resume:", got)
	}
}

func TestWhatIsNotCutOffIsNotedForItsCallOrForLater(t *testing.T) {
	set := ruled(t, Options{Interrupt: Never}, map[string]string{"prose": "condition: BAD\nscope: text", "call": "condition: WORSE", "args": "condition: WORST"})
	w := NewWatcher(set, nil)
	if cut, _ := write(w, answer{{"text", "BAD"}, {"bash", "WORSE BAD"}, {"grep", "WORST WORSE"}}, 4); cut != nil {
		t.Fatal(cut)
	}
	got := [][]string{Names(w.OfCall("call1")), Names(w.OfCall("call1")), Names(w.OfCall("call2")), Names(w.Rest()), Names(w.Rest()), Names(w.Told()), Names(w.Told())}
	want := [][]string{{"call"}, {}, {"args"}, {"prose"}, {}, {"call", "args"}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNoPatternTakesLong holds a pattern that is slow where patterns search
// backwards against a long answer in small pieces.
func TestNoPatternTakesLong(t *testing.T) {
	set := ruled(t, Options{Interrupt: Always}, map[string]string{"r": `condition: '^(\w+\s?)*$!'`, "s": `condition: '(a+)+b'`})
	began := time.Now()
	write(NewWatcher(set, nil), answer{{"text", strings.Repeat("a", 1<<20)}}, 64)
	if d := time.Since(began); d > 20*time.Second { // measured: a tenth of a second
		t.Errorf("took %v", d)
	}
}

// FuzzArguments compares what streams in with what is decoded at the end.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"path":"a","content":"b\n\"\\\u00e9\ud83c\udf89"}`, `{"edits":[{"new_text":"x"},{"new_text":""}],"path":"p"}`, `{"a":{"path":[`, `]]]"`, `{"content":1,"path":null}`, `{"path":"\ud83c"}`} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, raw string, size int) {
		size = max(size%64, 1)
		var a arguments
		var added []byte
		for text := raw; len(text) > 0; {
			n := min(size, len(text))
			added = append(added, a.feed(text[:n])...)
			text = text[n:]
		}
		if len(a.paths) > maxPaths || len(a.open) > maxDepth || len(a.word) > maxWord+4 {
			t.Errorf("%q: remembers too much", raw)
		}
		var flat map[string]string
		if json.Unmarshal([]byte(raw), &flat) != nil || len(flat) != strings.Count(raw, ":") || strings.ContainsAny(raw, "\ufffd") || strings.Contains(raw, `\ud`) || strings.Contains(raw, `\uD`) {
			return // keys that come twice, and halves of characters, are told differently
		}
		want := ""
		if text, ok := flat["content"]; ok {
			want += text + "\n"
		}
		if text, ok := flat["new_text"]; ok {
			want += text + "\n"
		}
		if _, both := flat["new_text"]; (both && want != flat["new_text"]+"\n") || !json.Valid([]byte(raw)) {
			return
		}
		if got := strings.ToValidUTF8(string(added), "\ufffd"); got != want {
			t.Errorf("%q adds %q, want %q", raw, got, want)
		}
	})
}
