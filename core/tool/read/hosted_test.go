package read

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/host/memory"
	"veyyon.dev/veyyon/core/tool"
)

func TestWhatIsNotSavedYetIsRead(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a.txt", "saved\n")
	var editor memory.Files
	unsaved := "one\ntwo\nthree\nfour\nfive\nsix\n"
	editor.Put(path, unsaved)
	opts := Options{Texts: tool.Texts{Host: editor.Host()}, Tags: true}
	r, header := New(opts), patch.Header("a.txt", patch.Tag([]byte(unsaved)))+"\n"
	if got, want := text(t, r, dir, "a.txt:5-5"), header+"4:four\n5:five\n6:six"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := text(t, r, dir, "a.txt:1:raw"); got+"\n" != unsaved {
		t.Errorf("raw: %q", got)
	}
	if diff := cmp.Diff([]string{"read " + path, "read " + path}, editor.Calls()); diff != "" {
		t.Error(diff) // the whole text, once for each call
	}
	editor.Fail(errors.New("the editor is busy"))
	if got := text(t, r, dir, "a.txt:raw"); got != "saved" {
		t.Errorf("after a failure: %q", got)
	}
	editor.Fail(nil)
	editor.Calls()
	opts.Texts.Own = func(_ tool.Session, asked string) bool { return asked == path }
	if got := text(t, New(opts), dir, "a.txt:raw"); got != "saved" {
		t.Errorf("the session's own: %q", got)
	}
	if calls := editor.Calls(); len(calls) > 0 {
		t.Errorf("the host was asked for %v", calls)
	}
}

func TestTheHostIsAskedForPlainTextOnly(t *testing.T) {
	dir := t.TempDir()
	var editor memory.Files
	r := New(Options{
		Texts:    tool.Texts{Host: editor.Host()},
		Artifact: func(tool.Session, int) (string, bool) { return put(t, dir, "0.bash.log", "kept"), true },
		Skill:    func(string, string) (string, error) { return put(t, dir, "SKILL.md", "skilled"), nil },
	})
	put(t, dir, "binary", "\x00\x01")
	put(t, dir, "latin", "caf\xe9\n")
	put(t, dir, "wide", "\xff\xfeh\x00i\x00")
	for _, path := range []string{".", "binary", "latin", "wide", "artifact://0", "skill://s/SKILL.md", "none"} {
		args, err := json.Marshal(map[string]string{"path": path})
		must(t, err)
		if _, err := r.Run(t.Context(), tool.Call{Args: args, Dir: dir}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if calls := editor.Calls(); len(calls) > 0 {
			t.Errorf("%s: the host was asked for %v", path, calls)
		}
	}
}

func TestReadsTellHostsWhere(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a", strings.Repeat("x\n", 20))
	for asked, line := range map[string]int{"a": 0, "a:7-9": 7} {
		args, err := json.Marshal(map[string]string{"path": asked})
		must(t, err)
		out, err := New(Options{}).Run(t.Context(), tool.Call{Args: args, Dir: dir})
		must(t, err)
		if diff := cmp.Diff([]event.Location{{Path: path, Line: line}}, out.Locations); diff != "" {
			t.Error(diff)
		}
	}
}

func TestALinkIsReadByItsOwnName(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "real", "saved\n")
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("real", link))
	var editor memory.Files
	editor.Put(link, "unsaved\n")
	if got := text(t, New(Options{Texts: tool.Texts{Host: editor.Host()}}), dir, "link:raw"); got != "unsaved" {
		t.Errorf("%q", got)
	}
}
