package subagent

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever state a person has left their repository in, a copy is that state,
// and the work done in it comes back.
func TestOddRepositoriesAreCopiedAsTheyStand(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, repo string){
		"a conflict of a merge": func(t *testing.T, repo string) {
			run(t, repo, "stash", "--include-untracked", "--quiet")
			run(t, repo, "checkout", "--quiet", "-b", "other")
			put(t, filepath.Join(repo, "kept.txt"), "one\nother\nthree\n")
			run(t, repo, "commit", "--quiet", "-am", "other")
			run(t, repo, "checkout", "--quiet", "-")
			put(t, filepath.Join(repo, "kept.txt"), "one\nmine\nthree\n")
			run(t, repo, "commit", "--quiet", "-am", "mine")
			if _, err := git(t.Context(), os.Environ(), repo, nil, "merge", "other"); err == nil {
				t.Fatal("there is no conflict")
			}
		},
		"line endings of Windows": func(t *testing.T, repo string) {
			run(t, repo, "config", "core.autocrlf", "true")
			put(t, filepath.Join(repo, "kept.txt"), "one\r\nTWO\r\nthree\r\n")
			put(t, filepath.Join(repo, "crlf.txt"), "a\r\nb\r\n")
			run(t, repo, "add", "crlf.txt")
		},
		"a submodule with changes": func(t *testing.T, repo string) {
			inner := t.TempDir()
			run(t, inner, "init", "--quiet")
			put(t, filepath.Join(inner, "in.txt"), "in\n")
			run(t, inner, "add", ".")
			run(t, inner, "commit", "--quiet", "-m", "inner")
			run(t, repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "module")
			run(t, repo, "commit", "--quiet", "-am", "with a module")
			put(t, filepath.Join(repo, "module", "in.txt"), "changed\n")
			run(t, filepath.Join(repo, "module"), "commit", "--quiet", "-am", "newer")
			put(t, filepath.Join(repo, "module", "in.txt"), "dirty\n")
		},
		"files that have become folders and links": func(t *testing.T, repo string) {
			remove(t, filepath.Join(repo, "sub"))
			put(t, filepath.Join(repo, "sub"), "a file now\n")
			remove(t, filepath.Join(repo, "kept.txt"))
			put(t, filepath.Join(repo, "kept.txt", "within"), "a folder now\n")
			if err := os.Symlink("nowhere", filepath.Join(repo, "gone.txt")); err != nil {
				t.Fatal(err)
			}
		},
		"odd names": func(t *testing.T, repo string) {
			for _, name := range []string{"-dash", "two\nlines", "ümlaut", `quo"te`, "back\\slash", " space ", "a/b/c d"} {
				put(t, filepath.Join(repo, name), "odd\n")
			}
			run(t, repo, "add", "ümlaut", `quo"te`)
			put(t, filepath.Join(repo, "empty"), "")
			put(t, filepath.Join(repo, "no newline"), "x")
		},
		"changes without context": func(t *testing.T, repo string) {
			run(t, repo, "config", "diff.context", "0")
			run(t, repo, "config", "diff.interHunkContext", "9")
			run(t, repo, "config", "apply.whitespace", "error")
			run(t, repo, "config", "apply.ignoreWhitespace", "change")
			put(t, filepath.Join(repo, "kept.txt"), "one  \n\t TWO\t\nthree\n\n\n")
		},
		"files without the changes of their mode": func(t *testing.T, repo string) {
			run(t, repo, "config", "core.fileMode", "false")
		},
		"nothing is staged but everything added": func(t *testing.T, repo string) {
			run(t, repo, "add", "--all")
			put(t, filepath.Join(repo, "later.txt"), "later\n")
			run(t, repo, "add", "--intent-to-add", "later.txt")
			put(t, filepath.Join(repo, "new.bin"), "\x00\x02\n")
		},
		"a folder with a repository of its own": func(t *testing.T, repo string) {
			run(t, repo, "init", "--quiet", "own")
		},
	} {
		t.Run(name, func(t *testing.T) {
			repo := repository(t)
			prepare(t, repo)
			// Modules are not copied, nor are modes that git is not to see; and line
			// endings are as git writes them.
			seen := func(dir string) map[string]string {
				found := tree(t, dir)
				delete(found, "module/in.txt")
				for file, text := range found {
					if name == "line endings of Windows" {
						text = strings.ReplaceAll(text, "\r\n", "\n")
					}
					if name == "files without the changes of their mode" {
						text = strings.TrimSuffix(text, " x")
					}
					found[file] = text
				}
				return found
			}
			before := seen(repo)
			c, err := openCheckout(t.Context(), repo, os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			copied := seen(c.tree)
			if diff := cmp.Diff(before, copied); diff != "" {
				t.Error(diff)
			}
			put(t, filepath.Join(c.tree, "made"), "by the agent\n")
			changed := false
			if text, is := copied["kept.txt"]; is {
				put(t, filepath.Join(c.tree, "kept.txt"), text+"by the agent\n")
				changed = true
			}
			patch, err := c.patch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := c.apply(t.Context(), patch); err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(before)
			want["made"] = "by the agent\n"
			if changed {
				want["kept.txt"] += "by the agent\n"
			}
			if diff := cmp.Diff(want, seen(repo)); diff != "" {
				t.Error(diff)
			}
			c.close(t.Context())
			tidy(t, repo)
		})
	}
}

func TestARepositoryThatAnAgentHasMadeComesBackAsFiles(t *testing.T) {
	repo := repository(t)
	c, err := openCheckout(t.Context(), repo, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"fresh", "fresh/within", "committed"} {
		put(t, filepath.Join(c.tree, dir, "made"), "by the agent\n")
		run(t, filepath.Join(c.tree, dir), "init", "--quiet")
	}
	run(t, filepath.Join(c.tree, "committed"), "add", ".")
	run(t, filepath.Join(c.tree, "committed"), "commit", "--quiet", "-m", "inner")
	patch, err := c.patch(t.Context())
	if err == nil {
		err = c.apply(t.Context(), patch)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"fresh", "fresh/within", "committed"} {
		if tree(t, repo)[dir+"/made"] == "" {
			t.Errorf("%s has not come back", dir)
		}
	}
	c.close(t.Context())
	tidy(t, repo)
}

// A server that is killed cannot clean up; the next one to make a copy does.
func TestACopyThatAKilledServerLeftIsSweptAway(t *testing.T) {
	repo := repository(t)
	var copies [3]*checkout
	for i := range copies {
		var err error
		if copies[i], err = openCheckout(t.Context(), repo, os.Environ()); err != nil {
			t.Fatal(err)
		}
	}
	left, used, kept := copies[0], copies[1], copies[2]
	kept.keep(t.Context())
	for _, c := range []*checkout{left, kept} {
		if err := c.lock.Close(); err != nil { // as the end of a process does
			t.Fatal(err)
		}
	}
	fresh, err := openCheckout(t.Context(), repo, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[*checkout]bool{left: false, used: true, kept: true, fresh: true} {
		if _, err := os.Stat(filepath.Join(c.tree, "kept.txt")); (err == nil) != want {
			t.Errorf("%s: %v, want %v", c.tree, err == nil, want)
		}
	}
	fresh.close(t.Context())
	used.close(t.Context())
	kept.close(t.Context())
	if trees := run(t, repo, "worktree", "list"); strings.Count(trees, "\n") != 2 {
		t.Error(trees)
	}
	kept.remove(t.Context(), kept.tree)
	tidy(t, repo)
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// A server that a hook of git has started hears which repository that is for.
func TestACopyIsOfTheRepositoryTheAgentWorksIn(t *testing.T) {
	repo, other := repository(t), repository(t)
	before := tree(t, other)
	status := run(t, other, "status", "--porcelain")
	env := append(os.Environ(), "GIT_DIR="+filepath.Join(other, ".git"), "GIT_WORK_TREE="+other, "GIT_INDEX_FILE="+filepath.Join(other, ".git", "index"), "GIT_DIFF_OPTS=--unified=0")
	c, err := openCheckout(t.Context(), repo, env)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(c.tree, "made"), "by the agent\n")
	patch, err := c.patch(t.Context())
	if err == nil {
		err = c.apply(t.Context(), patch)
	}
	if err != nil {
		t.Error(err)
	}
	c.close(t.Context())
	tidy(t, repo)
	if c.repo != repo || tree(t, repo)["made"] == "" {
		t.Errorf("the copy is of %s", c.repo)
	}
	if diff := cmp.Diff(before, tree(t, other)); diff != "" || run(t, other, "status", "--porcelain") != status {
		t.Errorf("the other repository has changed: %s", diff)
	}
}
