package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileOnItsWayHasNoNameWhereTheSystemCan(t *testing.T) {
	dir := realTemp(t)
	f, err := unnamed(dir, 0o600)
	if err != nil {
		t.Skip("this file system has no files without a name")
	}
	must(t, f.Close())
	d, err := NewDraft(dir, 0o600)
	must(t, err)
	defer d.Discard()
	must(t, fill(d.File, []byte("new"), nil))
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("a crash now would leave %v", names)
	}
	must(t, d.Appear(filepath.Join(dir, "x")))
	if got := content(t, filepath.Join(dir, "x")); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

func TestWhatFailsToBeMadeLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(realTemp(t), "own")
	must(t, Put(path, []byte("old"), 0o600))
	failed := errors.New("failed")
	err := Make(path, 0o600, func(w io.Writer) error { _, _ = w.Write([]byte("half")); return failed })
	if !errors.Is(err, failed) || content(t, path) != "old" || len(entries(t, filepath.Dir(path))) != 1 {
		t.Errorf("%v: %q, %v", err, content(t, path), entries(t, filepath.Dir(path)))
	}
}

func TestPutReplacesWhatIsThere(t *testing.T) {
	path := filepath.Join(realTemp(t), "own")
	for _, text := range []string{"first", "second"} {
		must(t, Put(path, []byte(text), 0o600))
		info, err := os.Stat(path)
		must(t, err)
		if content(t, path) != text || info.Mode().Perm() != 0o600 || len(entries(t, filepath.Dir(path))) != 1 {
			t.Errorf("%s: %q, mode %v, %v", path, content(t, path), info.Mode(), entries(t, filepath.Dir(path)))
		}
	}
}
