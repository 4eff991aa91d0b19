package acp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/transcript"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

const (
	// introduceAfter is how long after its answer a new session is first told
	// about. Zed takes note of a session on another task than the one that reads
	// updates, and drops those of a session it does not know.
	introduceAfter = 50 * time.Millisecond
	// closeGrace is how long an agent may take to unwind; then it is left, and its
	// process's end ends it. Its file is whole at any moment.
	closeGrace = 5 * time.Second
	// maxCounted is how many bytes of files are read to count the messages of one
	// list; sessions beyond it are listed without their number.
	maxCounted = 64 << 20
)

var errClosed = errors.New("the client has closed the session")

// A session is one that the client has opened.
type session struct {
	server  *Server
	id      string
	dir     string
	path    string // of its file, where there is or will be one
	began   time.Time
	agent   *core.Agent
	sink    *sink
	notices bool            // the client takes notices
	life    context.Context // ends with the session
	end     context.CancelCauseFunc

	mu    sync.Mutex
	turns []*turn // the first is under way
}

// newSession begins a session.
func (s *Server) newSession(ctx context.Context, o wire.Opening) (router.Answer, error) {
	one, err := s.open(ctx, Wanted{Dir: o.CWD, Servers: o.Servers})
	if err != nil {
		return router.Answer{}, err
	}
	return s.opened(ctx, one, one.id)
}

// load goes on with a stored session and tells the client all that was said.
func (s *Server) load(ctx context.Context, o wire.Opening) (router.Answer, error) {
	one, err := s.stored(ctx, o)
	if err == nil {
		err = one.replay(ctx)
	}
	if err != nil {
		return router.Answer{}, err
	}
	return s.opened(ctx, one, "")
}

// resume is load for a client that knows what was said.
func (s *Server) resume(ctx context.Context, o wire.Opening) (router.Answer, error) {
	one, err := s.stored(ctx, o)
	if err != nil {
		return router.Answer{}, err
	}
	return s.opened(ctx, one, "")
}

// fork begins a session with a copy of what was said in another.
func (s *Server) fork(ctx context.Context, o wire.Opening) (router.Answer, error) {
	path := ""
	if from, err := s.find(o.SessionID); err == nil {
		if from.busy() {
			return router.Answer{}, fault.New(fault.Internal, "ACP session fork is unavailable while a prompt is in progress: "+o.SessionID)
		}
		path = from.path
	} else {
		found, err := s.lookUp(o.SessionID, "")
		if err != nil {
			return router.Answer{}, err
		}
		path = found.Path
	}
	if !exists(path) {
		return router.Answer{}, fault.New(fault.Internal, "ACP session cannot be forked before it is persisted: "+o.SessionID)
	}
	one, err := s.open(ctx, Wanted{Dir: o.CWD, Path: path, Fork: true, Servers: o.Servers})
	if err != nil {
		return router.Answer{}, err
	}
	return s.opened(ctx, one, one.id)
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// stored is an open session, or a stored one of this directory that is opened.
func (s *Server) stored(ctx context.Context, o wire.Opening) (*session, error) {
	unlock, err := s.loads.Lock(ctx, o.SessionID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s.left(ctx, o.SessionID)
	if one, err := s.find(o.SessionID); err == nil {
		if !file.Same(one.dir, o.CWD) {
			return nil, fault.Newf(fault.Invalid, "ACP session %s is already loaded for %s, not %s", o.SessionID, one.dir, o.CWD)
		}
		return one, nil
	}
	found, err := s.lookUp(o.SessionID, o.CWD)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, Wanted{Dir: o.CWD, Path: found.Path, Servers: o.Servers})
}

// lookUp finds a stored session by its whole id; in any directory when dir is "".
func (s *Server) lookUp(id, dir string) (transcript.Summary, error) {
	found, ok, err := transcript.Find(s.opts.Sessions, s.opts.Folder(dir), id)
	switch {
	case err != nil:
		return found, fault.Wrap(fault.IO, err)
	case !ok || found.ID != id || dir != "" && !file.Same(found.CWD, dir):
		return found, fault.New(fault.NotFound, "ACP session not found: "+id).About("sessionId", id)
	}
	return found, nil
}

// open makes the agent of a session and puts it into the table.
func (s *Server) open(ctx context.Context, w Wanted) (*session, error) {
	one := &session{server: s, dir: w.Dir, began: time.Now(), notices: s.client.Load().Notices}
	one.life, one.end = context.WithCancelCause(s.ctx)
	one.sink = &sink{session: one}
	w.Client = s.clientOf(one)
	agent, err := s.opts.Open(one.life, w)
	if err != nil {
		one.end(err)
		return nil, err
	}
	one.agent = agent
	state, err := agent.State(ctx)
	if err == nil {
		one.id, one.path = state.SessionID, state.SessionFile
		err = s.add(one)
	}
	if err != nil {
		one.unwind(err)
		return nil, err
	}
	return one, nil
}

// clientOf is what the agent of a session may ask of the client.
func (s *Server) clientOf(one *session) Client {
	can := *s.client.Load()
	c := Client{Emit: one.sink.emit, Approver: permissions{one}, Files: one.files(can), Planner: plans{one, can.Form}}
	if can.Form {
		c.UI = forms{one}
	}
	if can.Terminal {
		c.Terminals = terminals{one}
	}
	return c
}

// opened answers what opens a session, and introduces the session some time
// behind the answer.
func (s *Server) opened(ctx context.Context, one *session, id string) (router.Answer, error) {
	options, err := one.options(ctx)
	if err != nil {
		return router.Answer{}, err
	}
	modes, err := one.modes(ctx)
	if err != nil {
		return router.Answer{}, err
	}
	return router.Answer{
		Data: wire.Opened{SessionID: id, ConfigOptions: options, Modes: modes},
		Then: func() { time.AfterFunc(introduceAfter, one.introduce) },
	}, nil
}

// introduce tells the client which commands a session has and what it is called.
func (one *session) introduce() {
	if one.life.Err() != nil {
		return
	}
	state, err := one.agent.State(one.life)
	if err != nil {
		return // it has ended
	}
	commands, err := one.agent.Commands(one.life)
	if err != nil {
		return
	}
	one.sink.introduce(commands, wire.SessionInfo{Title: state.SessionName, UpdatedAt: stamp(one.began)})
}

// stamp is a time as clients read it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// close ends a session: its turn is cancelled, the prompts behind it too. One
// that is not open is as good as closed.
func (s *Server) close(_ context.Context, id string) (router.Finish, error) {
	one := s.remove(id)
	if one == nil {
		return nil, nil
	}
	one.cancelAll()
	return func(ctx context.Context) (router.Answer, error) {
		one.close(ctx)
		return router.Answer{}, nil
	}, nil
}

// close waits for the turns, and ends the agent.
func (one *session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	for _, t := range one.cancelAll() {
		select {
		case <-t.told: // its answer comes before that of the close
		case <-ctx.Done():
		}
	}
	one.unwind(errClosed)
}

// unwind ends the agent.
func (one *session) unwind(cause error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(one.server.ctx), closeGrace)
	defer cancel()
	_ = one.agent.Stop(ctx) // what has not ended by then is ended below
	one.sink.end()
	one.server.mu.Lock()
	if one.server.leaving[one.id] == one {
		delete(one.server.leaving, one.id)
	}
	one.server.mu.Unlock()
	one.end(cause)
}

// list lists the stored sessions, those of one directory or all.
func (s *Server) list(_ context.Context, l wire.ListRequest) (router.Answer, error) {
	page, err := s.page(l.CWD, l.Cursor, transcript.DefaultPage)
	if fault.CodeOf(err) == fault.Invalid {
		err = fault.New(fault.Invalid, "Invalid ACP session cursor: "+l.Cursor)
	}
	if err != nil {
		return router.Answer{}, err
	}
	return router.Answer{Data: wire.Listed{Sessions: shown(page.Sessions), NextCursor: page.Next}}, nil
}

// page is a page of the stored sessions, the last changed first.
func (s *Server) page(dir, cursor string, limit int) (transcript.Listing, error) {
	if dir != "" || s.opts.Sessions == "" {
		folder := s.opts.Folder(filepath.Clean(dir))
		if folder == "" {
			return transcript.Listing{}, nil
		}
		return s.shelf.Page([]string{folder}, cursor, limit)
	}
	folders, err := transcript.Folders(s.opts.Sessions)
	if err != nil {
		return transcript.Listing{}, fault.Wrap(fault.IO, err)
	}
	return s.shelf.Page(folders, cursor, limit)
}

// shown is a list as clients see it. A session that does not say where it works
// cannot be opened, and is left out.
func shown(found []transcript.Summary) []wire.StoredSession {
	budget := int64(maxCounted)
	list := make([]wire.StoredSession, 0, len(found))
	for _, f := range found {
		if !filepath.IsAbs(f.CWD) {
			continue
		}
		stored := wire.StoredSession{SessionID: f.ID, CWD: f.CWD, Title: f.Title, UpdatedAt: stamp(f.Modified), Meta: wire.StoredMeta{Size: f.Size}}
		if budget -= f.Size; budget >= 0 {
			if n, err := transcript.CountMessages(f.Path); err == nil {
				stored.Meta.MessageCount = &n
			}
		}
		list = append(list, stored)
	}
	return list
}

// commandsOf is a list of slash commands as clients see it.
func commandsOf(commands []event.Command) []wire.SlashCommand {
	list := make([]wire.SlashCommand, 0, len(commands))
	for _, c := range commands {
		command := wire.SlashCommand{Name: c.Name, Description: c.Description}
		if c.Input != nil && c.Input.Hint != "" {
			command.Input = &wire.Hint{Hint: c.Input.Hint}
		}
		list = append(list, command)
	}
	return list
}
