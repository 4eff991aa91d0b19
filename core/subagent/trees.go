package subagent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/file"
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
	if err := lockAlone(ctx, f); err != nil {
		return "", fmt.Errorf("waiting for the other worktrees of %s: %w", c.repo, err)
	}
	return git(ctx, c.env, c.repo, nil, args...)
}

const (
	alonePause = 20 * time.Millisecond // between two tries for the lock
	aloneWait  = time.Minute           // for the lock, where the context of the caller does not end; then the command of git is not run
)

func lockAlone(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeout(ctx, aloneWait)
	defer cancel()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(alonePause):
		}
	}
}

// copyPrefix is what the names of copies begin with.
const copyPrefix = "veyyon-agent-"

// InCopy tells whether a path is in such a copy.
func InCopy(path string) bool {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return false
	}
	target, err := file.Target(path)
	return err == nil && strings.HasPrefix(target, filepath.Join(temp, copyPrefix))
}

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
