package transcript

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func paths(list []Summary) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, filepath.Base(s.Path))
	}
	return out
}

func TestPagesJoinToTheList(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		must(t, err)
		for n := range rapid.IntRange(0, 12).Draw(t, "sessions") {
			path := filepath.Join(dir, fmt.Sprint(n, ".jsonl"))
			text := header
			if rapid.IntRange(0, 4).Draw(t, "foreign") == 0 {
				text = "foreign"
			}
			must(t, os.WriteFile(path, []byte(text), 0o600))
			at := time.Unix(rapid.Int64Range(0, 3).Draw(t, "changed"), rapid.Int64Range(0, 1).Draw(t, "nanoseconds"))
			must(t, os.Chtimes(path, at, at))
		}
		list, err := listed(dir)
		must(t, err)
		size := rapid.IntRange(1, 5).Draw(t, "size")
		var joined []Summary
		for cursor := ""; ; {
			page, err := Page([]string{dir}, cursor, size)
			must(t, err)
			joined = append(joined, page.Sessions...)
			if cursor = page.Next; cursor == "" {
				break
			}
			equal(t, size, len(page.Sessions))
		}
		equal(t, paths(list), paths(joined))
	})
}

func TestNewSessionsMoveNoneToAnotherPage(t *testing.T) {
	dir := t.TempDir()
	for n := range 6 {
		writeSession(t, dir, fmt.Sprint("s", n), "", 10+n)
	}
	first, err := Page([]string{dir}, "", 2)
	do(t, err)
	writeSession(t, dir, "new", "", 0)
	do(t, os.Remove(first.Sessions[1].Path)) // the one that the cursor names
	second, err := Page([]string{dir}, first.Next, 2)
	do(t, err)
	same(t, []string{"s2", "s3"}, []string{second.Sessions[0].ID, second.Sessions[1].ID})
}

func TestAPageIsBounded(t *testing.T) {
	dir := t.TempDir()
	for n := range MaxPage + 2 {
		writeSession(t, dir, fmt.Sprint(n), "", n)
	}
	for limit, want := range map[int]int{-1: DefaultPage, 0: DefaultPage, 7: 7, 10_000: MaxPage} {
		page, err := Page([]string{dir, filepath.Join(dir, "missing")}, "", limit)
		do(t, err)
		same(t, []any{want, true}, []any{len(page.Sessions), page.Next != ""})
	}
}

func TestFilesThatAreNoSessionsAreCounted(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		writeSession(t, dir, fmt.Sprint("s", n), "", n)
	}
	do(t, os.WriteFile(filepath.Join(dir, "bad.jsonl"), []byte("\x00\x00"), 0o600))
	do(t, os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o600))
	page, err := Page([]string{dir}, "", 0)
	do(t, err)
	same(t, []any{3, 2, ""}, []any{len(page.Sessions), page.Skipped, page.Next})
}

func TestAFolderInsteadOfAnotherIsAnErrorOfTheList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	do(t, os.WriteFile(path, nil, 0o600))
	if _, err := listed(path); err == nil {
		t.Fatal("a file was listed")
	}
	page, err := Page([]string{path}, "", 0)
	do(t, err)
	same(t, 0, len(page.Sessions))
}

// Any text is a cursor or errCursor, and one of ours comes back the same.
func FuzzCursor(f *testing.F) {
	f.Add("MTowOi9hL2I", "/a/b.jsonl", int64(5), uint32(7))
	f.Add("", "", int64(-1), uint32(999_999_999))
	f.Add(base64.RawURLEncoding.EncodeToString([]byte("1:2")), "a:b", int64(1<<62), uint32(0))
	f.Fuzz(func(t *testing.T, cursor, path string, seconds int64, nanos uint32) {
		if _, err := decodeCursor(cursor); err != nil && !errors.Is(err, errCursor) {
			t.Fatal(err)
		}
		if _, err := Page(nil, cursor, 1); err != nil && !errors.Is(err, errCursor) {
			t.Fatal(err)
		}
		want := candidate{path: path, modified: time.Unix(seconds, int64(nanos%1_000_000_000))}
		got, err := decodeCursor(encodeCursor(want))
		do(t, err)
		if order(want, got) != 0 {
			t.Fatalf("%v became %v", want, got)
		}
	})
}
