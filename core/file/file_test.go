package file

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestResolveMakesPathsAbsolute(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for path, want := range map[string]string{
		"a.go": "/work/a.go", "./x/../b": "/work/b", "../up": "/up", "/abs": "/abs", "~": "/home/me",
		"~/n.txt": "/home/me/n.txt", "~other/x": "/work/~other/x", "file:///tmp/x": "/tmp/x", "": "/work",
	} {
		if got := Resolve("/work", path); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestURLTellsURLsFromPaths(t *testing.T) {
	type result struct {
		Scheme, URL string
		OK          bool
	}
	for path, want := range map[string]result{
		"DB://Users/1": {"db", "db://Users/1", true}, "a+b.c-1://x": {"a+b.c-1", "a+b.c-1://x", true},
		"a/b": {}, "file:///x": {}, "1a://x": {}, "x:1": {}, "://x": {}, "dir/db://x": {},
	} {
		scheme, url, ok := URL(path)
		if diff := cmp.Diff(want, result{scheme, url, ok}); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestTargetFollowsLinksToWhatWillBeWritten(t *testing.T) {
	dir := realTemp(t)
	must(t, os.MkdirAll(filepath.Join(dir, "real"), 0o755))
	must(t, os.Symlink("real", filepath.Join(dir, "linkdir")))
	must(t, os.Symlink("real/there", filepath.Join(dir, "link")))
	must(t, os.Symlink("../link", filepath.Join(dir, "real", "chain")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for path, want := range map[string]string{
		"plain": "plain", "linkdir/new": "real/new", "link": "real/there", "linkdir/chain": "real/there",
		"missing/deep/x": "missing/deep/x", "linkdir/missing/x": "real/missing/x",
	} {
		got, err := Target(filepath.Join(dir, path))
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("Target(%s) = %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := Target(filepath.Join(dir, "loop")); err == nil {
		t.Error("a loop of links has a target")
	}
}

func TestOpenRefusesWhatIsNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	must(t, syscall.Mkfifo(pipe, 0o600))
	listener, err := net.Listen("unix", socket)
	must(t, err)
	defer func() { _ = listener.Close() }()
	must(t, os.Symlink(pipe, filepath.Join(dir, "link")))
	for path, kind := range map[string]string{
		pipe: "a named pipe", filepath.Join(dir, "link"): "a named pipe", socket: "a socket", "/dev/null": "a device", "/dev/stdin": "a descriptor", "/proc/self/fd/0": "a descriptor", dir: "a directory",
	} {
		_, _, err := Open(path)
		if !errors.Is(err, ErrIrregular) || !strings.Contains(err.Error(), kind) {
			t.Errorf("Open(%s): %v, want %s", path, err, kind)
		}
	}
}

func TestWriteKeepsWhatTheFileIs(t *testing.T) {
	dir := realTemp(t)
	path := filepath.Join(dir, "script")
	must(t, os.WriteFile(path, []byte("old, and longer than the new"), 0o600))
	must(t, os.Chmod(path, 0o750))
	before := ino(t, path)
	must(t, Write(path, []byte("new")))
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode() != 0o750 {
		t.Errorf("mode is %v", info.Mode())
	}
	if content(t, path) != "new" || ino(t, path) == before {
		t.Errorf("content %q, replaced %v", content(t, path), ino(t, path) != before)
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("litter: %v", names)
	}
}

func TestWriteKeepsHardLinksTogether(t *testing.T) {
	dir := realTemp(t)
	one, other := filepath.Join(dir, "one"), filepath.Join(dir, "other")
	must(t, os.WriteFile(one, []byte("a long old content"), 0o644))
	must(t, os.Link(one, other))
	must(t, Write(one, []byte("new")))
	if content(t, other) != "new" || ino(t, one) != ino(t, other) {
		t.Errorf("the other name has %q", content(t, other))
	}
}

func TestWriteGivesNewFilesTheUsualMode(t *testing.T) {
	path := filepath.Join(realTemp(t), "new")
	reference := filepath.Join(realTemp(t), "reference")
	must(t, os.WriteFile(reference, nil, 0o666))
	must(t, Write(path, nil))
	want, err := os.Stat(reference)
	must(t, err)
	got, err := os.Stat(path)
	must(t, err)
	if got.Mode() != want.Mode() || got.Size() != 0 {
		t.Errorf("mode %v, want %v; size %d", got.Mode(), want.Mode(), got.Size())
	}
}

func TestWriteRefusesReadOnlyFiles(t *testing.T) {
	path := filepath.Join(realTemp(t), "kept")
	must(t, os.WriteFile(path, []byte("kept"), 0o444))
	if err := Write(path, []byte("lost")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("error is %v", err)
	}
	if content(t, path) != "kept" {
		t.Errorf("content is %q", content(t, path))
	}
}

func TestFailedWriteLeavesNothingBehind(t *testing.T) {
	dir := realTemp(t)
	if err := Write(filepath.Join(dir, strings.Repeat("x", 300)), []byte("y")); err == nil || strings.Contains(err.Error(), ".veyyon-") {
		t.Errorf("error is %v", err)
	}
	if err := Write(dir, []byte("y")); !errors.Is(err, ErrIrregular) {
		t.Errorf("error for a directory is %v", err)
	}
	if err := Write(filepath.Join(dir, "no", "where"), []byte("y")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error for a missing directory is %v", err)
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("litter: %v", names)
	}
}

func TestLocksServeWaitersInOrderAndForgetThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locks Locks
		unlock, err := locks.Lock(t.Context(), "f")
		must(t, err)
		order := make(chan int, 6)
		for i := range 6 {
			go func() {
				unlock, err := locks.Lock(t.Context(), "f")
				if err != nil {
					t.Error(err)
					return
				}
				order <- i
				unlock()
			}()
			synctest.Wait()
		}
		free, err := locks.Lock(t.Context(), "another")
		must(t, err)
		free()
		unlock()
		synctest.Wait()
		for i := range 6 {
			if got := <-order; got != i {
				t.Errorf("waiter %d came as number %d", got, i)
			}
		}
		if len(locks.held) != 0 {
			t.Errorf("%d locks are left", len(locks.held))
		}
	})
}

func TestAbortWhileWaitingLeavesNoLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locks Locks
		unlock, err := locks.Lock(t.Context(), "f")
		must(t, err)
		cause := errors.New("aborted")
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer stop()
		if _, err := locks.Lock(ctx, "f"); !errors.Is(err, cause) {
			t.Errorf("error is %v", err)
		}
		if _, err := locks.Lock(ctx, "free"); !errors.Is(err, cause) {
			t.Errorf("error of a lock asked for after the end is %v", err)
		}
		unlock()
		if len(locks.held) != 0 {
			t.Errorf("%d locks are left", len(locks.held))
		}
	})
}

func TestPrintableReplacesWhatCannotBeShown(t *testing.T) {
	text, lossy := Printable([]byte("a\x00\xe9\xffé€"))
	if text != "a\u2400\ufffd\ufffdé€" || !lossy {
		t.Errorf("%q, %v", text, lossy)
	}
	if text, lossy := Printable([]byte("\ufffd fine")); text != "\ufffd fine" || lossy {
		t.Errorf("%q, %v", text, lossy)
	}
}

func TestCutEndsBetweenRunes(t *testing.T) {
	for limit, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 4: "aé", 6: "aé", 7: "aé🙂", 99: "aé🙂"} {
		if got := Cut("aé🙂", limit); got != want {
			t.Errorf("Cut at %d is %q", limit, got)
		}
	}
}

func TestUTF16IsDecoded(t *testing.T) {
	for _, raw := range []string{"\xff\xfeh\x00i\x00\x3d\xd8\x42\xde", "\xfe\xff\x00h\x00i\xd8\x3d\xde\x42"} {
		if text, ok := UTF16([]byte(raw)); !ok || string(text) != "hi🙂" {
			t.Errorf("%q is %q, %v", raw, text, ok)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// realTemp is a temporary directory whose path holds no links.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}

func ino(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return status(info).Ino
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	items, err := os.ReadDir(dir)
	must(t, err)
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.Name()
	}
	return names
}

func TestPathsThatLeadToOneFileAreTheSame(t *testing.T) {
	dir := realTemp(t)
	file, other, link := filepath.Join(dir, "file"), filepath.Join(dir, "other"), filepath.Join(dir, "link")
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.WriteFile(other, nil, 0o600))
	must(t, os.Symlink("file", link))
	missing := filepath.Join(dir, "missing")
	for pair, want := range map[[2]string]bool{
		{file, file}: true, {file, link}: true, {file, other}: false, {file, missing}: false, {missing, file}: false, {missing, missing}: true,
	} {
		if Same(pair[0], pair[1]) != want {
			t.Errorf("%q are the same: %t", pair, !want)
		}
	}
}
