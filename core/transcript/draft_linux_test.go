package transcript

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestKillLeavesNoHalfOfABranch(t *testing.T) {
	l := newLog(t)
	for range 200 {
		do(t, l.AppendMessage(user(strings.Repeat("x", 5000))))
	}
	do(t, l.Close())
	dir := filepath.Dir(l.Path())
	for round := range 10 {
		cmd := helper(t, "branch", l.Path())
		out, err := cmd.StdoutPipe()
		do(t, err)
		do(t, cmd.Start())
		in := bufio.NewScanner(out)
		for range 1 + round {
			if !in.Scan() {
				t.Fatal("the helper ended")
			}
		}
		do(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
		for _, name := range names(t, dir) {
			path := filepath.Join(dir, name)
			b, err := Open(path, Options{})
			do(t, err)
			same(t, []int{200, 0}, []int{len(b.Messages()), b.Skipped()})
			do(t, b.Close())
			if path != l.Path() {
				do(t, os.Remove(path))
			}
		}
	}
}

// asNobody runs f without the rights of root, if the test has them.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		const nobody = 65534
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Skip("the rights of root cannot be given up")
		}
		defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	}
	f()
}

func TestAFolderThatIsReadOnlyGivesAClearError(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("mine")))
	dir := t.TempDir()
	theirs := filepath.Join(dir, "theirs.jsonl")
	do(t, os.WriteFile(theirs, []byte(header), 0o444))
	do(t, os.Chmod(dir, 0o555))
	asNobody(t, func() {
		refused := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, os.ErrPermission) {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err := Open(filepath.Join(dir, "new.jsonl"), Options{})
		refused("a new file", err)
		_, err = Open(theirs, Options{})
		refused("a file of another", err)
		_, err = l.Branch(l.Leaf(), Options{Dir: dir})
		refused("a branch", err)
		fresh, err := New(Options{Dir: filepath.Join(dir, "sub")})
		do(t, err)
		refused("the first message", fresh.AppendMessage(user("kept")))
		same(t, []string{"user: kept"}, texts(fresh.Messages()))
		refused("closing", fresh.Close())
	})
	same(t, []string{"theirs.jsonl"}, names(t, dir))
}
