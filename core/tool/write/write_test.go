package write

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWriteCreatesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	w := New(Options{Locks: &file.Locks{}})
	path := filepath.Join(dir, "new", "deep", "a.txt")
	for _, step := range []struct{ content, text, op string }{
		{"héllo\r\n", "Successfully wrote 8 bytes to new/deep/a.txt", "create"},
		{"", "Successfully wrote 0 bytes to new/deep/a.txt", "update"},
	} {
		out, err := run(t, w, dir, "new/deep/a.txt", step.content)
		must(t, err)
		if text := out.Content.Text(); text != step.text {
			t.Errorf("text is %q", text)
		}
		var details Details
		must(t, json.Unmarshal(out.Details, &details))
		if diff := cmp.Diff(Details{ResolvedPath: path, Op: step.op}, details); diff != "" {
			t.Error(diff)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != step.content {
			t.Errorf("the file is %q, %v", got, err)
		}
	}
}

func TestWriteKeepsLinksAndMakesScriptsExecutable(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("script", filepath.Join(dir, "link")))
	out, err := run(t, New(Options{Locks: &file.Locks{}}), dir, "link", "#!/bin/sh\n")
	must(t, err)
	info, err := os.Lstat(filepath.Join(dir, "script"))
	must(t, err)
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("the target's mode is %v", info.Mode())
	}
	if to, err := os.Readlink(filepath.Join(dir, "link")); to != "script" {
		t.Errorf("the link is %q, %v", to, err)
	}
	if text := out.Content.Text(); text != "Successfully wrote 10 bytes to script and made it executable" {
		t.Errorf("text is %q", text)
	}
}

func TestWriteDoesNotMakeAVanishedWorkingDirectoryAgain(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "gone")
	w := New(Options{Locks: &file.Locks{}})
	for _, path := range []string{"a", "sub/a", filepath.Join(dir, "a")} {
		out, err := run(t, w, dir, path, "x")
		must(t, err)
		if text := out.Content.Text(); !out.IsError || text != "Working directory does not exist: "+dir {
			t.Errorf("%s: %v %q", path, out.IsError, text)
		}
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the directory was made")
	}
	out, err := run(t, w, dir, filepath.Join(parent, "elsewhere", "a"), "x")
	must(t, err)
	if out.IsError {
		t.Errorf("elsewhere: %q", out.Content.Text())
	}
}

func TestWriteRefusesPipesAndDirectories(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for _, path := range []string{"pipe", "."} {
		if _, err := run(t, New(Options{Locks: &file.Locks{}}), dir, path, "x"); !errors.Is(err, file.ErrIrregular) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// desk is a host with one scheme.
type desk struct {
	scheme host.Scheme
	wrote  map[string]string
}

func (d *desk) Scheme(name string) (host.Scheme, bool) { return d.scheme, name == d.scheme.Name }
func (d *desk) Read(context.Context, string) (host.Resource, error) {
	return host.Resource{}, errors.New("not asked for here")
}

func (d *desk) Write(_ context.Context, url, content string) error {
	if content == "bad" {
		return errors.New("row 42 not found")
	}
	d.wrote[url] = content
	return nil
}

func TestWriteOfHostResources(t *testing.T) {
	dir := t.TempDir()
	d := &desk{host.Scheme{Name: "db", Writable: true}, map[string]string{}}
	w := New(Options{Locks: &file.Locks{}, URIs: d})
	out, err := run(t, w, dir, "DB://Users/42", "né")
	must(t, err)
	if text := out.Content.Text(); text != "Successfully wrote 3 bytes to db://Users/42" || d.wrote["db://Users/42"] != "né" {
		t.Errorf("text is %q, wrote %v", text, d.wrote)
	}
	if _, err := run(t, w, dir, "db://a", "bad"); err == nil || err.Error() != "row 42 not found" {
		t.Errorf("error is %v", err)
	}
	clear(d.wrote)
	d.scheme.Writable = false
	for _, path := range []string{"db://a", "other://a", "https://example.com/x"} {
		out, err := run(t, w, dir, path, "x")
		must(t, err)
		scheme, _, _ := file.URL(path)
		if text := out.Content.Text(); !out.IsError || text != scheme+":// URLs are read-only; there is no write path for this scheme." {
			t.Errorf("%s: %v %q", path, out.IsError, text)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left)+len(d.wrote) != 0 {
		t.Errorf("written instead: %v %v", left, d.wrote)
	}
}

func run(t *testing.T, w tool.Tool, dir, path, content string) (tool.Output, error) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"path": path, "content": content})
	must(t, err)
	return w.Run(t.Context(), tool.Call{Args: args, Dir: dir})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
