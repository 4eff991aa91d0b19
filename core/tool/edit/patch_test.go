package edit

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

func patched(ctx context.Context, t *testing.T, p tool.Tool, dir string, args any) (tool.Output, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	must(t, err)
	return p.Run(ctx, tool.Call{Args: raw, Dir: dir, Update: func(tool.Output) {}})
}

type input struct {
	Input string `json:"input"`
}

func TestAPatchChangesManyFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "heron\nplover\nowl\n")
	put(t, dir, "old.txt", "gone\n")
	must(t, os.Chmod(put(t, dir, "run.sh", "#!/bin/sh\necho a\n"), 0o755))
	out, err := patched(t.Context(), t, NewPatch(Options{Locks: &file.Locks{}}, ModeApplyPatch), dir, input{`*** Begin Patch
*** Update File: a.txt
@@
 heron
-plover
+blue plover
*** Update File: run.sh
*** Move to: bin/run.sh
@@
-echo a
+echo b
*** Add File: deep/new.txt
+one
*** Delete File: old.txt
*** End Patch`})
	must(t, err)
	if text := out.Content.Text(); text != "Edited a.txt, first changed line 2.\nCreated deep/new.txt.\nMoved run.sh to bin/run.sh.\nDeleted old.txt." {
		t.Errorf("text is %q", text)
	}
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	var ops []string
	for _, d := range details.PerFile {
		rel, err := filepath.Rel(dir, d.Path)
		must(t, err)
		ops = append(ops, d.Op+" "+rel)
	}
	if diff := cmp.Diff([]string{"update a.txt", "create deep/new.txt", "update run.sh", "delete old.txt"}, ops); diff != "" {
		t.Error(diff)
	}
	if want := "--- run.sh\n+++ bin/run.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo a\n+echo b\n"; !strings.Contains(details.Diff, want) {
		t.Errorf("the diff is\n%s", details.Diff)
	}
	for name, want := range map[string]string{"a.txt": "heron\nblue plover\nowl\n", "bin/run.sh": "#!/bin/sh\necho b\n", "deep/new.txt": "one\n"} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "bin/run.sh"))
	must(t, err)
	if info.Mode().Perm() != 0o755 {
		t.Errorf("the script has %v", info.Mode())
	}
	for _, name := range []string{"old.txt", "run.sh"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestAPatchThatFailsChangesNothing(t *testing.T) {
	for patch, want := range map[string]string{
		"*** Update File: a\n@@\n-x\n+y\n*** Update File: b\n@@\n-nothing\n+y": "nothing was changed: b: hunk 1: its lines were not found",
		"*** Update File: a\n@@\n-x\n+y\n*** Update File: none\n@@\n-x\n+y":    "nothing was changed: none: file not found",
		"*** Delete File: none":                   "nothing was changed: none: file not found",
		"*** Add File: a\n+y":                     "nothing was changed: a: the file is there already; update it instead",
		"*** Update File: a\n*** Move to: b":      "nothing was changed: a: it cannot move to b, which is there already",
		"*** Add File: db://x\n+y":                "nothing was changed: edit works on files only, not on db://x",
		"*** Update File: a\n-x":                  "",
		"*** Rename File: a":                      "the patch cannot be read: expected",
		"*** Update File: wide\n@@\n-x\n+y":       "UTF-16",
		"*** Update File: folder\n@@\n-x\n+y":     "a directory",
		"*** Add File: a/under\n+y":               "not a directory",
		"*** Delete File: link":                   "nothing was changed: link: it is a link",
		"*** Update File: link\n*** Move to: c":   "nothing was changed: link: it is a link",
		strings.Repeat("*** Delete File: a\n", 2): "nothing was changed: a: file not found",
	} {
		dir := t.TempDir()
		put(t, dir, "b", "b\n")
		put(t, dir, "wide", "\xff\xfeh\x00i\x00")
		must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
		must(t, os.Symlink("a", filepath.Join(dir, "link")))
		path := put(t, dir, "a", "x\n")
		_, err := patched(t.Context(), t, NewPatch(Options{Locks: &file.Locks{}}, ModeApplyPatch), dir, input{"*** Begin Patch\n" + strings.TrimSuffix(patch, "\n") + "\n*** End Patch"})
		if want == "" {
			must(t, err)
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", patch, err)
		}
		if got := read(t, path); got != "x\n" {
			t.Errorf("%q made of it %q", patch, got)
		}
	}
}

func TestADiffChangesOneFile(t *testing.T) {
	type one struct {
		Op     string `json:"op,omitempty"`
		Rename string `json:"rename,omitempty"`
		Diff   string `json:"diff,omitempty"`
	}
	type args struct {
		Path  string `json:"path"`
		Edits []one  `json:"edits"`
	}
	dir := t.TempDir()
	p := NewPatch(Options{Locks: &file.Locks{}}, ModePatch)
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"a", []one{{Op: "create", Diff: "+x\n+y"}}}, "Created a."},
		{args{"a", []one{{Diff: "@@\n-x\n+1"}, {Diff: "@@\n-y\n+2"}}}, "Edited a, first changed line 1."},
		{args{"a", []one{{Rename: "b"}, {Diff: "@@\n-2\n+3", Rename: "c"}}}, "Moved a to c."},
		{args{"c", []one{{Diff: "@@\n-  3\n+4"}}}, "Edited c, first changed line 2.\nc: Hunk 1 matched with indentation overlooked at line 2."},
	} {
		out, err := patched(t.Context(), t, p, dir, c.args)
		if err != nil || out.Content.Text() != c.want {
			t.Errorf("%+v: %q, %v", c.args, out.Content.Text(), err)
		}
	}
	if got := read(t, filepath.Join(dir, "c")); got != "1\n4\n" {
		t.Errorf("the file is %q", got)
	}
	if out, err := patched(t.Context(), t, p, dir, args{"c", []one{{Op: "delete"}}}); err != nil || out.Content.Text() != "Deleted c." {
		t.Error(out, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("there are %v", left)
	}
	for _, none := range []one{{}, {Diff: "@@\n x"}, {Op: "create", Diff: "x"}} {
		if _, err := patched(t.Context(), t, p, dir, args{"c", []one{none}}); err == nil {
			t.Errorf("%+v is taken", none)
		}
	}
}

// Patches that name the same files the other way round do not wait for each other.
func TestPatchesTakeTurns(t *testing.T) {
	dir := t.TempDir()
	p := NewPatch(Options{Locks: &file.Locks{}}, ModeApplyPatch)
	var all sync.WaitGroup
	for n := range 20 {
		names := []string{"a", "b"}
		if n%2 == 1 {
			names = []string{"b", "a"}
		}
		text := "*** Begin Patch\n"
		for _, name := range names {
			put(t, dir, name, "")
			text += "*** Update File: " + name + "\n+x\n"
		}
		all.Go(func() {
			if _, err := patched(t.Context(), t, p, dir, input{text + "*** End Patch"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
