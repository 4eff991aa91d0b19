package subagent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"veyyon.dev/veyyon/core/fault"
)

// errNoRepository is fixed by the original's texts.
var errNoRepository = fault.New(fault.Invalid, "Isolated task execution requires a git repository. Run the task without isolation, or in a repository.")

// checkout is a copy of a repository's working tree, with what is not committed,
// for one agent.
type checkout struct {
	repo   string // the top of the repository
	common string // where that keeps what all of its working trees share
	tree   string // the top of the copy
	dir    string // where in the copy the agent works
	base   string // the commit of the copy as it began
	env    []string
	lock   *os.File // on tree, while this process uses it: see sweep
	kept   bool     // the work in it could not be brought back: it stays
}

// openCheckout copies the working tree that dir is in. Nothing of the repository
// is run: no hooks, no fsmonitor. env is the environment of git.
func openCheckout(ctx context.Context, dir string, env []string) (*checkout, error) {
	places, err := git(ctx, env, dir, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		return nil, errNoRepository
	}
	repo, common, _ := strings.Cut(strings.TrimSuffix(places, "\n"), "\n")
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
	c := &checkout{repo: repo, common: common, env: env}
	c.sweep(ctx)
	tree, err := os.MkdirTemp("", copyPrefix)
	if err != nil {
		return nil, fmt.Errorf("copying the working tree: %w", err)
	}
	c.tree, c.dir = tree, filepath.Join(tree, below)
	if c.lock, err = lockTree(tree); err != nil {
		_ = os.Remove(tree) // it is empty, and the first error tells
		return nil, fmt.Errorf("copying the working tree: %w", err)
	}
	if err := c.fill(ctx); err != nil {
		c.close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("copying the working tree: %w", err)
	}
	return c, nil
}

func (c *checkout) fill(ctx context.Context) error {
	// Broken off, this could leave a repository that git cannot read.
	if _, err := c.alone(context.WithoutCancel(ctx), "worktree", "add", "--quiet", "--detach", "--force", "--no-checkout", c.tree, "HEAD"); err != nil {
		return err
	}
	if _, err := git(ctx, c.env, c.tree, nil, "reset", "--quiet", "--hard"); err != nil {
		return err
	}
	changes, err := git(ctx, c.env, c.repo, nil, diff("HEAD")...)
	if err != nil {
		return err
	}
	if changes != "" {
		if _, err := git(ctx, c.env, c.tree, []byte(changes), "apply", "--whitespace=nowarn", "--no-ignore-whitespace", "--binary", "-"); err != nil {
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

// add tells git of all files. A repository that the agent has made in its copy
// becomes plain files: git would take down no more of it than that it was there.
func (c *checkout) add(ctx context.Context) error {
	for {
		names, err := git(ctx, c.env, c.tree, nil, "ls-files", "--others", "--exclude-standard", "-z")
		if err != nil {
			return err
		}
		inner := 0
		for name := range strings.SplitSeq(names, "\x00") {
			if strings.HasSuffix(name, "/") {
				inner++
				if err := os.RemoveAll(filepath.Join(c.tree, name, ".git")); err != nil {
					return err
				}
			}
		}
		if inner == 0 { // nor in what has come to light
			break
		}
	}
	_, err := git(ctx, c.env, c.tree, nil, "add", "--all")
	return err
}

// commit records the tree in the copy and returns the commit.
func (c *checkout) commit(ctx context.Context, text string) (string, error) {
	if err := c.add(ctx); err != nil {
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
	if err := c.add(ctx); err != nil {
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
		"--unified=3", "--inter-hunk-context=0",
		"--src-prefix=a/", "--dst-prefix=b/",
	}, what...)
}

// apply brings a patch into the repository's working tree, wholly or not at all.
func (c *checkout) apply(ctx context.Context, patch []byte) error {
	_, err := git(ctx, c.env, c.repo, patch, "apply", "--whitespace=nowarn", "--no-ignore-whitespace", "--binary", "-")
	return err
}

// branch puts the changes on a branch of the repository.
func (c *checkout) branch(ctx context.Context, name, text string) error {
	head, err := c.commit(ctx, text)
	if err != nil {
		return err
	}
	_, err = c.alone(ctx, "branch", "--", name, head)
	return err
}
