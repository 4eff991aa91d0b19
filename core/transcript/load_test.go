package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
)

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/x","title":"old"}` + "\n"

// said is the line of a user message; parent is JSON.
func said(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":%q,"timestamp":1}}`+"\n", id, parent, text)
}

func openText(t *testing.T, text string) *Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	do(t, os.WriteFile(path, []byte(text), 0o600))
	l, err := Open(path, Options{})
	do(t, err)
	t.Cleanup(func() { _ = l.Close() })
	same(t, text, string(read(t, path))) // opening changes nothing
	return l
}

func TestDamagedFilesLoadWhatIsGood(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		want    []string
		skipped int
	}{
		"torn last line":     {header + said("a", "null", "one") + `{"type":"message","id":"b","mess`, []string{"user: one"}, 1},
		"torn in the middle": {header + said("a", "null", "one") + `{"type":"message","id":"b","par` + "\n" + said("c", `"b"`, "three"), []string{"user: one", "user: three"}, 1},
		"two lines glued": {
			header + said("a", "null", "one") + `{"type":"message","id":"b","mess` + said("c", `"a"`, "two") + said("d", `"c"`, "three"),
			[]string{"user: one", "user: three"},
			1,
		},
		"no newline at the end":     {header + said("a", "null", "one") + strings.TrimSpace(said("b", `"a"`, "two")), []string{"user: one", "user: two"}, 0},
		"foreign lines":             {header + "hello\n[1,2]\n17\n\n\x00\x00\x00\n" + said("a", "null", "one"), []string{"user: one"}, 4},
		"CRLF and BOM":              {"\xEF\xBB\xBF" + strings.ReplaceAll(header+said("a", "null", "one"), "\n", "\r\n"), []string{"user: one"}, 0},
		"garbage before the header": {"garbage\n" + header + said("a", "null", "one"), []string{"user: one"}, 1},
		"own parent":                {header + said("a", `"a"`, "one") + said("b", `"a"`, "two"), []string{"user: one", "user: two"}, 0},
		"circle":                    {header + said("a", `"b"`, "one") + said("b", `"a"`, "two"), []string{"user: one", "user: two"}, 0},
		"duplicate id":              {header + said("a", "null", "one") + said("a", `"a"`, "two") + said("b", `"a"`, "three"), []string{"user: one", "user: two", "user: three"}, 0},
		"unknown parent":            {header + said("a", "null", "one") + said("b", `"zzz"`, "two") + said("c", "7", "three"), []string{"user: one", "user: two", "user: three"}, 0},
		"second root":               {header + said("a", "null", "one") + said("b", "null", "two"), []string{"user: two"}, 0},
		"message that is none":      {header + said("a", "null", "one") + `{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":5}}` + "\n" + said("c", `"b"`, "two"), []string{"user: one", "user: two"}, 0},
		"unknown role and type": {
			header + said("a", "null", "one") + `{"type":"message","id":"b","parentId":"a","message":{"role":"pythonExecution"}}` + "\n" +
				`{"type":"mode_change","id":"c","parentId":"b","mode":"plan"}` + "\n" + said("d", `"c"`, "two"),
			[]string{"user: one", "user: two"},
			0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := openText(t, c.text)
			same(t, c.want, texts(l.Messages()))
			same(t, c.skipped, l.Skipped())
			do(t, l.AppendMessage(user("more")))
			again := reload(t, l)
			same(t, append(c.want, "user: more"), texts(again.Messages()))
			if !bytes.HasPrefix(read(t, l.Path()), []byte(c.text)) {
				t.Fatal("old bytes were changed")
			}
		})
	}
}

func TestUnknownEntriesAreKeptAsTheyWere(t *testing.T) {
	line := `{"type":"mode_change","id":"c","parentId":null,  "n":12345678901234567890}`
	l := openText(t, header+line+"\n")
	unknown, ok := l.Body(l.Leaf()).(*Unknown)
	if !ok || string(unknown.Raw) != line {
		t.Fatalf("got %#v", l.Body(l.Leaf()))
	}
}

func TestLegacyFileWithoutSlotKeepsItsFirstLine(t *testing.T) {
	l := openText(t, header+said("a", "null", "one"))
	title, _ := l.Title()
	same(t, "old", title)
	do(t, l.SetTitle("new", TitleUser))
	again := reload(t, l)
	title, _ = again.Title()
	same(t, "new", title)
	if !bytes.HasPrefix(read(t, l.Path()), []byte(header)) {
		t.Fatal("the header was overwritten")
	}
}

func TestVersionOneGetsIdsThatStay(t *testing.T) {
	old := `{"type":"session","id":"s1","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/x"}` + "\n" +
		`{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}` + "\n" +
		`{"type":"message","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"user","content":"two","timestamp":1}}` + "\n" +
		`{"type":"compaction","timestamp":"2025-01-01T00:00:03.000Z","summary":"sum","firstKeptEntryIndex":2,"tokensBefore":9}` + "\n" +
		`{"type":"message","timestamp":"2025-01-01T00:00:04.000Z","message":{"role":"hookMessage","customType":"h","content":"three","display":true,"timestamp":1}}` + "\n"
	l := openText(t, old)
	want := []string{"compactionSummary: sum", "user: two", "custom: three"}
	same(t, want, texts(l.Messages()))
	do(t, l.AppendMessage(user("four")))
	parent := l.Leaf().Parent.ID
	again := reload(t, l)
	same(t, append(want, "user: four"), texts(again.Messages()))
	same(t, parent, again.Leaf().Parent.ID)
}

func TestMissingAndEmptyFilesBecomeSessions(t *testing.T) {
	dir := t.TempDir()
	missing, empty := filepath.Join(dir, "missing.jsonl"), filepath.Join(dir, "empty.jsonl")
	do(t, os.WriteFile(empty, []byte(" \n"), 0o600))
	for _, path := range []string{missing, empty} {
		l, err := Open(path, Options{CWD: "/w"})
		do(t, err)
		do(t, l.AppendMessage(user("hi")))
		same(t, path, l.Path())
		again := reload(t, l)
		same(t, []string{l.ID(), "/w"}, []string{again.ID(), again.Header().CWD})
		same(t, []string{"user: hi"}, texts(again.Messages()))
	}
	if _, err := Open(filepath.Join(dir, "no", "such", "folder.jsonl"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("missing folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "no")); err == nil {
		t.Fatal("a folder was made")
	}
}

func TestWhatIsNoSessionIsRefusedAndUntouched(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.jsonl")
	do(t, os.WriteFile(good, []byte(header), 0o600))
	do(t, os.Symlink(good, filepath.Join(dir, "link.jsonl")))
	do(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.jsonl")))
	do(t, syscall.Mkfifo(filepath.Join(dir, "fifo.jsonl"), 0o600))
	for name, text := range map[string]string{
		"text": "hello\nworld\n", "json.jsonl": `{"a":1}` + "\n" + header, "no-id": `{"type":"session"}` + "\n", "number-id": `{"type":"session","id":5}` + "\n",
		"entry-first": said("a", "null", "x") + header, "long": strings.Repeat("x", 1<<20), "late": strings.Repeat("x\n", 40<<10) + header,
		"newer": `{"type":"session","version":4,"id":"s1"}` + "\n",
	} {
		do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	link := " (it is a symbolic link; give the file it leads to)"
	reasons := map[string]string{"link.jsonl": link, "dangling.jsonl": link, "newer": " (its version is 4; this program knows those up to 3)"}
	names, err := os.ReadDir(dir)
	do(t, err)
	for _, entry := range append(names, nil) {
		path := dir
		if entry != nil {
			path = filepath.Join(dir, entry.Name())
		}
		if path == good {
			continue
		}
		var before []byte
		if entry != nil && entry.Type().IsRegular() {
			before = read(t, path)
		}
		_, err := Open(path, Options{})
		if !errors.Is(err, ErrNotSession) || err.Error() != "Not a session file: "+path+reasons[filepath.Base(path)] {
			t.Errorf("%s: %v", path, err)
		}
		if before != nil {
			same(t, string(before), string(read(t, path)))
		}
	}
	same(t, header, string(read(t, good)))
}

func TestLongLinesLoad(t *testing.T) {
	long := strings.Repeat("x", 4<<20)
	l := openText(t, header+strings.Replace(said("a", "null", "LONG"), "LONG", long, 1)+said("b", `"a"`, "after"))
	messages := l.Messages()
	same(t, 2, len(messages))
	if got := messages[0].(*message.User).Content.Text(); got != long {
		t.Fatalf("%d bytes of %d", len(got), len(long))
	}
}

// Any tree that is grown by appends and moves comes back the same.
func TestTreesSurviveAReload(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		l, err := New(Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(l.AppendMessage(user("root")))
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			all := l.Entries()
			at := rapid.IntRange(-1, len(all)-1).Draw(t, "at")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				l.SetLeaf(nil)
				if at >= 0 {
					l.SetLeaf(all[at])
				}
			case 1:
				must(l.AppendMessage(user(rapid.String().Draw(t, "text"))))
			case 2:
				first := ""
				if at >= 0 {
					first = all[at].ID
				}
				must(l.Append(&Compaction{Summary: "s", FirstKeptEntryID: first}))
			case 3:
				must(l.Append(&Label{TargetID: "x"}, &BranchSummary{FromID: "root", Summary: "left"}))
			case 4:
				must(l.SetTitle(rapid.String().Draw(t, "title"), TitleUser))
			}
		}
		must(l.Append(&Label{TargetID: "last"})) // the file tells the leaf
		ids := func(l *Log) (ids []string) {
			for _, e := range l.Entries() {
				parent := ""
				if e.Parent != nil {
					parent = e.Parent.ID
				}
				ids = append(ids, parent+">"+e.ID)
			}
			return ids
		}
		before := texts(l.Messages())
		must(l.Close())
		again, err := Open(l.Path(), Options{})
		must(err)
		defer func() { _ = again.Close() }()
		if a, b := fmt.Sprint(ids(l)), fmt.Sprint(ids(again)); a != b {
			t.Fatalf("%s\n%s", a, b)
		}
		if a, b := fmt.Sprint(before), fmt.Sprint(texts(again.Messages())); strings.ToValidUTF8(a, "\uFFFD") != b {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

// Opening never panics, never changes a file, and gives a session that can be
// gone on with.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(header + said("a", "null", "one") + said("b", `"a"`, "two")))
	f.Add([]byte(header + said("a", `"a"`, "one") + `{"type":"compaction","id":"c","firstKeptEntryId":"a","summary":"s"}`))
	f.Add([]byte("\xEF\xBB\xBF\r\n" + header + `{"type":"title_change","title":5}` + "\n{}"))
	f.Add([]byte(`{"type":"message","id":"\u00`))
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		do(t, os.WriteFile(path, data, 0o600))
		l, err := Open(path, Options{})
		if err != nil {
			if !errors.Is(err, ErrNotSession) {
				t.Fatal(err)
			}
			same(t, data, read(t, path))
			return
		}
		defer func() { _ = l.Close() }()
		if len(bytes.TrimSpace(data)) > 0 {
			same(t, data, read(t, path))
		}
		for _, e := range l.Entries() {
			_ = l.Body(e)
		}
		before := texts(l.Messages())
		do(t, l.AppendMessage(user("more")))
		if again := reload(t, l); again.Leaf() == nil {
			t.Fatal("the new entry is gone")
		} else {
			same(t, append(before, "user: more"), texts(again.Messages()))
		}
	})
}

// FuzzFields compares the quick scanner with encoding/json on what is JSON.
func FuzzFields(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"\\\"}","c":[{"d":"]"},2],"e":null}`))
	f.Add([]byte(`{ "a" : { } , "b":-1e5 }`))
	f.Add([]byte(`{"a":"x`))
	f.Fuzz(func(t *testing.T, data []byte) { compareFields(t, data) })
}
