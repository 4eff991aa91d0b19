package acp

import (
	"context"
	"sync"
	"sync/atomic"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/stages"
)

// Options are what the program around the server decides.
type Options struct {
	// Open makes the agent of a session; its errors are shown to the client.
	Open func(ctx context.Context, w Wanted) (*core.Agent, error)
	// Folder is where the sessions that work in dir are kept, and Sessions the
	// folder above these; "" when there is none.
	Folder   func(dir string) string
	Sessions string
	Version  string
	Images   picture.Fitter // makes images of the client fit for models
}

// Wanted says which agent is to be made.
type Wanted struct {
	Dir     string // the directory to work in, absolute
	Path    string // the file of the session to go on with, "" to begin one
	Fork    bool   // go on with a copy of it
	Servers []wire.MCPServer
	Client  Client
}

// Client is what an agent may ask of the client for its session.
type Client struct {
	Emit      event.Sink
	Approver  host.Approver
	UI        host.UI // nil when it has no forms
	Files     host.Files
	Terminals host.Terminals // nil when it has none
	Planner   host.Planner
}

// A Server has the sessions of a connection. Safe for concurrent use.
type Server struct {
	opts   Options
	ctx    context.Context // the connection's life
	out    stages.Outbox
	ledger *router.Ledger
	client atomic.Pointer[wire.Capabilities]
	shelf  transcript.Shelf // what lists have read
	loads  file.Locks       // by id: of two loads of a session at once the second finds it open
	works  sync.WaitGroup   // one for each session that has a turn, or unwinds; End waits

	mu       sync.Mutex
	sessions map[string]*session // the open ones, by id
	leaving  map[string]*session // those that unwind, by id
	disabled map[string]bool     // extension providers, by id
	ended    bool
}

// NewServer returns a server without sessions. ctx is the connection's life.
func NewServer(ctx context.Context, out stages.Outbox, l *router.Ledger, opts Options) *Server {
	s := &Server{opts: opts, ctx: ctx, out: out, ledger: l, sessions: map[string]*session{}, leaving: map[string]*session{}, disabled: map[string]bool{}}
	s.client.Store(&wire.Capabilities{})
	return s
}

// End follows the end of input: all sessions end. It waits for them, or for the
// end of ctx.
func (s *Server) End(ctx context.Context) {
	s.mu.Lock()
	s.ended = true
	open := make([]*session, 0, len(s.sessions))
	for _, one := range s.sessions {
		open = append(open, one)
	}
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, one := range open {
		all.Go(func() { one.close(ctx) })
	}
	all.Wait()
	s.works.Wait() // the turns are over, and what unwinds is bounded by closeGrace
}

// send sends a frame for as long as the connection lives.
func (s *Server) send(f frames.Outbound) {
	_ = s.out.Send(s.ctx, f) // fails only when nobody reads any more
}

// find is an open session.
func (s *Server) find(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.sessions[id]; one != nil {
		return one, nil
	}
	return nil, fault.New(fault.NotFound, "Unsupported ACP session: "+id).About("sessionId", id)
}

// add puts a session into the table.
func (s *Server) add(one *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return fault.New(fault.Cancelled, "the client has closed the connection")
	}
	s.sessions[one.id] = one
	return nil
}

// remove takes a session out of the table; nil when it is not there. The caller
// lets it unwind.
func (s *Server) remove(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[id]
	if one != nil {
		delete(s.sessions, id)
		s.leaving[id] = one
	}
	return one
}

// left waits for the session of this id that unwinds, if there is one, or for the
// end of ctx: until then its file is in use.
func (s *Server) left(ctx context.Context, id string) {
	s.mu.Lock()
	one := s.leaving[id]
	s.mu.Unlock()
	if one != nil {
		select {
		case <-one.life.Done():
		case <-ctx.Done():
		}
	}
}
