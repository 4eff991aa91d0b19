package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawFile draws the text of a session file: entries of all kinds with few ids,
// so that these repeat and form circles, torn and foreign lines among them.
func drawFile(t *rapid.T) string {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "00000003", "f", "g", ""})
	text := rapid.SampledFrom([]string{"hello", "line\nbreak \"quoted\" \\", "ünï😀", "", strings.Repeat("long ", 2000)})
	var out strings.Builder
	out.WriteString(header)
	for range rapid.IntRange(0, 25).Draw(t, "lines") {
		entry := map[string]any{}
		if n := id.Draw(t, "id"); n != "" {
			entry["id"] = n
		}
		switch parent := rapid.SampledFrom([]any{"a", "b", "c", "d", "e", "zzz", nil, 7, false}).Draw(t, "parent"); parent {
		case false: // there is none
		default:
			entry["parentId"] = parent
		}
		entry["timestamp"] = rapid.SampledFrom([]string{"2026-02-16T10:20:31.123Z", "2026-02-16T10:20:31.123456Z", "yesterday"}).Draw(t, "time")
		say := text.Draw(t, "text")
		switch rapid.IntRange(0, 10).Draw(t, "kind") {
		case 0, 1:
			entry["type"], entry["message"] = typeMessage, map[string]any{"role": "user", "content": say}
		case 2:
			entry["type"], entry["message"] = typeMessage, map[string]any{
				"role": "assistant", "stopReason": "stop", "usage": map[string]any{"input": 1},
				"content": []any{map[string]any{"type": "text", "text": say}, map[string]any{"type": "toolCall", "id": "1", "name": "x", "arguments": map[string]any{"a": say}}},
			}
		case 3:
			entry["type"], entry["message"] = typeMessage, map[string]any{"role": "toolResult", "content": 5, "toolCallId": say}
		case 4:
			entry["type"], entry["summary"], entry["firstKeptEntryId"] = typeCompaction, say, id.Draw(t, "kept")
		case 5:
			entry["type"], entry["targetId"], entry["label"] = typeLabel, id.Draw(t, "target"), say
		case 6:
			entry["type"], entry["title"], entry["source"] = typeTitleChange, say, "user"
		case 7:
			entry["type"], entry["fromId"], entry["summary"] = typeBranchSummary, "root", say
		case 8:
			entry["type"], entry["injectedRules"] = typeRuleInjection, []string{say}
		case 9:
			entry["type"], entry["mode"] = "mode_change", say
		case 10:
			entry["type"], entry["customType"], entry["content"] = typeCustomMessage, "note", say
		}
		line, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		switch rapid.IntRange(0, 12).Draw(t, "damage") {
		case 0:
			line = line[:rapid.IntRange(0, len(line)-1).Draw(t, "torn")]
		case 1:
			line = append([]byte("foreign "), line...)
		case 2: // an object to the eye, but no JSON inside
			line = []byte(`{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":[tru]}}`)
		}
		out.Write(line)
		if rapid.IntRange(0, 15).Draw(t, "glued") > 0 {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// history opens a drawn file.
func history(t *rapid.T, dir string) (*Log, string) {
	text := drawFile(t)
	path := filepath.Join(dir, "history.jsonl")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	l, err := Open(path, Options{})
	must(t, err)
	return l, text
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// outline describes entries by what the index knows of all of them.
func outline(entries []*Entry) []string {
	out := []string{}
	for _, e := range entries {
		parent := "-"
		if e.Parent != nil {
			parent = e.Parent.ID
		}
		out = append(out, fmt.Sprint(e.Type, " ", parent, ">", e.ID, " ", e.Time))
	}
	return out
}

func equal(t *rapid.T, want, got any) {
	t.Helper()
	if a, b := fmt.Sprint(want), fmt.Sprint(got); a != b {
		t.Fatalf("%s\n%s", a, b)
	}
}

func TestEveryHistoryLoads(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		l, text := history(t, dir)
		defer func() { _ = l.Close() }()
		s := l.Snapshot()
		seen := map[string]bool{}
		for i, e := range l.Entries() {
			if seen[e.ID] {
				t.Fatalf("two entries have the id %q", e.ID)
			}
			if seen[e.ID] = true; e.Parent != nil && !seen[e.Parent.ID] {
				t.Fatalf("entry %d comes before its parent", i)
			}
			line, err := s.Line(e)
			must(t, err)
			var head struct {
				Type, ID string
				ParentID *string
			}
			must(t, json.Unmarshal(line, &head))
			equal(t, []string{e.Type, e.ID}, []string{head.Type, head.ID})
			if (head.ParentID == nil) != (e.Parent == nil) || e.Parent != nil && *head.ParentID != e.Parent.ID {
				t.Fatalf("the parent of %s is another one", line)
			}
		}
		for _, e := range append(l.Entries(), nil) {
			l.SetLeaf(e)
			_, _ = l.Messages(), l.Choices()
		}
		data, err := os.ReadFile(l.Path())
		must(t, err)
		equal(t, text, string(data)) // nothing is repaired in the file
	})
}

func TestASnapshotIsTheLogAsItWas(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		l, _ := history(t, dir)
		defer func() { _ = l.Close() }()
		s := l.Snapshot()
		before, spoken, labels := outline(l.Entries()), texts(l.Messages()), fmt.Sprint(l.labels.share())
		must(t, l.AppendMessage(user("more")))
		must(t, l.SetLabel(l.Leaf().ID, "new"))
		equal(t, before, outline(s.Entries()))
		equal(t, labels, s.labels)
		got, err := s.Messages()
		must(t, err)
		equal(t, spoken, texts(got))
		nodes, err := s.Nodes()
		must(t, err)
		bodies, err := s.Bodies(s.Entries())
		must(t, err)
		for i, e := range s.Entries() {
			one, err := s.Body(e)
			must(t, err)
			a, _ := json.Marshal(one)
			b, _ := json.Marshal(bodies[i])
			equal(t, string(a), string(b))
			equal(t, []any{e.ID, e.Type, e.Role, s.labels[e.ID]}, []any{nodes[i].ID, nodes[i].Type, nodes[i].Role, nodes[i].Label})
		}
	})
}

func TestPagesSinceAnIDJoinToTheWhole(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		l, _ := history(t, dir)
		defer func() { _ = l.Close() }()
		s := l.Snapshot()
		size := rapid.IntRange(1, 7).Draw(t, "page")
		var joined []*Entry
		for last := ""; ; last = joined[len(joined)-1].ID {
			more, ok := s.Since(last)
			if !ok {
				t.Fatalf("%q is unknown", last)
			}
			if len(more) == 0 {
				break
			}
			joined = append(joined, more[:min(size, len(more))]...)
		}
		equal(t, outline(l.Entries()), outline(joined))
		if _, ok := s.Since("nowhere"); ok {
			t.Fatal("an unknown id is known")
		}
	})
}

// contents are the entries of a session as its index finds them in the file.
func contents(t *rapid.T, l *Log) (all []string) {
	for _, e := range l.Entries() {
		line, err := l.Snapshot().Line(e)
		must(t, err)
		all = append(all, e.Type+" "+e.Time.String()+" "+string(line))
	}
	return all
}

func TestABranchHasTheSamePath(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		l, text := history(t, dir)
		defer func() { _ = l.Close() }()
		var upTo *Entry
		if n := len(l.Entries()); n > 0 {
			upTo = l.Entries()[rapid.IntRange(0, n-1).Draw(t, "at")]
		}
		folder := filepath.Join(dir, "branches")
		if rapid.Bool().Draw(t, "in memory") {
			folder = ""
		}
		b, err := l.Branch(upTo, Options{Dir: folder, Parent: l.Path()})
		must(t, err)
		if folder != "" {
			indexed := contents(t, b)
			must(t, b.Close())
			b, err = Open(b.Path(), Options{})
			must(t, err)
			equal(t, contents(t, b), indexed)
			defer func() { _ = os.Remove(b.Path()) }()
		}
		defer func() { _ = b.Close() }()
		path := pathTo(upTo)
		copied := b.Entries()[:len(path)]
		equal(t, outline(path), outline(copied))
		for i, e := range path {
			want, err := l.Snapshot().Line(e)
			must(t, err)
			got, err := b.Snapshot().Line(copied[i])
			must(t, err)
			equal(t, string(want), string(got))
			if fieldOf(got, "message") != nil { // what is no JSON is not copied
				equal(t, e.Role, copied[i].Role)
			}
			equal(t, l.labels.share()[e.ID], b.labels.share()[e.ID])
		}
		for _, e := range b.Entries()[len(path):] {
			equal(t, typeLabel, e.Type)
		}
		title, _ := b.Title()
		equal(t, []any{"", l.Path(), "/x", 0}, []any{title, b.Header().ParentSession, b.Header().CWD, b.Skipped()})
		data, err := os.ReadFile(l.Path())
		must(t, err)
		equal(t, text, string(data))
	})
}
