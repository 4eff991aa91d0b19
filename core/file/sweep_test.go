package file

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// onItsWay is a draft as it is between its two names.
func onItsWay(t *testing.T, dir string) *Draft {
	t.Helper()
	d, err := NewDraft(dir, 0o600)
	must(t, err)
	t.Cleanup(d.Discard)
	if d.temp == "" {
		d.lock()
		must(t, d.linkTemp())
	}
	return d
}

// left is a file as a crash leaves it.
func left(t *testing.T, dir string) string {
	t.Helper()
	path := newTemp(dir)
	must(t, os.WriteFile(path, nil, 0o600))
	return path
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestSweepRemovesWhatACrashLeftAndNothingElse(t *testing.T) {
	dir := realTemp(t)
	live := onItsWay(t, dir).temp
	swept.Delete(dir) // as for another process
	crashed := left(t, dir)
	for _, name := range []string{filepath.Join(dir, tempPrefix+"notes"), filepath.Join(dir, "x")} {
		must(t, os.WriteFile(name, nil, 0o600))
	}
	must(t, os.Mkdir(newTemp(dir), 0o700))
	Sweep(dir)
	Sweep(filepath.Join(dir, "nowhere"))
	if isThere(crashed) {
		t.Error("what a crash left is still there")
	}
	if !isThere(live) {
		t.Error("a draft that lives is gone")
	}
	if names := entries(t, dir); len(names) != 4 {
		t.Errorf("the folder holds %v", names)
	}
}

func TestOneProcessSweepsAFolderOnce(t *testing.T) {
	dir := realTemp(t)
	for _, want := range []bool{false, true} { // later it is another process's to remove
		litter := left(t, dir)
		Sweep(dir)
		if isThere(litter) != want {
			t.Errorf("what a crash left: %v", !want)
		}
	}
}

func TestAFileOnItsWayIsWhereASweepFindsIt(t *testing.T) {
	dir := realTemp(t)
	if f, err := unnamed(dir, 0o600); err != nil {
		t.Skip("this file system has no files without a name")
	} else {
		must(t, f.Close())
	}
	project, outside := filepath.Join(dir, "project"), filepath.Join(dir, "outside")
	deep := filepath.Join(project, "a", "b")
	must(t, os.MkdirAll(deep, 0o700))
	must(t, os.Mkdir(outside, 0o700))
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(project, link))
	Sweep(link)
	if at := filepath.Dir(onItsWay(t, deep).temp); at != project {
		t.Errorf("on its way below the project it is in %s", at)
	}
	litter := left(t, outside)
	if at := filepath.Dir(onItsWay(t, outside).temp); at != outside || isThere(litter) {
		t.Errorf("on its way elsewhere it is in %s, where litter is there: %v", at, isThere(litter))
	}
	target := filepath.Join(deep, "x")
	for range 2 {
		must(t, Write(target, []byte("new")))
	}
	if names := entries(t, deep); !slices.Equal(names, []string{"x"}) || content(t, target) != "new" {
		t.Errorf("the folder holds %v", names)
	}
}
