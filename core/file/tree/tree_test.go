package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWalkIsInOrderAndFollowsNoLinks(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "b/2", "b/1", "a", ".git/config", ".hidden/x", "c")
	must(t, os.Symlink("b", filepath.Join(dir, "link")))
	got := walk(t, dir, Options{})
	if diff := cmp.Diff([]string{".hidden", ".hidden/x", "a", "b", "b/1", "b/2", "c", "link"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "b/1", "b/2", "c", "link"}, walk(t, dir, Options{NoHidden: true})); diff != "" {
		t.Error(diff)
	}
}

func TestWalkEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a", "b", "c")
	cause := errors.New("aborted")
	ctx, stop := context.WithCancelCause(t.Context())
	seen := 0
	err := Walk(ctx, dir, Options{}, func(Entry) error {
		seen++
		stop(cause)
		return nil
	})
	if !errors.Is(err, cause) || seen != 1 {
		t.Errorf("error %v after %d entries", err, seen)
	}
}

func TestWalkCanSkip(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "a/1", "b/2", "c/3")
	var seen []string
	must(t, Walk(t.Context(), dir, Options{}, func(e Entry) error {
		seen = append(seen, e.Rel)
		switch e.Rel {
		case "a":
			return fs.SkipDir
		case "b/2":
			return fs.SkipAll
		}
		return nil
	}))
	if diff := cmp.Diff([]string{"a", "b", "b/2"}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestIgnoreIsWhatGitIgnores(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	files := []string{
		"a.log", "keep.log", "src/a.log", "src/a.go", "src/keep/a.log", "src/keep/b.go", "build/x", "src/build/x", "doc/build",
		"foo/bar/baz/x.txt", "foo/x.txt", "deep/a/b/c.txt", "we ird", "#hash", "!bang", "{a,b}", "a,b", "x[1].txt", "x1.txt", "trail ", "é.txt",
		".hidden/x", ".hidden/y.log",
	}
	for i, rules := range []string{
		"*.log\n", "*.log\n!keep.log\n", "*.log\n!keep/\n", "build/\n", "/build\n", "build\n!build\n", "src/*\n!src/keep\n",
		"foo/**\n!foo/x.txt\n", "foo/**/x.txt\n", "**/a.log\n", "deep/**/c.txt\n", "/*\n!/src\n", "*\n!*/\n!*.go\n", "\\#hash\n\\!bang\n", "# comment\n\n",
		"{a,b}\n", "x[1].txt\n", "x[!1].txt\n", "trail\\ \n", "trail \n", "a.log\r\nbuild/\r\n", "?.log\n", "é.txt\n", ".*\n!.hidden\n", "[\n", "src/a.log\n", "a**\n", "/**\n",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, files...)
			must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o600))
			must(t, os.WriteFile(filepath.Join(dir, "src", ".gitignore"), []byte("!a.log\nb.go\n"), 0o600))
			must(t, run(dir, "git", "init", "-q"))
			must(t, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("we ird\n"), 0o600))
			out, err := command(dir, "git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard").Output()
			must(t, err)
			var want []string
			for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
				if name != "" {
					want = append(want, name)
				}
			}
			slices.Sort(want)
			got := onlyFiles(t, dir)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rules %q (-git +ours):\n%s", rules, diff)
			}
			var below []string
			for _, name := range want {
				if rel, ok := strings.CutPrefix(name, "src/"); ok {
					below = append(below, rel)
				}
			}
			if len(below) > 0 { // git lists nothing below an ignored directory; who names it wants to see it
				if diff := cmp.Diff(below, onlyFiles(t, filepath.Join(dir, "src"))); diff != "" {
					t.Errorf("rules %q below src (-git +ours):\n%s", rules, diff)
				}
			}
		})
	}
}

func TestScopesReadPathsAsModelsWriteThem(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "src/a.go", "b;c", "[x]/y")
	tests := []struct {
		path    string
		paths   []string
		want    []Scope
		missing []string
	}{
		{"", nil, []Scope{{dir, true, ""}}, nil},
		{"src; nowhere;b", nil, []Scope{{dir + "/src", true, ""}}, []string{"nowhere", "b"}},
		{"b;c", nil, []Scope{{dir + "/b;c", false, ""}}, nil},
		{"*.go", nil, []Scope{{dir, true, "**/*.go"}}, nil},
		{"src/*.go", nil, []Scope{{dir + "/src", true, "*.go"}}, nil},
		{"./src/**/x", nil, []Scope{{dir + "/src", true, "**/x"}}, nil},
		{"[x]", nil, []Scope{{dir + "/[x]", true, ""}}, nil},
		{"", []string{"src", dir + "/src/a.go"}, []Scope{{dir + "/src", true, ""}, {dir + "/src/a.go", false, ""}}, nil},
		{"no/*.go", nil, nil, []string{"no/*.go"}},
	}
	for _, tt := range tests {
		scopes, missing, err := Scopes(dir, tt.path, tt.paths)
		must(t, err)
		if diff := cmp.Diff(tt.want, scopes); diff != "" {
			t.Errorf("%q: %s", tt.path, diff)
		}
		if diff := cmp.Diff(tt.missing, missing); diff != "" {
			t.Errorf("%q: %s", tt.path, diff)
		}
	}
	if _, _, err := Scopes(dir, "{a", nil); err == nil {
		t.Error("an invalid pattern was taken")
	}
}

func onlyFiles(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	must(t, Walk(t.Context(), root, Options{}, func(e Entry) error {
		if !e.IsDir() {
			found = append(found, e.Rel)
		}
		return nil
	}))
	slices.Sort(found)
	return found
}

func walk(t *testing.T, dir string, opts Options) []string {
	t.Helper()
	var found []string
	must(t, Walk(t.Context(), dir, opts, func(e Entry) error {
		found = append(found, e.Rel)
		return nil
	}))
	return found
}

func plant(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, name := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte("x\n"), 0o600))
	}
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}

func run(dir, name string, args ...string) error { return command(dir, name, args...).Run() }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzIgnoreRules(f *testing.F) {
	for _, line := range []string{"*.log", "/out/", "a/**/b", "a/**", `\#x`, `x\ `, "[a-c]?", "[", "{a,b}", `\`, "**", "é*"} {
		f.Add(line, "a/b/c.log")
	}
	f.Fuzz(func(t *testing.T, line, rel string) {
		rule, ok := parseRule(line)
		if !ok || rule.negate {
			return
		}
		again, ok := parseRule("!" + line)
		if !ok || !again.negate {
			t.Fatalf("%q is a rule, and with an exclamation mark it is none", line)
		}
		for _, isDir := range []bool{false, true} {
			if rule.matches(rel, path.Base(rel), isDir) != again.matches(rel, path.Base(rel), isDir) {
				t.Errorf("%q means something else behind an exclamation mark", line)
			}
		}
	})
}
