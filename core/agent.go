// Package core is the agent: the facade that the router talks to. It knows no
// wire; its data types carry JSON tags since the wire shows them as they are.
package core

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/hub"
	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/skill"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/template"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// Options are what an agent is made of.
type Options struct {
	Models    *registry.Registry
	Scope     []*model.Model // what cycle_model goes through; nil for all available
	Tools     tool.Set       // the builtin ones
	HostTools host.Tools
	Shell     *shell.Runner // closed by its maker, after Stop
	// Transcripts says where the files of sessions that work in dir are kept.
	Transcripts func(dir string) transcript.Options
	// Sessions is the folder above those of all working directories; "" when
	// there is only the one of Transcripts.
	Sessions string
	// System returns what gives the system prompt of a session that works in dir,
	// see session.Options.
	System func(dir string) func() []string
	Dir    string // working directory, absolute
	// CacheKey names all sessions to providers, for their caches; the id of each
	// when empty.
	CacheKey string
	Emit     event.Sink
	Deadline time.Time  // ends the runs that are under way then; the zero time sets none
	Busy     func(bool) // told when a session begins a run or long work and when it is idle again; may be nil; safe for concurrent use
	Full     bool       // message updates carry the whole answer so far, until SetFullUpdates says otherwise
	Retry    session.Retry
	Fallback session.Fallback
	Todo     session.Todo
	Spill    tool.Spill // when the text of a tool's result is too long
	Budget   session.Budget
	Team     *subagent.Team             // runs the agents that tools start; nil for none
	Rules    func(dir string) *rule.Set // of a session that works in dir; nil for none
	Approval *approval.Options          // says which tool calls run; nil lets all
	Plans    bool                       // there is a plan mode
	Servers  *mcp.Set                   // whose tools sessions have; nil for none; closed by Stop
	// Skills are those of all working folders; nil for none. SkillCommands lets
	// prompts call them.
	Skills        *skill.Library
	SkillCommands bool
	Templates     *template.Library // what prompts may call; nil for none
	Choice        session.Choice
	// Discreet returns what takes secrets out of pages for people; nil for none.
	Discreet func() func(string) string
	// Compaction says when and how a context is made shorter.
	Compaction session.Compaction
	Resume     *transcript.Log // the session to go on with; nil begins one
	// BackgroundLimit is how many conversations may go on in the background.
	BackgroundLimit int
	MaxJobs         int // background jobs of one session that run at a time; 0 for none
}

// Agent is everything behind one connection. Its methods answer without
// waiting for a model, a person or a process, unless their comment says so.
// They act on the session in front. They are safe for concurrent use; changes of
// the session in front come one after the other. Errors that a host is to tell
// apart carry a code of package fault.
type Agent struct {
	opts   Options
	life   context.Context // the loops': ends them at once
	hub    *hub.Hub
	tools  atomic.Pointer[tool.Set]
	full   atomic.Bool           // message updates carry the whole answer so far
	lives  sync.WaitGroup        // one for each loop that runs
	shelf  transcript.Shelf      // what list_sessions has read
	listed atomic.Pointer[offer] // the slash commands that the host knows; nil before it does
}

// errDisconnected is why sessions end with the connection; their last answers
// tell it.
var errDisconnected = fault.New(fault.Cancelled, "The host disconnected")

// New begins a session, or goes on with Resume. Ending ctx stops all that runs
// at once; Stop is the soft way.
func New(ctx context.Context, opts Options) (*Agent, error) {
	a := &Agent{opts: opts, life: ctx}
	a.tools.Store(&opts.Tools)
	a.full.Store(opts.Full)
	log := opts.Resume
	if log == nil {
		var err error
		if log, err = transcript.New(opts.Transcripts(opts.Dir)); err != nil {
			return nil, err
		}
	}
	a.hub = hub.New(a.begin(log, opts.Choice), opts.BackgroundLimit)
	opts.Servers.Tell(a.serversChanged)
	return a, nil
}

// begin runs the loop of a session on this transcript.
func (a *Agent) begin(log *transcript.Log, choice session.Choice) *session.Session {
	last := session.LastDir(log)
	at := a.place(existing(last, a.opts.Dir))
	s := session.New(session.Options{
		Log: log, Models: a.opts.Models, Tools: a.offered, Shell: a.opts.Shell, CacheKey: a.opts.CacheKey,
		System: at.System, Dir: at.Dir, Began: last, Emit: a.opts.Emit, Deadline: a.opts.Deadline, Busy: a.opts.Busy, Full: a.full.Load, Retry: a.opts.Retry,
		Choice: a.restored(log, choice), Fallback: a.opts.Fallback, Todo: a.opts.Todo, Spill: a.opts.Spill, Budget: a.opts.Budget, Rules: at.Rules,
		Compaction: a.opts.Compaction, Secrets: a.opts.Models.Secrets, MaxJobs: a.opts.MaxJobs, Gate: at.Gate,
	})
	a.lives.Go(func() { s.Loop(a.life) })
	return s
}

// offered are the tools of the next request: ours, the host's and those of servers.
func (a *Agent) offered() tool.Set { return a.tools.Load().Join(a.opts.Servers.Tools()) }

func (a *Agent) rules(dir string) *rule.Set {
	if a.opts.Rules == nil {
		return nil
	}
	return a.opts.Rules(dir)
}

// EndOfInput follows the end of the host's input: the running turn is aborted
// and nothing new begins. Commands of the host go on; AbortBash ends them.
func (a *Agent) EndOfInput(ctx context.Context) {
	a.hub.Finish(ctx, errDisconnected)
}

// Settled waits until the session in front has nothing more to do, also that
// which takes its place meanwhile.
func (a *Agent) Settled(ctx context.Context) error {
	for {
		front := a.hub.Front()
		err := front.Settled(ctx)
		if !errors.Is(err, session.ErrClosed) {
			return err
		}
		if next := a.successorOf(ctx, front); next == front {
			return err // it has ended for good
		}
	}
}

// Park lets what background jobs of the session in front give wait for its next
// prompt.
func (a *Agent) Park(ctx context.Context) error {
	return a.tell(ctx, func(front *session.Session) error { return front.Park(ctx) })
}

// Linger waits for the conversations in the background, or for the end of ctx.
func (a *Agent) Linger(ctx context.Context) { a.hub.Linger(ctx) }

// Stop ends all sessions and waits for them, or for the end of ctx.
func (a *Agent) Stop(ctx context.Context) error {
	defer a.opts.Servers.Close()
	a.hub.Stop(ctx, errDisconnected)
	ended := make(chan struct{})
	go func() { defer close(ended); a.lives.Wait() }() // ends with the loops, which hear a.life
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Steer queues a message for the next boundary of the run.
func (a *Agent) Steer(ctx context.Context, p session.Prompt) (release func(), err error) {
	if p, err = a.expanded(p, (*template.Set).ExpandPrompt); err != nil {
		return nil, err
	}
	return moving(ctx, a, func(front *session.Session) (func(), error) { return front.Steer(ctx, p) })
}

// FollowUp queues a message for the end of the run.
func (a *Agent) FollowUp(ctx context.Context, p session.Prompt) (release func(), err error) {
	if p, err = a.expanded(p, (*template.Set).ExpandPrompt); err != nil {
		return nil, err
	}
	return moving(ctx, a, func(front *session.Session) (func(), error) { return front.FollowUp(ctx, p) })
}

// Abort asks the running turn, its retries and all bash commands to end. wait
// returns when the run has unwound (its agent_end is in the outbox); it is nil
// when nothing ran.
func (a *Agent) Abort(ctx context.Context) (wait func(context.Context) error, err error) {
	return moving(ctx, a, func(front *session.Session) (func(context.Context) error, error) { return front.Abort(ctx) })
}

// AbortAndPrompt aborts, and begins this prompt as soon as the run has unwound.
func (a *Agent) AbortAndPrompt(ctx context.Context, p session.Prompt) (session.Accepted, error) {
	p, err := a.expanded(p, (*template.Set).Expand)
	if err != nil {
		return session.Accepted{}, err
	}
	return moving(ctx, a, func(front *session.Session) (session.Accepted, error) { return front.AbortAndPrompt(ctx, p) })
}

// AbortRetry ends a wait before a retry.
func (a *Agent) AbortRetry(ctx context.Context) error {
	return a.tell(ctx, func(front *session.Session) error { return front.AbortRetry(ctx) })
}

// Bash registers a command, so that AbortBash and Abort reach it from now on.
// run executes it and records it in the session; it waits for the process and
// must be called once.
func (a *Agent) Bash(ctx context.Context, command string) (run func(context.Context) (shell.Result, error), err error) {
	return moving(ctx, a, func(front *session.Session) (func(context.Context) (shell.Result, error), error) {
		return front.Bash(ctx, command)
	})
}

// AbortBash asks all commands of the host to end.
func (a *Agent) AbortBash(ctx context.Context) error {
	return a.tell(ctx, func(front *session.Session) error { return front.AbortBash(ctx) })
}

// State is a snapshot of the session.
func (a *Agent) State(ctx context.Context) (session.State, error) {
	return moving(ctx, a, func(front *session.Session) (session.State, error) { return front.State(ctx) })
}

// Messages lists the finished messages.
func (a *Agent) Messages(ctx context.Context) ([]message.Message, error) {
	return moving(ctx, a, func(front *session.Session) ([]message.Message, error) { return front.Messages(ctx) })
}

// Stats counts what the session holds.
func (a *Agent) Stats(ctx context.Context) (session.Stats, error) {
	return moving(ctx, a, func(front *session.Session) (session.Stats, error) { return front.Stats(ctx) })
}

// LastAssistantText is the text of the last answer; ok is false without one.
func (a *Agent) LastAssistantText(ctx context.Context) (text string, ok bool, err error) {
	err = a.tell(ctx, func(front *session.Session) (failed error) {
		text, ok, failed = front.LastAssistantText(ctx)
		return failed
	})
	return text, ok, err
}

// SetFullUpdates says whether message updates carry the whole answer so far,
// from the next answer on.
func (a *Agent) SetFullUpdates(full bool) { a.full.Store(full) }

// FullUpdates tells whether they do.
func (a *Agent) FullUpdates() bool { return a.full.Load() }

// SetName names the session.
func (a *Agent) SetName(ctx context.Context, name string) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetName(ctx, name) })
}

// SetTodos replaces the todo list and returns it.
func (a *Agent) SetTodos(ctx context.Context, phases []tool.Phase) ([]tool.Phase, error) {
	return phases, a.tell(ctx, func(front *session.Session) error { return front.SetTodos(ctx, phases) })
}

// SetSteeringMode says how many steering messages are delivered at once.
func (a *Agent) SetSteeringMode(ctx context.Context, mode session.QueueMode) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetSteeringMode(ctx, mode) })
}

// SetFollowUpMode says how many follow-ups are delivered at once.
func (a *Agent) SetFollowUpMode(ctx context.Context, mode session.QueueMode) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetFollowUpMode(ctx, mode) })
}

// SetInterruptMode says whether steering cuts tool calls short.
func (a *Agent) SetInterruptMode(ctx context.Context, mode session.InterruptMode) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetInterruptMode(ctx, mode) })
}

// SetAutoCompaction switches compaction by itself on or off.
func (a *Agent) SetAutoCompaction(ctx context.Context, on bool) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetAutoCompaction(ctx, on) })
}

// SetAutoRetry switches retries on or off.
func (a *Agent) SetAutoRetry(ctx context.Context, on bool) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetAutoRetry(ctx, on) })
}

// Subscribe says how much the host is told of agents, whichever session is in
// front.
func (a *Agent) Subscribe(level subagent.Level) {
	if a.opts.Team != nil {
		a.opts.Team.Subscribe(level)
	}
}

// Subagents lists the agents that run for the session in front.
func (a *Agent) Subagents() []subagent.Snapshot {
	if a.opts.Team == nil {
		return []subagent.Snapshot{}
	}
	return a.opts.Team.Running(a.hub.Front())
}

// SubagentTranscript is the file of an agent of the session in front, by its id
// or by the file itself; ok is false when it has none.
func (a *Agent) SubagentTranscript(id, path string) (file string, ok bool) {
	if a.opts.Team == nil {
		return "", false
	}
	return a.opts.Team.Transcript(a.hub.Front(), id, path)
}

// LoginProvider is a provider one can sign in to.
type LoginProvider struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Available     bool   `json:"available"`
	Authenticated bool   `json:"authenticated"`
}

// LoginProviders lists those one can sign in to over the protocol: none so far,
// keys come from the environment and the profile.
func (a *Agent) LoginProviders(context.Context) []LoginProvider { return []LoginProvider{} }

// laborious tells that work begins which takes long by itself, without a model:
// until what it returns is called, commands are to find a processor beside it.
func (a *Agent) laborious() (done func()) {
	if a.opts.Busy == nil {
		return func() {}
	}
	a.opts.Busy(true)
	return func() { a.opts.Busy(false) }
}
