package subagent

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// keep leaves the copy where it is, since the work in it is nowhere else.
func (c *checkout) keep(ctx context.Context) {
	c.kept = true
	if _, err := c.alone(ctx, "worktree", "lock", "--reason", "work of an agent that could not be brought back", c.tree); err != nil {
		slog.Warn("keeping the copy of an agent", "folder", c.tree, "err", err)
	}
}

// close removes the copy, unless it is kept.
func (c *checkout) close(ctx context.Context) {
	defer func() { _ = c.lock.Close() }() // nothing is written to it
	if !c.kept {
		c.remove(ctx, c.tree)
	}
}

func (c *checkout) remove(ctx context.Context, tree string) {
	if err := os.RemoveAll(tree); err != nil { // which takes longer than what others may wait for
		slog.Warn("removing the copy of an agent", "folder", tree, "err", err)
	}
	_, _ = c.alone(ctx, "worktree", "remove", "--force", "--force", tree) // it fails where adding has
}

// alone runs a git command that reads or changes the list of working trees, by
// itself in all processes: git fails where it meets a tree that is only being
// added.
func (c *checkout) alone(ctx context.Context, args ...string) (string, error) {
	f, err := os.Open(c.common)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // nothing is written to it
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return "", err
	}
	return git(ctx, c.env, c.repo, nil, args...)
}

// copyPrefix is what the names of copies begin with.
const copyPrefix = "veyyon-agent-"

// lockTree holds a copy as one in use, until the file is closed or the process
// ends, however it does.
func lockTree(tree string) (*os.File, error) {
	f, err := os.Open(tree)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close() // the first error tells
		return nil, err
	}
	return f, nil
}

// sweep removes the copies of a repository that killed servers have left: those
// that nobody holds, and that were not kept.
func (c *checkout) sweep(ctx context.Context) {
	list, err := c.alone(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return // the next step says so
	}
	for entry := range strings.SplitSeq(list, "\x00\x00") {
		lines := strings.Split(entry, "\x00")
		tree, ok := strings.CutPrefix(lines[0], "worktree ")
		kept := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "locked") })
		if !ok || kept || !strings.HasPrefix(filepath.Base(tree), copyPrefix) {
			continue
		}
		lock, err := lockTree(tree)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue // it is in use
		}
		c.remove(ctx, tree)
		if lock != nil {
			_ = lock.Close() // as in close
		}
	}
}
