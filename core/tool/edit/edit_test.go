package edit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEditChangesTheFileAndReportsIt(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "birds.txt", "heron\nred plover\nowl\n")
	out := edit(t, New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, "birds.txt", Edit{Old: "red plover", New: "blue plover"})
	if got := read(t, path); got != "heron\nblue plover\nowl\n" {
		t.Errorf("the file is %q", got)
	}
	if text := out.Content.Text(); text != "Edited birds.txt: 1 edit, first changed line 2." {
		t.Errorf("text is %q", text)
	}
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	want := Details{
		Diff:             "--- birds.txt\n+++ birds.txt\n@@ -1,3 +1,3 @@\n heron\n-red plover\n+blue plover\n owl\n",
		FirstChangedLine: 2, Path: path, Op: "update",
	}
	if diff := cmp.Diff(want, details); diff != "" {
		t.Error(diff)
	}
}

func TestEditSaysWhatItOverlooked(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "x\n\tif a {\n\t}\n")
	out := edit(t, New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, "a", Edit{Old: "    if a {\n    }\n", New: "    if b {\n    }\n"})
	if text := out.Content.Text(); !strings.HasSuffix(text, "\nEdit 1 matched with differences in blanks and indentation overlooked at line 2.") {
		t.Errorf("text is %q", text)
	}
}

func TestFailedEditLeavesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a", "one\r\ntwo\r\n\xff")
	before, err := os.Stat(path)
	must(t, err)
	_, err = run(t.Context(), New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, "a", Edit{Old: "one", New: "1"}, Edit{Old: "three", New: "3"})
	if err == nil || !strings.HasPrefix(err.Error(), "a was not changed: edit 2: old_text was not found") {
		t.Errorf("error is %v", err)
	}
	after, statErr := os.Stat(path)
	must(t, statErr)
	if got := read(t, path); got != "one\r\ntwo\r\n\xff" || !os.SameFile(before, after) || before.ModTime() != after.ModTime() {
		t.Errorf("the file is %q", got)
	}
}

func TestEditRefusesWhatItCannotChange(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	put(t, dir, "wide", "\xff\xfeh\x00i\x00")
	must(t, os.Chmod(put(t, dir, "readonly", "x"), 0o444))
	for path, want := range map[string]string{
		"pipe": "a named pipe", "wide": "UTF-16", "db://users/1": "edit works on files only", ".": "a directory", "readonly": "read-only",
	} {
		_, err := run(t.Context(), New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, path, Edit{Old: "x", New: "y"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	out, err := run(t.Context(), New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, "./missing", Edit{Old: "x", New: "y"})
	must(t, err)
	if text := out.Content.Text(); !out.IsError || text != "File not found: ./missing" {
		t.Errorf("missing: %v %q", out.IsError, text)
	}
}

func TestSixEditsOfOneFileAllCount(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "real", "a\nb\nc\nd\ne\nf\n")
	must(t, os.Symlink("real", filepath.Join(dir, "link")))
	tl := New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}})
	var calls sync.WaitGroup
	for i, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		name := []string{"real", "link", "./real", path}[i%4]
		calls.Go(func() {
			if _, err := run(t.Context(), tl, dir, name, Edit{Old: letter + "\n", New: strings.ToUpper(letter) + "\n"}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if got := read(t, path); got != "A\nB\nC\nD\nE\nF\n" {
		t.Errorf("the file is %q", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestAbortWhileAnotherEditRuns(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a", "x\n")
	locks := &file.Locks{}
	target, err := file.Target(path)
	must(t, err)
	unlock, err := locks.Lock(t.Context(), target)
	must(t, err)
	cause := errors.New("aborted")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	if _, err := run(ctx, New(Options{Locks: locks, Like: Likeness{Misspelt: 5}}), dir, "a", Edit{Old: "x", New: "y"}); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
	unlock()
	edit(t, New(Options{Locks: locks, Like: Likeness{Misspelt: 5}}), dir, "a", Edit{Old: "x", New: "y"})
}

func TestLargeFilesAreEditedExactly(t *testing.T) {
	dir := t.TempDir()
	big := strings.Repeat("some line of a large file\n", 3<<20/26)
	path := put(t, dir, "big", big+"needle\n"+big)
	edit(t, New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, "big", Edit{Old: "needle", New: "thread"})
	if got := read(t, path); got != big+"thread\n"+big {
		t.Error("the file is not what it should be")
	}
	if _, err := run(t.Context(), New(Options{Locks: &file.Locks{}, Like: Likeness{Misspelt: 5}}), dir, "big", Edit{Old: "néedle", New: "x"}); err == nil {
		t.Error("found what is not there")
	}
}

func run(ctx context.Context, tl tool.Tool, dir, path string, edits ...Edit) (tool.Output, error) {
	args, err := json.Marshal(map[string]any{"path": path, "edits": edits})
	if err != nil {
		return tool.Output{}, err
	}
	return tl.Run(ctx, tool.Call{Args: args, Dir: dir})
}

func edit(t *testing.T, tl tool.Tool, dir, path string, edits ...Edit) tool.Output {
	t.Helper()
	out, err := run(t.Context(), tl, dir, path, edits...)
	must(t, err)
	return out
}

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
