package subagent

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// repository makes a git repository with a commit and changes that are not
// committed: of a file, of a mode, a new file, a link and a deleted file.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	repo, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	run(t, repo, "init", "--quiet")
	put(t, filepath.Join(repo, "kept.txt"), "one\ntwo\nthree\n")
	put(t, filepath.Join(repo, "sub", "tool.sh"), "echo hi\n")
	put(t, filepath.Join(repo, "gone.txt"), "gone\n")
	run(t, repo, "add", ".")
	run(t, repo, "commit", "--quiet", "-m", "first")
	put(t, filepath.Join(repo, "kept.txt"), "one\nTWO\nthree\n")
	put(t, filepath.Join(repo, "new.bin"), "\x00\x01\n")
	for _, err := range []error{
		os.Chmod(filepath.Join(repo, "sub", "tool.sh"), 0o755), os.Remove(filepath.Join(repo, "gone.txt")), os.Symlink("kept.txt", filepath.Join(repo, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return repo
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git(t.Context(), os.Environ(), dir, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tree is what a folder holds: contents by names, x for what can be executed, the
// targets of links.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir():
		case d.Type()&os.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			found[name] = "-> " + target
		default:
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found[name] = string(text)
			if info, err := d.Info(); err == nil && info.Mode()&0o100 != 0 {
				found[name] += " x"
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tidy checks that nothing of a copy is left.
func tidy(t *testing.T, repo string) {
	t.Helper()
	if trees := run(t, repo, "worktree", "list", "--porcelain"); strings.Count(trees, "worktree ") != 1 {
		t.Error(trees)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestACopyIsTheTreeAsItStandsAndItsWorkComesBack(t *testing.T) {
	repo := repository(t)
	before := tree(t, repo)
	c, err := openCheckout(t.Context(), filepath.Join(repo, "sub"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, c.tree)); diff != "" {
		t.Error(diff)
	}
	if filepath.Base(c.dir) != "sub" {
		t.Error(c.dir)
	}
	put(t, filepath.Join(c.tree, "kept.txt"), "one\nTWO\nTHREE\n")
	put(t, filepath.Join(c.dir, "more.txt"), "more\n")
	patch, err := c.patch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, repo)); diff != "" {
		t.Errorf("the repository has changed meanwhile: %s", diff)
	}
	if err := c.apply(t.Context(), patch); err != nil {
		t.Fatal(err)
	}
	before["kept.txt"], before["sub/more.txt"] = "one\nTWO\nTHREE\n", "more\n"
	if diff := cmp.Diff(before, tree(t, repo)); diff != "" {
		t.Error(diff)
	}
	c.close(t.Context())
	tidy(t, repo)
}

func TestAFileInACopyIsTold(t *testing.T) {
	repo := repository(t)
	c, err := openCheckout(t.Context(), filepath.Join(repo, "sub"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close(t.Context())
	for path, want := range map[string]bool{
		filepath.Join(c.dir, "new", "a"): true, filepath.Join(c.tree, "link"): true, filepath.Join(repo, "link"): false, filepath.Join(os.TempDir(), "a"): false,
	} {
		if got := InCopy(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestWorkThatDoesNotFitIsNotHalfApplied(t *testing.T) {
	repo := repository(t)
	c, err := openCheckout(t.Context(), repo, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer tidy(t, repo)
	defer c.close(t.Context())
	put(t, filepath.Join(c.tree, "kept.txt"), "one\nTWO\nagent\n")
	put(t, filepath.Join(c.tree, "more.txt"), "more\n")
	patch, err := c.patch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(repo, "kept.txt"), "one\nTWO\nperson\n")
	before := tree(t, repo)
	if c.apply(t.Context(), patch) == nil {
		t.Error("it was applied")
	}
	if diff := cmp.Diff(before, tree(t, repo)); diff != "" {
		t.Error(diff)
	}
	if err := c.branch(t.Context(), "veyyon/a", "work"); err != nil {
		t.Fatal(err)
	}
	if text := run(t, repo, "show", "veyyon/a:kept.txt"); text != "one\nTWO\nagent\n" {
		t.Error(text)
	}
}

func TestNothingOfTheRepositoryIsRunForACopy(t *testing.T) {
	repo := repository(t)
	marker := filepath.Join(t.TempDir(), "ran")
	for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "prepare-commit-msg", "reference-transaction", "post-index-change"} {
		path := filepath.Join(repo, ".git", "hooks", hook)
		put(t, path, "#!/bin/sh\necho "+hook+" >> "+marker+"\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run(t, repo, "config", "core.fsmonitor", "sh -c 'echo fsmonitor >> "+marker+"'")
	c, err := openCheckout(t.Context(), repo, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(c.tree, "more.txt"), "more\n")
	if err := c.branch(t.Context(), "veyyon/a", "work"); err != nil {
		t.Error(err)
	}
	c.close(t.Context())
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("ran: %s", ran)
	}
}

func TestACopyNeedsARepositoryWithACommit(t *testing.T) {
	bare := t.TempDir()
	if _, err := openCheckout(t.Context(), bare, os.Environ()); !errors.Is(err, errNoRepository) {
		t.Error(err)
	}
	run(t, bare, "init", "--quiet")
	if _, err := openCheckout(t.Context(), bare, os.Environ()); !errors.Is(err, errNoRepository) {
		t.Error(err)
	}
}

func TestACopyThatIsBrokenOffLeavesNothing(t *testing.T) {
	repo := repository(t)
	for wait := time.Duration(0); ; wait += 3 * time.Millisecond {
		ctx, stop := context.WithTimeout(t.Context(), wait)
		c, err := openCheckout(ctx, repo, os.Environ())
		stop()
		if err == nil {
			c.close(t.Context())
		}
		tidy(t, repo)
		if err == nil {
			break
		}
	}
}

func TestAPersonsOwnDiffSettingsDoNotSpoilACopy(t *testing.T) {
	repo := repository(t)
	for key, value := range map[string]string{
		"diff.noprefix": "true", "diff.external": "false", "color.ui": "always", "diff.relative": "true", "diff.renames": "copies", "diff.submodule": "log",
	} {
		run(t, repo, "config", key, value)
	}
	c, err := openCheckout(t.Context(), filepath.Join(repo, "sub"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close(t.Context())
	put(t, filepath.Join(c.tree, "kept.txt"), "one\nTWO\nTHREE\n")
	patch, err := c.patch(t.Context())
	if err == nil {
		err = c.apply(t.Context(), patch)
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(repo, "kept.txt")); err != nil || string(text) != "one\nTWO\nTHREE\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A program that holds the lock of the worktrees and hangs must not hold up an
// agent that was aborted.
func TestTheWaitForOtherWorktreesEndsWithItsContext(t *testing.T) {
	repo := repository(t)
	c, err := openCheckout(t.Context(), repo, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(c.common)
	if err == nil {
		err = unix.Flock(int(held.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.alone(ctx, "worktree", "list"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), repo) {
		t.Error(err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	c.close(t.Context())
	tidy(t, repo)
}
