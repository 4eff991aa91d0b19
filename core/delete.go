package core

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"veyyon.dev/veyyon/core/fault"
)

// Why a session cannot be deleted (facts/platform 5.2).
var (
	errDeleteBusy   = fault.New(fault.Busy, "Cannot delete the session while streaming.")
	errDeleteMemory = fault.New(fault.Invalid, "No session file to delete (in-memory session).")
)

// DeleteSession begins a new session in place of the one in front. finish waits
// for the end of that, removes its file and what it has kept beside it, and
// returns the path.
func (a *Agent) DeleteSession(ctx context.Context) (finish func(context.Context) (path string, err error), err error) {
	front := a.hub.Front()
	state, err := front.State(ctx)
	switch {
	case err != nil:
		return nil, err
	case state.IsStreaming || state.IsCompacting:
		return nil, errDeleteBusy
	case front.Path() == "":
		return nil, errDeleteMemory
	}
	if _, err := a.NewSession(ctx, "", false); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) {
		select {
		case <-front.Done(): // until then it may write
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		err := os.Remove(front.Path())
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // nothing had been said in it
		}
		return front.Path(), errors.Join(err, os.RemoveAll(front.Folder()))
	}, nil
}
