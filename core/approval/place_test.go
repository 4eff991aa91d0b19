package approval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/tool"
)

func TestPathsThatLeadOutOfTheDirectory(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", filepath.Join(base, "home"))
	dir, far := filepath.Join(base, "work"), filepath.Join(base, "far")
	for _, d := range []string{dir, far} {
		must(t, os.Mkdir(d, 0o755))
	}
	must(t, os.Symlink(far, filepath.Join(dir, "link")))
	must(t, os.Symlink(filepath.Join(far, "new"), filepath.Join(dir, "dangling")))
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	must(t, os.Symlink(dir, filepath.Join(base, "alias")))
	for _, c := range []struct{ tool, args, want string }{
		{"read", `{"path":"a/b.go:5-9"}`, ""},
		{"read", `{"path":"DIR/a"}`, ""},
		{"read", `{"path":"BASE/alias/a"}`, ""},
		{"read", `{"path":"x/../../work/a"}`, ""},
		{"read", `{"path":"/"}`, ""},
		{"read", `{"path":"host://a/../.."}`, ""},
		{"bash", `{"path":"/etc"}`, ""},
		{"write", `{"path":"/"}`, "/"},
		{"read", `{"path":"../far/a"}`, "BASE/far/a"},
		{"read", `{"path":"link/a"}`, "BASE/far/a"},
		{"read", `{"path":"link:5"}`, "BASE/far"},
		{"write", `{"path":"dangling"}`, "BASE/far/new"},
		{"write", `{"path":"loop"}`, "DIR/loop"},
		{"edit", `{"path":"~/x"}`, "BASE/home/x"},
		{"edit", `{"path":"FILE:///x"}`, "/x"},
		{"edit", `{"path":"/x","paths":5}`, "/x"},
		{"edit", `{"path":"DIR2"}`, "DIR2"},
		{"edit", `{"path":"a","edits":[{"diff":"+x"},{"rename":"../far/b"}]}`, "BASE/far/b"},
		{"edit", `{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: link/b\n*** End Patch"}`, "BASE/far/b"},
		{"edit", `{"input":"*** Begin Patch\r\n*** Add File: /x\r\n+a\r\n*** End Patch"}`, "/x"},
		{"edit", `{"input":"[a#0000]\nDEL 1\n[link/b#0000]\nDEL 1"}`, "BASE/far/b"},
		{"edit", `{"edits":"odd","input":"*** Delete File: /x"}`, "/x"},
		{"grep", `{"paths":["a","b;link"]}`, "BASE/far"},
		{"grep", `{"path":"../f*r/**"}`, "BASE/f*r/**"},
		{"glob", `{"path":"link/*.go"}`, "BASE/far/*.go"},
		{"glob", `{"path":"a/*;{b,c}/d"}`, ""},
	} {
		replaced := func(s string) string { return strings.NewReplacer("DIR", dir, "BASE", base).Replace(s) }
		call := Call{Tool: c.tool, Tier: tool.TierRead, Args: json.RawMessage(replaced(c.args)), Dir: dir}
		got := ""
		if outside := call.outside(); len(outside) > 0 {
			got = outside[0]
		}
		if diff := cmp.Diff(replaced(c.want), got); diff != "" {
			t.Errorf("%s %s: %s", c.tool, c.args, diff)
		}
	}
}
