package edit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/host/memory"
	"veyyon.dev/veyyon/core/tool"
)

// atHost are options where a host has this text of a file.
func atHost(editor *memory.Files, path, text string) Options {
	editor.Put(path, text)
	return Options{Locks: &file.Locks{}, Texts: tool.Texts{Host: editor.Host()}}
}

func TestWhatIsNotSavedYetIsEdited(t *testing.T) {
	unsaved := "heron\nplover\n"
	for name, change := range map[string]func(opts Options, dir string) (tool.Output, error){
		"replace": func(opts Options, dir string) (tool.Output, error) {
			return run(t.Context(), New(opts), dir, "a", Edit{Old: "plover", New: "owl"})
		},
		ModePatch: func(opts Options, dir string) (tool.Output, error) {
			return patched(t.Context(), t, NewPatch(opts, ModePatch), dir, map[string]any{"path": "a", "edits": []any{map[string]string{"diff": "@@\n-plover\n+owl\n"}}})
		},
		ModeApplyPatch: func(opts Options, dir string) (tool.Output, error) {
			return patched(t.Context(), t, NewPatch(opts, ModeApplyPatch), dir, input{"*** Begin Patch\n*** Update File: a\n@@\n-plover\n+owl\n*** End Patch"})
		},
		ModeHashline: func(opts Options, dir string) (tool.Output, error) {
			return patched(t.Context(), t, NewPatch(opts, ModeHashline), dir, input{patch.Header("a", patch.Tag([]byte(unsaved))) + "\nSWAP 2:\n+owl\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := put(t, dir, "a", "saved\n")
			var editor memory.Files
			opts := atHost(&editor, path, unsaved)
			out, err := change(opts, dir)
			must(t, err)
			if diff := cmp.Diff(map[string]string{path: "heron\nowl\n"}, editor.Texts()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"read " + path, "write " + path}, editor.Calls()); diff != "" {
				t.Error(diff)
			}
			if got := read(t, path); got != "saved\n" {
				t.Errorf("the disk was written: %q", got)
			}
			if diff := cmp.Diff([]event.Diff{{Path: path, Old: &unsaved, New: "heron\nowl\n"}}, out.Diffs); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]event.Location{{Path: path, Line: 2}}, out.Locations); diff != "" {
				t.Error(diff)
			}
			refused := errors.New("the buffer is locked")
			opts = atHost(&editor, path, unsaved)
			opts.Texts.Host.Read = nil
			editor.Fail(refused)
			must(t, os.WriteFile(path, []byte(unsaved), 0o600))
			if _, err := change(opts, dir); !errors.Is(err, refused) {
				t.Errorf("a refused write gave %v", err)
			}
			if got := read(t, path); got != unsaved {
				t.Errorf("the disk was written: %q", got)
			}
		})
	}
}

func TestFilesMoveAndGoOnTheDisk(t *testing.T) {
	dir := t.TempDir()
	gone, moved, changed := put(t, dir, "gone", "x\n"), put(t, dir, "moved", "a\n"), put(t, dir, "changed", "a\n")
	var editor memory.Files
	opts := atHost(&editor, moved, "unsaved\na\n")
	out, err := patched(t.Context(), t, NewPatch(opts, ModeApplyPatch), dir, input{`*** Begin Patch
*** Delete File: gone
*** Update File: moved
*** Move to: deep/here
*** Update File: changed
*** Move to: there
@@
-a
+b
*** Add File: new/file
+n
*** End Patch`})
	must(t, err)
	here, there, added := filepath.Join(dir, "deep", "here"), filepath.Join(dir, "there"), filepath.Join(dir, "new", "file")
	if read(t, here) != "unsaved\na\n" || read(t, there) != "b\n" {
		t.Errorf("moved to %q and %q", read(t, here), read(t, there))
	}
	for _, path := range []string{gone, moved, changed, added} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is on the disk", path)
		}
	}
	var writes []string
	for _, call := range editor.Calls() {
		if strings.HasPrefix(call, "write ") {
			writes = append(writes, call)
		}
	}
	if diff := cmp.Diff([]string{"write " + added}, writes); diff != "" {
		t.Error(diff)
	}
	x, a := "x\n", "a\n"
	want := []event.Diff{{Path: added, New: "n\n"}, {Path: gone, Old: &x}, {Path: there, Old: &a, New: "b\n"}}
	if diff := cmp.Diff(want, out.Diffs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]event.Location{{Path: added, Line: 1}, {Path: gone}, {Path: here}, {Path: there, Line: 1}}, out.Locations); diff != "" {
		t.Error(diff)
	}
}

func TestTheHostKnowsAFileByThePathThatWasAskedFor(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "real", "a\n")
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("real", link))
	var editor memory.Files
	opts := atHost(&editor, link, "a\n")
	out := edit(t, New(opts), dir, "link", Edit{Old: "a", New: "b"})
	patch, err := patched(t.Context(), t, NewPatch(opts, ModeApplyPatch), dir, input{"*** Begin Patch\n*** Update File: link\n@@\n-b\n+c\n*** End Patch"})
	must(t, err)
	if diff := cmp.Diff(map[string]string{link: "c\n"}, editor.Texts()); diff != "" {
		t.Error(diff)
	}
	if out.Diffs[0].Path != link || patch.Diffs[0].Path != link {
		t.Errorf("shown are %v and %v", out.Diffs, patch.Diffs)
	}
}

func TestLargeAndBinaryFilesAreNotShownAsDiffs(t *testing.T) {
	dir := t.TempDir()
	for name, before := range map[string]string{"large": strings.Repeat("line\n", tool.MaxDiffed/5) + "needle\n", "binary": "\x00\nneedle\n"} {
		path := put(t, dir, name, before)
		out := edit(t, New(Options{Locks: &file.Locks{}}), dir, name, Edit{Old: "needle", New: "thread"})
		if len(out.Diffs) != 0 || len(out.Locations) != 1 || out.Locations[0].Path != path {
			t.Errorf("%s: %d diffs, locations %v", name, len(out.Diffs), out.Locations)
		}
	}
}
