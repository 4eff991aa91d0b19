package file

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWriteKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(realTemp(t), "theirs")
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	must(t, os.Chown(path, 1234, 5678))
	must(t, Write(path, []byte("new")))
	info, err := os.Stat(path)
	must(t, err)
	if s := status(info); s.Uid != 1234 || s.Gid != 5678 || content(t, path) != "new" {
		t.Errorf("owner %d:%d, content %q", s.Uid, s.Gid, content(t, path))
	}
}

// Where no new file may be made, or the owner could not be kept, the file is
// written in place. The thread takes another user's rights for this, and is
// given up with its goroutine.
func TestWriteInPlaceWhereTheFileCannotBeReplaced(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take another user's rights")
	}
	dir := realTemp(t)
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	closed, open := filepath.Join(dir, "closed"), filepath.Join(dir, "open")
	must(t, os.Mkdir(closed, 0o755))
	must(t, os.Mkdir(open, 0o777))
	must(t, os.Chmod(open, 0o777))
	done := make(chan error)
	for _, parent := range []string{closed, open} {
		path := filepath.Join(parent, "shared")
		must(t, os.WriteFile(path, []byte("a long old content"), 0o666))
		must(t, os.Chmod(path, 0o666))
		before := ino(t, path)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			if err := unix.Setfsuid(65534); err != nil {
				done <- err
				return
			}
			done <- Write(path, []byte("new"))
		}()
		must(t, <-done)
		if content(t, path) != "new" || ino(t, path) != before || len(entries(t, parent)) != 1 {
			t.Errorf("%s: content %q, same file %v, directory %v", parent, content(t, path), ino(t, path) == before, entries(t, parent))
		}
	}
}

func TestAFileBehindAMountIsReplacedThere(t *testing.T) {
	dir := realTemp(t)
	store, mounted := filepath.Join(dir, "store"), filepath.Join(dir, "mounted")
	must(t, os.Mkdir(store, 0o700))
	must(t, os.Mkdir(mounted, 0o700))
	if unix.Mount(store, mounted, "", unix.MS_BIND, "") != nil {
		t.Skip("nothing can be mounted")
	}
	defer func() { must(t, unix.Unmount(mounted, 0)) }()
	Sweep(dir)
	path := filepath.Join(mounted, "x")
	for _, text := range []string{"one", "two"} {
		must(t, Write(path, []byte(text)))
	}
	if names := entries(t, store); content(t, path) != "two" || len(names) != 1 {
		t.Errorf("the file holds %q, the folder %v", content(t, path), names)
	}
}
