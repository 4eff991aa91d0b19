package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/slash"
	"veyyon.dev/veyyon/core/transcript"
)

// unwindWait bounds the wait for a session that the host has left and now wants
// back, while its run still unwinds; after it the switch fails and may be tried
// again.
const unwindWait = 5 * time.Second

// SessionChange answers new_session and switch_session.
type SessionChange struct {
	Cancelled bool `json:"cancelled"`
}

// NewSession leaves the session in front and begins another with its model,
// level and modes. The host hears nothing more of the old one. Background while
// a turn runs has the code fault.NotImplemented, and then nothing changes.
func (a *Agent) NewSession(ctx context.Context, parent string, background bool) (SessionChange, error) {
	old := a.front.Load()
	state, err := old.State(ctx)
	if err != nil {
		return SessionChange{}, err
	}
	if background && state.IsStreaming {
		return SessionChange{}, fault.New(fault.NotImplemented, "new_session cannot keep a turn running in the background yet")
	}
	choice, err := old.Choice(ctx)
	if err != nil {
		return SessionChange{}, err
	}
	opts := a.opts.Transcripts(a.opts.Dir)
	opts.Parent = parent
	log, err := transcript.New(opts)
	if err != nil {
		return SessionChange{}, err
	}
	a.leave(ctx, old)
	a.attach(log, choice)
	return SessionChange{}, nil
}

// SwitchSession goes on with the session in a file, or begins one there. The
// codes of its errors are fault.Invalid for a file that is no session,
// fault.Busy for one in use elsewhere, and fault.IO. When it fails the session in
// front stays as it was, but for its own file, see reload. It may wait, up to
// unwindWait, for a session that the host has just left.
func (a *Agent) SwitchSession(ctx context.Context, path string) (SessionChange, error) {
	old := a.front.Load()
	choice, err := old.Choice(ctx)
	if err != nil {
		return SessionChange{}, err
	}
	if file.Same(old.Path(), path) {
		return SessionChange{}, a.reload(ctx, old, choice)
	}
	log, err := a.open(ctx, path)
	if err != nil {
		return SessionChange{}, err
	}
	a.leave(ctx, old)
	a.attach(log, choice)
	return SessionChange{}, nil
}

// reload reads the file of the session in front again. The session is given up
// first, since a file has one writer; should the file then be of no use, a new
// session takes its place.
func (a *Agent) reload(ctx context.Context, old *session.Session, choice session.Choice) error {
	spare, err := transcript.New(a.opts.Transcripts(a.opts.Dir))
	if err != nil {
		return err
	}
	a.leave(ctx, old)
	log, err := a.open(ctx, old.Path())
	if err != nil {
		log, err = spare, fault.Newf(fault.IO, "%v; a new session was begun instead", err)
	}
	a.attach(log, choice)
	return err
}

// leave stops a session, of which the host hears nothing more. Its run may
// still unwind for a while.
func (a *Agent) leave(ctx context.Context, old *session.Session) {
	old.Stop(ctx, errReplaced, true)
	a.left = append(slices.DeleteFunc(a.left, ended), old)
}

// attach puts a session on this transcript in front.
func (a *Agent) attach(log *transcript.Log, choice session.Choice) {
	a.front.Store(a.begin(log, choice))
	a.Announce()
}

// Announce tells the host of the session in front: which slash commands there
// are, and whether its file has suffered.
func (a *Agent) Announce() {
	a.opts.Emit(event.AvailableCommands{Commands: slash.List()})
	if s := a.front.Load(); s.Skipped() > 0 {
		a.opts.Emit(event.Notice{
			Level: "warning", Source: "transcript",
			Message: fmt.Sprintf("%d line(s) of %s could not be read and were passed over.", s.Skipped(), s.Path()),
		})
	}
}

// open opens a session file. If it is that of a session the host has just left,
// it waits until that one has written its end.
func (a *Agent) open(ctx context.Context, path string) (*transcript.Log, error) {
	opts := a.opts.Transcripts(a.opts.Dir)
	log, err := transcript.Open(path, opts)
	if !errors.Is(err, transcript.ErrLocked) {
		return log, coded(err)
	}
	ctx, cancel := context.WithTimeout(ctx, unwindWait)
	defer cancel()
	for _, s := range a.left {
		if !file.Same(s.Path(), path) {
			continue
		}
		select {
		case <-s.Done():
		case <-ctx.Done():
			return nil, coded(err)
		}
	}
	log, err = transcript.Open(path, opts)
	return log, coded(err)
}

// coded tells a host why a file could not be opened.
func coded(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, transcript.ErrNotSession):
		return fault.Wrap(fault.Invalid, err)
	case errors.Is(err, transcript.ErrLocked):
		return fault.Wrap(fault.Busy, err)
	default:
		return fault.Wrap(fault.IO, err)
	}
}

func ended(s *session.Session) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// restored is the choice with what the transcript says of model and level.
func (a *Agent) restored(log *transcript.Log, choice session.Choice) session.Choice {
	said := log.Choices()
	if m, ok := a.opts.Models.FindRef(said.Model); ok {
		choice.Model = m
	}
	if level := cmp.Or(said.Configured, said.Thinking); level != "" {
		choice.Thinking = model.Level(level)
	}
	return choice
}

// sessionDir is the directory a session works in: its own while that exists.
func sessionDir(log *transcript.Log, fallback string) string {
	if dir := log.Header().CWD; dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return fallback
}
