package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/message"
)

// remembered is a session of three messages and what the conversation remembers:
// all but the first.
func remembered(t *testing.T) *Log {
	t.Helper()
	l := newLog(t)
	said := map[string]message.Message{}
	for _, m := range []message.Message{user("one"), answer("two"), user("three")} {
		do(t, l.AppendMessage(m))
		if len(l.Entries()) > 1 {
			said[l.Leaf().ID] = m
		}
	}
	do(t, l.SetTitle("its title", TitleUser))
	l.Remember(func() map[string]message.Message { return said })
	return l
}

// isRenewed checks that the append told of it, where the session is, and that it
// then goes on as ever.
func isRenewed(t *testing.T, l *Log, want Renewed, said ...string) {
	t.Helper()
	var told *Renewed
	if err := l.AppendMessage(user("four")); !errors.As(err, &told) {
		t.Fatalf("told %v", err)
	}
	same(t, want, *told)
	do(t, l.AppendMessage(answer("five")))
	do(t, l.SetTitle("another title", TitleUser))
	said = append(said, "user: four", "assistant: five")
	same(t, said, texts(l.Messages()))
	snapshot, apart, err := l.Apart()
	do(t, err)
	messages, err := snapshot.Messages()
	do(t, err)
	same(t, said, texts(messages))
	do(t, apart.Close())
	again := reload(t, l)
	same(t, said, texts(again.Messages()))
	title, _ := again.Title()
	same(t, []any{l.ID(), "another title"}, []any{again.ID(), title})
}

func TestADeletedSessionIsWrittenAgainAtItsPlace(t *testing.T) {
	for name, remove := range map[string]func(path string) error{
		"file":   os.Remove,
		"folder": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"moved":  func(path string) error { return os.Rename(path, path+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			l := remembered(t)
			do(t, remove(l.Path()))
			isRenewed(t, l, Renewed{Path: l.Path(), Was: l.Path()}, "user: one", "assistant: two", "user: three")
		})
	}
}

func TestAReplacedSessionGoesOnBesideTheOther(t *testing.T) {
	l := remembered(t)
	path := l.Path()
	do(t, os.WriteFile(path+".new", []byte("theirs\n"), 0o600))
	do(t, os.Rename(path+".new", path))
	var told *Renewed
	if err := l.Append(&Custom{CustomType: "note"}); !errors.As(err, &told) || told.Path != l.Path() || l.Path() == path {
		t.Fatalf("told %v, it is in %s", err, l.Path())
	}
	same(t, "theirs\n", string(read(t, path)))
	again := reload(t, l)
	same(t, []string{"user: one", "assistant: two", "user: three"}, texts(again.Messages()))
	same(t, l.ID(), again.ID())
	same(t, 2, len(names(t, filepath.Dir(path))))
}

func TestAnEmptiedSessionHasWhatTheConversationRemembers(t *testing.T) {
	l := remembered(t)
	do(t, os.Truncate(l.Path(), 0))
	isRenewed(t, l, Renewed{Path: l.Path(), Was: l.Path(), Lost: 2}, "assistant: two", "user: three") // "one" and the first title
}

func TestASessionCutShortKeepsWhatIsLeft(t *testing.T) {
	l := remembered(t)
	second := l.Entries()[1]
	do(t, os.Truncate(l.Path(), second.offset+10))
	isRenewed(t, l, Renewed{Path: l.Path(), Was: l.Path(), Lost: 1}, "user: one", "assistant: two", "user: three")
}

func TestASessionCutTwiceIsWrittenTwice(t *testing.T) {
	l := remembered(t)
	do(t, os.Truncate(l.Path(), 0))
	if err := l.Append(&Custom{CustomType: "note"}); !errors.As(err, new(*Renewed)) {
		t.Fatal(err)
	}
	do(t, os.Truncate(l.Path(), 0))
	isRenewed(t, l, Renewed{Path: l.Path(), Was: l.Path(), Lost: 1}, "assistant: two", "user: three") // the note
}

func TestASessionThatWasWrittenOverGoesOnBesideIt(t *testing.T) {
	l := remembered(t)
	path := l.Path()
	do(t, os.WriteFile(path, []byte("theirs\n"), 0o600)) // in place
	if err := l.AppendMessage(user("four")); !errors.As(err, new(*Renewed)) {
		t.Fatal(err)
	}
	same(t, "theirs\n", string(read(t, path)))
	same(t, []string{"assistant: two", "user: three", "user: four"}, texts(reload(t, l).Messages()))
}

func TestASessionThatCannotBeWrittenAgainWaits(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"deleted": os.Remove,
		"emptied": func(path string) error { return errors.Join(os.Truncate(path, 0), os.Remove(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			l := remembered(t)
			folder := filepath.Dir(l.Path())
			do(t, spoil(l.Path()))
			do(t, os.Remove(folder))
			do(t, os.WriteFile(folder, nil, 0o600)) // a file in its place
			for range 2 {
				if err := l.AppendMessage(user("waits")); !errors.Is(err, unix.ENOTDIR) {
					t.Fatal(err)
				}
			}
			do(t, os.Remove(folder))
			said := []string{"user: one", "assistant: two", "user: three", "user: waits", "user: waits"}
			want := Renewed{Path: l.Path(), Was: l.Path()}
			if name == "emptied" {
				said, want.Lost = said[1:], 2
			}
			isRenewed(t, l, want, said...)
		})
	}
}

func TestASummaryIsRememberedWithWhatItKept(t *testing.T) {
	l := newLog(t)
	said := map[string]message.Message{}
	for _, m := range []message.Message{user("one"), answer("two"), user("three")} {
		do(t, l.AppendMessage(m))
		said[l.Leaf().ID] = m
	}
	first, kept := l.Entries()[0].ID, l.Entries()[1].ID
	do(t, l.Append(&Compaction{Summary: "sum", FirstKeptEntryID: kept}))
	delete(said, first)
	said[l.Leaf().ID] = &message.CompactionSummary{Role: message.RoleCompactionSummary, Summary: "sum"}
	l.Remember(func() map[string]message.Message { return said })
	do(t, os.Truncate(l.Path(), 0))
	isRenewed(t, l, Renewed{Path: l.Path(), Was: l.Path(), Lost: 1}, "compactionSummary: sum", "assistant: two", "user: three")
}

func TestWhatWaitsForTheDiskIsHeldOnce(t *testing.T) {
	l := newLog(t)
	do(t, os.MkdirAll(filepath.Dir(filepath.Dir(l.Path())), 0o700))
	do(t, os.WriteFile(filepath.Dir(l.Path()), nil, 0o600)) // a file where the folder should be
	for range 3 {
		if l.AppendMessage(user(strings.Repeat("x", 1<<20))) == nil {
			t.Fatal("written")
		}
	}
	lines := 0
	for _, e := range l.Entries() {
		lines += len(e.held.Load().line)
	}
	if lines > 2<<20 {
		t.Fatalf("%d bytes of lines wait beside their bodies", lines)
	}
	do(t, os.Remove(filepath.Dir(l.Path())))
	do(t, l.Flush())
	same(t, 3, len(reload(t, l).Messages()))
}

func TestReadersSeeNothingOfAFileThatIsWrittenAgain(t *testing.T) {
	l := remembered(t)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		snapshot := l.Snapshot()
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				messages, err := snapshot.Messages()
				if err != nil || len(messages) != 3 {
					t.Errorf("%d messages, %v", len(messages), err)
					return
				}
			}
		})
	}
	for range 50 {
		do(t, os.Remove(l.Path()))
		if err := l.Append(&Custom{CustomType: "note"}); !errors.As(err, new(*Renewed)) {
			t.Error(err)
		}
	}
	close(stop)
	readers.Wait()
	same(t, 3, len(reload(t, l).Messages()))
}
