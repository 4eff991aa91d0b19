package core

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/session"
)

// place is what goes with work in dir.
func (a *Agent) place(dir string) session.Place {
	return session.Place{Dir: dir, Began: dir, System: a.opts.System(dir), Rules: a.rules(dir), Gate: a.gate(dir)}
}

// Dir is the directory that the session in front works in.
func (a *Agent) Dir() string { return a.hub.Front().Dir() }

// Move lets the session in front work in another directory, with the rules,
// instructions, skills and commands that hold there, and tells the host of the
// commands. A relative path is taken from the directory it works in so far; moved
// is false when it leads there. What a person has said about tool calls holds
// for the old place, but for the wish not to be asked at all.
func (a *Agent) Move(ctx context.Context, path string) (dir string, moved bool, err error) {
	front := a.hub.Front()
	dir = file.Resolve(front.Dir(), path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, fault.Newf(fault.NotFound, "Directory does not exist: %s", dir)
	case err != nil:
		return "", false, fault.Wrap(fault.IO, err)
	case !info.IsDir():
		return "", false, fault.Newf(fault.Invalid, "Not a directory: %s", dir)
	case dir == front.Dir():
		return dir, false, nil
	}
	to := a.place(dir)
	if to.Gate != nil {
		to.Gate.SetBypass(front.Gate().Bypassed())
	}
	if err := front.Move(ctx, to); err != nil {
		return "", false, err
	}
	a.announceCommands(dir, true)
	return dir, true, nil
}
