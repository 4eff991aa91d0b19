package subagent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"veyyon.dev/veyyon/core/fault"
)

// errNoRepository is fixed by the original's texts.
var errNoRepository = fault.New(fault.Invalid, "Isolated task execution requires a git repository. Run the task without isolation, or in a repository.")

// gitWait bounds one git command; it fails then.
const gitWait = 2 * time.Minute

// checkout is a copy of a repository's working tree, with what is not committed,
// for one agent.
type checkout struct {
	repo string // the top of the repository
	tree string // the top of the copy
	dir  string // where in the copy the agent works
	base string // the commit of the copy as it began
	env  []string
}

// openCheckout copies the working tree that dir is in. Nothing of the repository
// is run: no hooks, no fsmonitor. env is the environment of git.
func openCheckout(ctx context.Context, dir string, env []string) (*checkout, error) {
	top, err := git(ctx, env, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, errNoRepository
	}
	repo := strings.TrimSpace(top)
	if _, err := git(ctx, env, repo, nil, "rev-parse", "--verify", "HEAD"); err != nil {
		return nil, errNoRepository // nothing is committed: there is nothing to copy from
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("copying the working tree: %w", err)
	}
	below, err := filepath.Rel(repo, real)
	if err != nil || strings.HasPrefix(below, "..") {
		below = "."
	}
	tree, err := os.MkdirTemp("", "veyyon-agent-")
	if err != nil {
		return nil, fmt.Errorf("copying the working tree: %w", err)
	}
	c := &checkout{repo: repo, tree: tree, dir: filepath.Join(tree, below), env: env}
	if err := c.fill(ctx); err != nil {
		c.close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("copying the working tree: %w", err)
	}
	return c, nil
}

func (c *checkout) fill(ctx context.Context) error {
	if _, err := git(ctx, c.env, c.repo, nil, "worktree", "add", "--quiet", "--detach", "--force", c.tree, "HEAD"); err != nil {
		return err
	}
	changes, err := git(ctx, c.env, c.repo, nil, diff("HEAD")...)
	if err != nil {
		return err
	}
	if changes != "" {
		if _, err := git(ctx, c.env, c.tree, []byte(changes), "apply", "--whitespace=nowarn", "--binary", "-"); err != nil {
			return err
		}
	}
	if err := c.copyUntracked(ctx); err != nil {
		return err
	}
	c.base, err = c.commit(ctx, "the working tree as it was")
	return err
}

// copyUntracked copies the files that git does not know and does not ignore.
func (c *checkout) copyUntracked(ctx context.Context) error {
	names, err := git(ctx, c.env, c.repo, nil, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		if name == "" {
			continue
		}
		from, to := filepath.Join(c.repo, name), filepath.Join(c.tree, name)
		info, err := os.Lstat(from)
		if err != nil {
			continue // it has gone meanwhile
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(from)
			if err == nil {
				err = os.Symlink(target, to)
			}
			if err != nil {
				return err
			}
		case info.Mode().IsRegular():
			data, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil {
				return err
			}
		}
	}
	return nil
}

// commit records the tree in the copy and returns the commit.
func (c *checkout) commit(ctx context.Context, text string) (string, error) {
	if _, err := git(ctx, c.env, c.tree, nil, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := git(ctx, c.env, c.tree, nil, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "-m", text); err != nil {
		return "", err
	}
	head, err := git(ctx, c.env, c.tree, nil, "rev-parse", "HEAD")
	return strings.TrimSpace(head), err
}

// patch is what has changed in the copy since it began.
func (c *checkout) patch(ctx context.Context) ([]byte, error) {
	if _, err := git(ctx, c.env, c.tree, nil, "add", "--all"); err != nil {
		return nil, err
	}
	changes, err := git(ctx, c.env, c.tree, nil, diff("--cached", c.base)...)
	return []byte(changes), err
}

// diff is a git command for a patch that apply can read, whatever a person has
// set for their own diffs.
func diff(what ...string) []string {
	return append([]string{
		"diff", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--submodule=short", "--ita-visible-in-index",
		"--src-prefix=a/", "--dst-prefix=b/",
	}, what...)
}

// apply brings a patch into the repository's working tree, wholly or not at all.
func (c *checkout) apply(ctx context.Context, patch []byte) error {
	_, err := git(ctx, c.env, c.repo, patch, "apply", "--whitespace=nowarn", "--binary", "-")
	return err
}

// branch puts the changes on a branch of the repository.
func (c *checkout) branch(ctx context.Context, name, text string) error {
	head, err := c.commit(ctx, text)
	if err != nil {
		return err
	}
	_, err = git(ctx, c.env, c.repo, nil, "branch", "--", name, head)
	return err
}

// close removes the copy.
func (c *checkout) close(ctx context.Context) {
	_, err := git(ctx, c.env, c.repo, nil, "worktree", "remove", "--force", "--force", c.tree)
	if err != nil {
		_, _ = git(ctx, c.env, c.repo, nil, "worktree", "prune") // the folder goes all the same
	}
	if err := os.RemoveAll(c.tree); err != nil {
		slog.Warn("removing the copy of an agent", "folder", c.tree, "err", err)
	}
}

// bringBack takes the work of an isolated agent home: into the working tree, or,
// where that has changed in the same places, into a patch beside the transcripts.
// The work of one that failed stays in a patch too.
func (w *Work) bringBack(c *checkout, r *Result) {
	patch, err := c.patch(w.end)
	switch {
	case err != nil:
		r.ExitCode, r.Error = 1, fmt.Sprintf("the changes of the agent cannot be read: %v", err)
		return
	case len(patch) == 0:
		return
	case r.ExitCode == 0 && w.team.opts.Merge == "branch":
		name := "veyyon/" + strings.ReplaceAll(r.ID, ".", "-") + time.Now().Format("-20060102-150405")
		if err = c.branch(w.end, name, "Work of the agent "+r.ID); err == nil {
			r.BranchName = name
			return
		}
	case r.ExitCode == 0:
		w.team.merging.Lock() // two patches of one file at a time would lose one of them
		err = c.apply(w.end, patch)
		w.team.merging.Unlock()
		if err == nil {
			return
		}
	}
	folder := w.parent.Folder()
	if folder == "" {
		folder = os.TempDir()
	}
	path := filepath.Join(folder, r.ID+".patch")
	if failed := renameio.WriteFile(path, patch, 0o600); failed != nil {
		r.ExitCode, r.Error = 1, fmt.Sprintf("the changes of the agent are lost: %v", errors.Join(err, failed))
		return
	}
	r.PatchPath = path
}

// git runs a command in dir and returns what it prints.
func git(ctx context.Context, env []string, dir string, stdin []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	full := append([]string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false",
		"-c", "user.name=veyyon", "-c", "user.email=veyyon@localhost",
	}, args...)
	cmd := exec.CommandContext(ctx, "git", full...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = dir, bytes.NewReader(stdin), time.Second
	cmd.Env = append(slices.Clone(env), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(failed.String()))
	}
	return out.String(), nil
}
