package write

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/host/memory"
	"veyyon.dev/veyyon/core/tool"
)

func TestTheHostIsGivenWhatIsWritten(t *testing.T) {
	dir := t.TempDir()
	var editor memory.Files
	own := filepath.Join(dir, "own")
	w := New(Options{Locks: &file.Locks{}, Tags: true, Texts: tool.Texts{
		Host: editor.Host(), Own: func(_ tool.Session, path string) bool { return file.Under(path, own) },
	}})
	path := filepath.Join(dir, "deep", "a.txt")
	out, err := run(t, w, dir, "deep/a.txt", "one\n")
	must(t, err)
	if text := out.Content.Text(); !strings.HasSuffix(text, "]\nSuccessfully wrote 4 bytes to deep/a.txt") {
		t.Errorf("text is %q", text)
	}
	if diff := cmp.Diff([]string{"write " + path}, editor.Calls()); diff != "" {
		t.Error(diff)
	}
	refused := errors.New("the buffer is locked")
	editor.Fail(refused)
	if _, err := run(t, w, dir, "deep/a.txt", "two\n"); !errors.Is(err, refused) {
		t.Errorf("a refused write gave %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the disk was written: %v, %v", left, err)
	}
	editor.Calls()
	if _, err := run(t, w, dir, filepath.Join(own, "n"), "mine"); err != nil {
		t.Error(err)
	}
	if raw, err := os.ReadFile(filepath.Join(own, "n")); err != nil || string(raw) != "mine" || len(editor.Calls()) > 0 {
		t.Errorf("the session's own file is %q, %v", raw, err)
	}
}

func TestWritesTellHostsWhatChanged(t *testing.T) {
	dir := t.TempDir()
	w := New(Options{Locks: &file.Locks{}})
	path, one := filepath.Join(dir, "a"), "one\n"
	large := strings.Repeat("x", tool.MaxDiffed+1)
	for _, c := range []struct {
		content string
		want    []event.Diff
	}{
		{one, []event.Diff{{Path: path, New: one}}},
		{"two\n", []event.Diff{{Path: path, Old: &one, New: "two\n"}}},
		{large, nil},
		{one, nil},
	} {
		out, err := run(t, w, dir, "a", c.content)
		must(t, err)
		if diff := cmp.Diff(c.want, out.Diffs); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]event.Location{{Path: path}}, out.Locations); diff != "" {
			t.Error(diff)
		}
	}
}
