package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/hub"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/transcript"
)

// How long a switch waits for a run to unwind in a session that has been told to
// end, in the line of the commands. leftWait is for one that the host has left
// before: then the switch fails and may be tried again. ownWait is for the one
// that the host has in front and reads again: then a new one is begun.
const (
	leftWait = 250 * time.Millisecond
	ownWait  = 5 * time.Second
)

// SessionChange answers new_session and switch_session. Background is there when
// a session moved to the background.
type SessionChange struct {
	Cancelled  bool       `json:"cancelled"`
	Background *hub.Moved `json:"background,omitempty"`
}

// NewSession leaves the session in front and begins another with its model,
// level and modes. The host hears nothing more of the old one, which stops; with
// background, and while a turn streams, it goes on in the background instead.
//
// Protocol: "Background conversations".
func (a *Agent) NewSession(ctx context.Context, parent string, background bool) (change SessionChange, err error) {
	err = a.hub.Change(ctx, func(m *hub.Members) error {
		state, err := m.Front().State(ctx)
		if err != nil {
			return err
		}
		moving := background && state.IsStreaming
		if moving {
			if err := m.CheckLimit(); err != nil {
				return err
			}
		}
		next, err := a.fresh(ctx, m.Front(), parent)
		if err != nil {
			return err
		}
		if moving {
			if change.Background, err = a.moveAway(ctx, m); err != nil {
				return a.discard(ctx, next, err)
			}
		} else {
			m.Drop(ctx)
		}
		a.attach(ctx, m, next)
		return nil
	})
	return change, err
}

// fresh begins a session that takes over the model and the modes of old.
func (a *Agent) fresh(ctx context.Context, old *session.Session, parent string) (*session.Session, error) {
	choice, err := old.Choice(ctx)
	if err != nil {
		return nil, err
	}
	opts := a.opts.Transcripts(a.opts.Dir)
	opts.Parent = parent
	log, err := transcript.New(opts)
	if err != nil {
		return nil, err
	}
	return a.begin(log, choice), nil
}

// discard ends a session that came to no use because of err.
func (a *Agent) discard(ctx context.Context, s *session.Session, err error) error {
	s.Stop(ctx, err, true)
	return err
}

// SwitchSession goes on with the session in a file, or begins one there. A
// conversation of the background that has this file comes back as it is, and the
// session in front moves away in its place. A relative path is taken from the
// agent's working directory. The codes of its errors are fault.Invalid for a
// file that is no session, fault.Busy for one in use elsewhere, and fault.IO;
// then the session in front stays as it was. It may wait, up to leftWait, for a
// session that the host has just left.
//
// release lets the host hear of the session, and is called behind the answer.
func (a *Agent) SwitchSession(ctx context.Context, path string) (change SessionChange, release func(), err error) {
	if strings.TrimSpace(path) == "" {
		return change, nil, fault.New(fault.Invalid, "The path of the session file is empty.")
	}
	path = file.Resolve(a.opts.Dir, path)
	release = func() {}
	err = a.hub.Change(ctx, func(m *hub.Members) error {
		front := m.Front()
		choice, err := front.Choice(ctx)
		if err != nil {
			return err
		}
		if file.Same(front.Path(), path) {
			return a.reload(ctx, m, choice)
		}
		back, err := a.swap(ctx, m, path, &change)
		if err != nil {
			return err
		}
		if back != nil {
			release = func() { a.listen(ctx, back) }
			return nil
		}
		log, err := a.open(ctx, m, path, leftWait)
		if err != nil {
			return err
		}
		m.Drop(ctx)
		a.attach(ctx, m, a.begin(log, choice))
		return nil
	})
	return change, release, err
}

// swap lets the session in front and the conversation of the background that has
// this file change places; back is nil when there is no such conversation.
func (a *Agent) swap(ctx context.Context, m *hub.Members, path string, change *SessionChange) (back *session.Session, err error) {
	if !m.Away(path) {
		return nil, nil
	}
	if err := m.CheckLimit(); err != nil {
		return nil, err
	}
	if back, err = m.Return(ctx, path); back == nil || err != nil {
		return nil, err
	}
	if change.Background, err = a.moveAway(ctx, m); err != nil {
		m.LeaveAgain(ctx, back)
		return nil, err
	}
	a.attach(ctx, m, back)
	return back, nil
}

// listen lets the host hear of a session that is back from the background, even
// if ctx has ended: it is in front already.
func (a *Agent) listen(ctx context.Context, back *session.Session) {
	if back.Listen(context.WithoutCancel(ctx)) == nil && a.opts.Team != nil { // one that has ended has nothing more to tell
		a.opts.Team.Return(ctx, back)
	}
}

// moveAway lets the session in front go on without the host.
func (a *Agent) moveAway(ctx context.Context, m *hub.Members) (*hub.Moved, error) {
	front := m.Front()
	moved, err := m.MoveAway(ctx)
	if err == nil && a.opts.Team != nil {
		a.opts.Team.Leave(front)
	}
	return moved, err
}

// reload reads the file of the session in front again. The file is read once for
// nothing, since it has one writer, which must be given up first. Should it then
// be of no use after all, a new session takes its place.
func (a *Agent) reload(ctx context.Context, m *hub.Members, choice session.Choice) error {
	path := m.Front().Path()
	spare, err := transcript.New(a.opts.Transcripts(a.opts.Dir))
	if err != nil {
		return err
	}
	if err := a.readable(path); err != nil {
		return err
	}
	m.Drop(ctx)
	log, err := a.open(ctx, m, path, ownWait)
	if err != nil {
		log, err = spare, fault.Wrap(fault.CodeOf(err), fmt.Errorf("%w; a new session was begun instead", err))
	}
	a.attach(ctx, m, a.begin(log, choice))
	return err
}

// readable tells why there is no session in a file; one that is not there yet
// can be begun.
func (a *Agent) readable(path string) error {
	read, err := transcript.Read(path, a.opts.Transcripts(a.opts.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return coded(err)
	}
	return coded(read.Close())
}

// attach puts a session in front and tells the host.
func (a *Agent) attach(ctx context.Context, m *hub.Members, s *session.Session) {
	m.Attach(ctx, s)
	a.Announce()
}

// Announce tells the host of the session in front: which slash commands there
// are, whether its file has suffered, and whether its directory is gone.
func (a *Agent) Announce() {
	s := a.hub.Front()
	a.announceCommands(s.Dir(), true)
	if s.Skipped() > 0 {
		a.warn(fmt.Sprintf("%d line(s) of %s could not be read and were passed over.", s.Skipped(), s.Path()))
	}
	if began := s.Began(); began != "" && began != s.Dir() {
		a.warn(fmt.Sprintf("The directory of this session, %s, is gone. It works in %s now.", began, s.Dir()))
	}
}

func (a *Agent) warn(text string) {
	a.opts.Emit(event.Notice{Level: "warning", Source: "transcript", Message: text})
}

// open opens a session file. If it is that of a session the host has just left,
// it waits for a moment until that one has written its end.
func (a *Agent) open(ctx context.Context, m *hub.Members, path string, wait time.Duration) (*transcript.Log, error) {
	defer a.laborious()()
	opts := a.opts.Transcripts(a.opts.Dir)
	log, err := transcript.Open(path, opts)
	if !errors.Is(err, transcript.ErrLocked) {
		return log, coded(err)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if m.Unwound(ctx, path) != nil {
		return nil, fault.Newf(fault.Busy, "The last run in %s is still coming to its end. Try again in a moment.", path)
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

// BackgroundSessions lists the conversations in the background.
func (a *Agent) BackgroundSessions(ctx context.Context) ([]hub.Conversation, error) {
	return a.hub.Background(ctx)
}

// CancelBackground tells a conversation in the background to end; wait returns
// when it has. An unknown id has the code fault.NotFound.
func (a *Agent) CancelBackground(ctx context.Context, id string) (wait func(context.Context) error, err error) {
	return a.hub.Cancel(ctx, id, session.ErrInterrupted)
}

// restored is the choice with what the transcript says of model and level.
func (a *Agent) restored(log *transcript.Log, choice session.Choice) session.Choice {
	said := log.Choices()
	if said.Model != "" { // looking for none would read the whole catalogue
		if m, ok := a.opts.Models.FindRef(said.Model); ok {
			choice.Model = m
		}
	}
	if level := cmp.Or(said.Configured, said.Thinking); level != "" {
		choice.Thinking = model.Level(level)
	}
	return choice
}

// existing is the directory while that exists, and otherwise another.
func existing(dir, other string) string {
	if dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return other
}
