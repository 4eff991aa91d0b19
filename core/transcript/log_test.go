package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"veyyon.dev/veyyon/core/message"
)

func user(text string) *message.User { return message.NewUser(text, nil) }

func answer(text string) *message.Assistant {
	return &message.Assistant{
		Role: message.RoleAssistant, Content: message.Blocks{message.NewText(text)}, API: "scripted", Provider: "scripted",
		Model: "demo", StopReason: message.StopStop, Timestamp: message.Now(),
	}
}

// newLog returns a session in a folder of its own.
func newLog(t *testing.T) *Log {
	t.Helper()
	root := t.TempDir()
	l, err := New(Options{Dir: filepath.Join(root, "sessions", "-x"), Blobs: filepath.Join(root, "blobs"), CWD: "/x"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reload closes the log and opens its file again.
func reload(t *testing.T, l *Log) *Log {
	t.Helper()
	do(t, l.Close())
	again, err := Open(l.Path(), Options{Blobs: string(l.blobs)})
	do(t, err)
	t.Cleanup(func() { _ = again.Close() })
	return again
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	do(t, err)
	return data
}

// texts returns what is said in the messages, as "role: text".
func texts(list []message.Message) []string {
	out := []string{}
	for _, m := range list {
		text := ""
		switch m := m.(type) {
		case *message.User:
			text = m.Content.Text()
		case *message.Assistant:
			text = m.Content.Text()
		case *message.Custom:
			text = m.Content.Text()
		case *message.CompactionSummary:
			text = m.Summary
		case *message.BranchSummary:
			text = m.Summary
		}
		out = append(out, string(m.Speaker())+": "+text)
	}
	return out
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}

func TestFileAppearsWithTheFirstMessageAndHoldsWhatCameBefore(t *testing.T) {
	l := newLog(t)
	do(t, l.Append(&ModelChange{Model: "a/b"}))
	do(t, l.SetTitle("early", TitleUser))
	if _, err := os.Stat(l.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file without a message: %v", err)
	}
	do(t, l.AppendMessage(user("hello <b> & \u2028")))

	var types []string
	for line := range bytes.Lines(read(t, l.Path())) {
		var entry map[string]any
		do(t, json.Unmarshal(line, &entry))
		types = append(types, entry["type"].(string))
	}
	same(t, []string{"title", "session", "model_change", "title_change", "message"}, types)
	if !bytes.Contains(read(t, l.Path()), []byte(`"id":"`+l.ID()+`"`)) || !strings.Contains(l.Path(), l.ID()) {
		t.Fatal("the id is not in the header and the name")
	}
	info, err := os.Stat(l.Path())
	do(t, err)
	dir, err := os.Stat(filepath.Dir(l.Path()))
	do(t, err)
	same(t, []os.FileMode{0o600, 0o700}, []os.FileMode{info.Mode().Perm(), dir.Mode().Perm()})
}

func TestReloadGivesTheSameSession(t *testing.T) {
	l := newLog(t)
	level := "high"
	want := []message.Message{
		user("question"),
		&message.Assistant{
			Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopToolUse, Timestamp: 7,
			Content: message.Blocks{
				&message.Thinking{Type: "thinking", Thinking: "hm", Signature: "s<ig>="},
				&message.ToolCall{Type: "toolCall", ID: "1", Name: "bash", Arguments: json.RawMessage(`{"n":12345678901234567890}`)},
			},
		},
		&message.ToolResult{Role: message.RoleToolResult, ToolCallID: "1", ToolName: "bash", Content: message.Blocks{message.NewText("ok")}, Timestamp: 8},
	}
	do(t, l.Append(&ModelChange{Model: "p/m"}, &ThinkingChange{ThinkingLevel: &level}))
	for _, m := range want {
		do(t, l.AppendMessage(m))
	}
	do(t, l.Append(&Custom{CustomType: "note", Data: json.RawMessage(`{"a":1}`)}))
	do(t, l.SetTitle("the title", TitleUser))
	leaf := l.Leaf().ID

	again := reload(t, l)
	same(t, want, again.Messages())
	same(t, Choices{Model: "p/m", Thinking: "high"}, again.Choices())
	same(t, []string{l.ID(), l.Path(), leaf}, []string{again.ID(), again.Path(), again.Leaf().ID})
	title, source := again.Title()
	same(t, []string{"the title", "user"}, []string{title, string(source)})
	same(t, l.Header(), again.Header())
	same(t, 0, again.Skipped())
}

func TestMemorySessionNeverHasAFile(t *testing.T) {
	l, err := New(Options{CWD: "/x"})
	do(t, err)
	do(t, l.AppendMessage(user("hi")))
	do(t, l.Flush())
	do(t, l.Close())
	same(t, "", l.Path())
	same(t, []string{"user: hi"}, texts(l.Messages()))
}

func TestClosedSessionWithoutMessagesLeavesNothing(t *testing.T) {
	l := newLog(t)
	do(t, l.SetTitle("x", TitleAuto))
	do(t, l.Close())
	if _, err := os.Stat(filepath.Dir(l.Path())); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("something was made: %v", err)
	}
	if err := l.AppendMessage(user("late")); !errors.Is(err, os.ErrClosed) {
		t.Fatalf("append after close: %v", err)
	}
}

func TestEntryThatIsNoJSONIsRefusedAndNothingIsAdded(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	before := read(t, l.Path())
	for _, bad := range []Body{
		&Custom{CustomType: "x", Data: json.RawMessage(`{"cut`)},
		&Custom{},
		&CustomMessage{},
		&Unknown{},
	} {
		if err := l.Append(&Label{TargetID: "a"}, bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%#v: %v", bad, err)
		}
	}
	same(t, 1, len(l.Entries()))
	same(t, string(before), string(read(t, l.Path())))
}

func TestTitleIsOverwrittenInPlace(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	do(t, l.SetTitle("first", TitleAuto))
	do(t, l.SetTitle("mine", TitleUser))
	do(t, l.SetTitle("automatic again", TitleAuto))
	data := read(t, l.Path())
	var s slot
	do(t, json.Unmarshal(data[:slotSize], &s))
	same(t, []string{"mine", "user"}, []string{s.Title, string(s.Source)})
	same(t, 2, bytes.Count(data, []byte(`"title_change"`)))

	long := strings.Repeat("👩🏽‍🚀", 40)
	do(t, l.SetTitle(long, TitleUser))
	again := reload(t, l)
	title, _ := again.Title()
	same(t, long, title) // the slot is cut, the entry is whole
}

func TestTitleChangeThatNeverReachedTheSlotCounts(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	do(t, l.Append(&TitleChange{Title: "crashed before the slot", Source: TitleUser}))
	title, source := reload(t, l).Title()
	same(t, []string{"crashed before the slot", "user"}, []string{title, string(source)})
}

func TestTitleIsNotWrittenIntoAnotherFile(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	path := l.Path()
	do(t, os.Remove(path))
	do(t, os.WriteFile(path, []byte("precious"), 0o600))
	if err := l.SetTitle("x", TitleUser); err == nil {
		t.Fatal("no error")
	}
	same(t, "precious", string(read(t, path)))
}

func FuzzSlot(f *testing.F) {
	f.Add("plain")
	f.Add(strings.Repeat("👍", 80))
	f.Add(strings.Repeat("\x00\"\\\u2028", 60))
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, title string) {
		line, err := encodeSlot(title, TitleUser, parseTime("2026-02-16T10:20:30Z"))
		do(t, err)
		var s slot
		do(t, json.Unmarshal(line, &s))
		same(t, []int{slotSize, slotSize - 1}, []int{len(line), bytes.IndexByte(line, '\n')})
		if !strings.HasPrefix(strings.ToValidUTF8(title, "\uFFFD"), s.Title) && !strings.Contains(title, "\uFFFD") && !strings.Contains(s.Title, "\uFFFD") {
			t.Fatalf("%q became %q", title, s.Title)
		}
	})
}

func TestATitleIsOneLineWithoutControlCharacters(t *testing.T) {
	same(t, "a b c", CleanTitle(" a\n\tb\x00\x1b  c "))
	same(t, "", CleanTitle(" \r\n\x07"))
}

func TestFileAppearsWithTheSkillThatAPersonCalls(t *testing.T) {
	for by, want := range map[string]bool{"user": true, "agent": false} {
		l, err := New(Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append(&CustomMessage{CustomType: "skill-prompt", Content: message.Blocks{message.NewText("do it")}, Attribution: by}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(l.Path()); (err == nil) != want {
			t.Errorf("by %s: %v", by, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
