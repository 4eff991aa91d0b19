package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/message"
)

// textsOf returns the texts of the conversation.
func textsOf(t *testing.T, s Snapshot) (texts []string) {
	t.Helper()
	messages, err := s.Messages()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		texts = append(texts, m.(*message.User).Content.Text())
	}
	return texts
}

func TestASessionIsReadWhileItsOwnerWrites(t *testing.T) {
	log, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // nothing hangs on it
	if err := log.AppendMessage(message.NewUser("one", nil)); err != nil {
		t.Fatal(err)
	}
	r, err := Read(log.Path(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.AppendMessage(message.NewUser("two", nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one"}, textsOf(t, r.Snapshot)); diff != "" {
		t.Error(diff)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoSessionIsNotReadAndNotMade(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{empty: ErrNotSession, folder: ErrNotSession, filepath.Join(folder, "none.jsonl"): fs.ErrNotExist} {
		if _, err := Read(path, Options{}); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if info, err := os.Stat(empty); err != nil || info.Size() != 0 {
		t.Error(info, err)
	}
}

func TestASnapshotApartOutlivesItsLog(t *testing.T) {
	for _, onDisk := range []bool{true, false} {
		log, err := New(Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if onDisk {
			err = log.AppendMessage(message.NewUser("one", nil))
		} else {
			err = log.Append(&CustomMessage{CustomType: "x", Content: message.Blocks{message.NewText("one")}})
		}
		if err != nil {
			t.Fatal(err)
		}
		apart, file, err := log.Apart()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(log.Close(), os.RemoveAll(log.Path())); err != nil {
			t.Fatal(err)
		}
		if _, err := apart.Messages(); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
