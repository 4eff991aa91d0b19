package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"veyyon.dev/veyyon/core/tool"
)

// How a lost connection is made again: after these waits, one for each attempt in
// a row, and at most attempts of them in a window; then somebody has to ask for it.
var pauses = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

const (
	attempts = 5
	window   = 30 * time.Second
)

// Options are what a Set is made of.
type Options struct {
	Servers []Server
	Dir     string   // where programs work, and what servers are told is the root
	Env     []string // of programs, without keys
	Version string   // ours
	// Reserved tells of names that other tools have.
	Reserved func(name string) bool
	// Secrets takes keys out of texts.
	Secrets func(string) string
	SignIns SignIns // to servers on the network
}

// A Set is the servers of one agent. Safe for concurrent use.
type Set struct {
	opts    Options
	life    context.Context
	end     context.CancelCauseFunc
	works   sync.WaitGroup // one for each server; Close waits
	members []*member      // in the order of Options.Servers

	mu    sync.Mutex
	tools tool.Set
	tell  func()        // see Tell
	news  chan struct{} // closed, and made anew, when a server has got another state
}

var errClosed = errors.New("the MCP servers are closed")

// Open begins to connect to the servers and does not wait for any. A server that
// cannot be reached is a Status, and no error.
func Open(ctx context.Context, opts Options) *Set {
	s := &Set{opts: opts, news: make(chan struct{})}
	s.life, s.end = context.WithCancelCause(ctx)
	for _, server := range opts.Servers {
		m := &member{set: s, server: server, state: Connecting, again: make(chan struct{}, 1)}
		s.members = append(s.members, m)
	}
	for _, m := range s.members {
		s.works.Go(m.run) // ends with the set
	}
	return s
}

// Tell lets f be called, from any goroutine, whenever a server has got another
// state, other tools or other prompts.
func (s *Set) Tell(f func()) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = f
}

// Close ends the connections and the programs, and waits for these.
func (s *Set) Close() {
	if s == nil {
		return
	}
	s.end(errClosed)
	s.works.Wait()
}

// Tools are those of all servers that are connected. A Set that is nil has none.
func (s *Set) Tools() tool.Set {
	if s == nil {
		return tool.Set{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// Await waits until each server is connected or has failed once, for limit, or for
// the end of ctx.
func (s *Set) Await(ctx context.Context, limit time.Duration) {
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		s.mu.Lock()
		news := s.news
		pending := slices.ContainsFunc(s.members, func(m *member) bool { return m.state == Connecting })
		s.mu.Unlock()
		if !pending {
			return
		}
		select {
		case <-news:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Pending tells whether a server has neither been connected to nor failed.
func (s *Set) Pending() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.members, func(m *member) bool { return m.state == Connecting })
}

// Statuses lists the servers.
func (s *Set) Statuses() []Status {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, len(s.members))
	for i, m := range s.members {
		list[i] = Status{
			Name: m.server.Name, Transport: m.server.Transport, From: m.server.From, State: m.state, Err: m.err,
			Tools: len(m.tools), Prompts: len(m.prompts), Resources: m.resources,
		}
	}
	return list
}

// Reconnect connects anew to the server of this name; ok is false when there is
// none.
func (s *Set) Reconnect(name string) (ok bool) {
	m := s.member(name)
	if m == nil {
		return false
	}
	select {
	case m.again <- struct{}{}:
	default: // it has been asked for already
	}
	return true
}

func (s *Set) member(name string) *member {
	if s == nil {
		return nil
	}
	for _, m := range s.members {
		if m.server.Name == name {
			return m
		}
	}
	return nil
}

// show takes over what a server has come to, and tells who wants to know.
func (s *Set) show(change func()) {
	s.mu.Lock()
	change()
	s.rebuild()
	close(s.news)
	s.news = make(chan struct{})
	tell := s.tell
	s.mu.Unlock()
	if tell != nil {
		tell()
	}
}

// rebuild makes the tools anew, in the order of the servers and of their names.
func (s *Set) rebuild() {
	names := map[string]bool{}
	var all []tool.Tool
	for _, m := range s.members {
		for _, t := range m.tools {
			name := toolName(m.server.Name, t.Name, func(name string) bool {
				return names[name] || s.opts.Reserved != nil && s.opts.Reserved(name)
			})
			if names[name] {
				slog.Warn("a tool of an MCP server is passed over, as its name is taken", "server", m.server.Name, "tool", t.Name)
				continue
			}
			names[name] = true
			all = append(all, newTool(m, name, t))
		}
	}
	s.tools = tool.NewSet(all...)
}

// A member is a server of a Set. Its fields are guarded by the set's mutex, but for
// those that never change.
type member struct {
	set    *Set
	server Server
	again  chan struct{} // a token asks to connect anew

	state     State
	err       string
	session   *mcp.ClientSession // nil unless connected
	tools     []*mcp.Tool
	prompts   []*mcp.Prompt
	resources bool
	progress  map[string]func(string) // of the calls under way, by their tokens
	tokens    int
}

// run keeps the connection until the set is closed.
func (m *member) run() {
	var tried []time.Time // attempts of the last while
	for {
		lost, err := m.once()
		if m.set.life.Err() != nil {
			return
		}
		tried = slices.DeleteFunc(append(tried, time.Now()), func(at time.Time) bool { return time.Since(at) > window })
		wait := pauses[min(len(tried), len(pauses))-1]
		again := lost && len(tried) <= attempts
		text := m.set.discreet(err)
		slog.Warn("an MCP server is not connected", "server", m.server.Name, "err", text, "again", again)
		m.set.show(func() {
			m.session, m.tools, m.prompts, m.resources, m.err = nil, nil, nil, false, text
			m.state = Failed
			if again {
				m.state = Waiting
			}
		})
		var later <-chan time.Time // never, unless it is tried again by itself
		if again {
			later = time.After(wait)
		}
		select {
		case <-later:
		case <-m.again:
			tried = nil
		case <-m.set.life.Done():
			return
		}
	}
}

// once has one connection, until it is lost or is to be made anew. lost tells that
// there was one.
func (m *member) once() (lost bool, err error) {
	listChanged := make(chan struct{}, 1)
	changed := func() {
		select {
		case listChanged <- struct{}{}:
		default:
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "veyyon", Version: m.set.opts.Version}, &mcp.ClientOptions{
		//lint:ignore SA1019 servers of today ask for roots
		Capabilities:           &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() }, PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed() },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { m.progressed(r.Params) },
	})
	//lint:ignore SA1019 as above
	client.AddRoots(&mcp.Root{URI: "file://" + m.set.opts.Dir})
	connecting, cancel := context.WithTimeout(m.set.life, m.server.timeout())
	defer cancel()
	session, end, err := m.server.connect(connecting, m.set, client)
	if err != nil {
		return false, err
	}
	defer end()
	defer func() { _ = session.Close() }() // it may be lost already
	if err := m.list(connecting, session); err != nil {
		return false, err
	}
	gone := make(chan error, 1)
	m.set.works.Go(func() { gone <- session.Wait() }) // ends with the connection
	for {
		select {
		case err := <-gone:
			if err == nil {
				err = errors.New("the server has closed the connection")
			}
			return true, err
		case <-m.again:
			return true, errors.New("it is to be connected anew")
		case <-listChanged:
			listing, cancel := context.WithTimeout(m.set.life, m.server.timeout())
			err := m.list(listing, session)
			cancel()
			if err != nil {
				slog.Warn("the tools of an MCP server cannot be listed", "server", m.server.Name, "err", m.set.discreet(err))
			}
		case <-m.set.life.Done():
			return true, context.Cause(m.set.life)
		}
	}
}

// maxListed is how many tools, and how many prompts, a server may have; more are
// passed over.
const maxListed = 500

// list asks for the tools and prompts that the server says it has.
func (m *member) list(ctx context.Context, session *mcp.ClientSession) error {
	var tools []*mcp.Tool
	var prompts []*mcp.Prompt
	can := session.InitializeResult().Capabilities
	if can.Tools != nil {
		for t, err := range session.Tools(ctx, nil) {
			if err != nil {
				return fmt.Errorf("listing tools: %w", err)
			}
			if tools = append(tools, t); len(tools) == maxListed {
				break
			}
		}
	}
	if can.Prompts != nil {
		for p, err := range session.Prompts(ctx, nil) {
			if err != nil { // what there is besides still counts
				slog.Warn("the prompts of an MCP server cannot be listed", "server", m.server.Name, "err", m.set.discreet(err))
				break
			}
			if prompts = append(prompts, p); len(prompts) == maxListed {
				break
			}
		}
	}
	slices.SortStableFunc(tools, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
	m.set.show(func() {
		m.session, m.tools, m.prompts, m.resources, m.state, m.err = session, tools, prompts, can.Resources != nil, Connected, ""
	})
	return nil
}

// discreet is the text of an error without keys.
func (s *Set) discreet(err error) string {
	if err == nil {
		return ""
	}
	if s.opts.Secrets == nil {
		return err.Error()
	}
	return s.opts.Secrets(err.Error())
}

// connected is the connection to a server, as long as there is one.
func (m *member) connected() (*mcp.ClientSession, error) {
	m.set.mu.Lock()
	defer m.set.mu.Unlock()
	if m.session == nil {
		return nil, fmt.Errorf("the MCP server %s is not connected (%s)", m.server.Name, m.state)
	}
	return m.session, nil
}
