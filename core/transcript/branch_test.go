package transcript

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/message"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	do(t, err)
	out := []string{}
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}

func TestABranchIsASessionOfItsOwn(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("one")))
	first := l.Leaf()
	do(t, l.SetTitle("the old one", TitleUser))
	do(t, l.AppendMessage(user("two")))
	upTo := l.Leaf()
	do(t, l.SetLabel(first.ID, "start"))
	do(t, l.AppendMessage(user("three")))
	before := string(read(t, l.Path()))

	o := Options{Dir: filepath.Dir(l.Path()), Blobs: string(l.blobs), Parent: l.Path()}
	b, err := l.Branch(upTo, o)
	do(t, err)
	if _, err := Open(b.Path(), o); !errors.Is(err, ErrLocked) {
		t.Fatalf("the file has no lock: %v", err)
	}
	same(t, map[string]string{first.ID: "start"}, b.labels.share())
	do(t, b.AppendMessage(user("other")))
	do(t, b.SetTitle("the new one", TitleUser))
	again := reload(t, b)
	same(t, []string{"user: one", "user: two", "user: other"}, texts(again.Messages()))
	title, _ := again.Title()
	same(t, []string{"the new one", l.Path(), "/x"}, []string{title, again.Header().ParentSession, again.Header().CWD})
	if again.ID() == l.ID() {
		t.Fatal("two sessions have one id")
	}
	same(t, before, string(read(t, l.Path())))

	none, err := l.Branch(nil, o)
	do(t, err)
	same(t, []any{0, ""}, []any{len(none.Entries()), none.title})
	same(t, 3, len(names(t, o.Dir)))
	do(t, none.Close())
}

func TestABranchOfASessionInMemoryStoresItsImages(t *testing.T) {
	dir := t.TempDir()
	l, err := New(Options{CWD: "/x"})
	do(t, err)
	big := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 5000))
	do(t, l.AppendMessage(message.NewUser("look", []*message.Image{message.NewImage(big, "image/png")})))
	want := l.Messages()
	b, err := l.Branch(l.Leaf(), Options{Dir: dir})
	do(t, err)
	same(t, want, reload(t, b).Messages())
	inMemory, err := l.Branch(l.Leaf(), Options{})
	do(t, err)
	do(t, inMemory.AppendMessage(user("more")))
	same(t, []string{"user: look", "user: more"}, texts(inMemory.Messages()))
	same(t, []string{"user: look"}, texts(l.Messages()))
}

// branchForever prints a line for each branch.
func branchForever(path string) {
	l, err := Open(path, Options{})
	fatal(err)
	for {
		b, err := l.Branch(l.Leaf(), Options{Dir: filepath.Dir(path)})
		fatal(err)
		_, err = fmt.Println(b.Path())
		fatal(err)
		fatal(os.Remove(b.Path()))
		fatal(b.Close())
	}
}

// branchWithinLimit meets files that must not grow.
func branchWithinLimit(path string) {
	signal.Ignore(syscall.SIGXFSZ)
	l, err := Open(path, Options{})
	fatal(err)
	for n := range 100 {
		fatal(l.AppendMessage(user(strings.Repeat("x", 5000) + fmt.Sprint(n))))
	}
	var old unix.Rlimit
	fatal(unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = 300 << 10 // the copy has 500 KB
	fatal(unix.Setrlimit(unix.RLIMIT_FSIZE, &limit))
	if _, err := l.Branch(l.Leaf(), Options{Dir: filepath.Dir(path)}); !errors.Is(err, unix.EFBIG) {
		fatal(fmt.Errorf("at the limit: %w", err))
	}
	fatal(unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
	fatal(l.AppendMessage(user("after")))
	fatal(l.Close())
}

func TestABranchThatDoesNotFitLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	do(t, helper(t, "branch-limited", path).Run())
	same(t, []string{"s.jsonl"}, names(t, dir))
	l, err := Open(path, Options{})
	do(t, err)
	same(t, []int{101, 0}, []int{len(l.Messages()), l.Skipped()})
	do(t, l.Close())
}
