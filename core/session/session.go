// Package session is one conversation: its messages, queues, model, modes and
// todo list, owned by one goroutine.
package session

import (
	"context"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// Options are what a session is made of. Functions are safe for concurrent use
// and answer at once, unless they take a context.
type Options struct {
	Log    *transcript.Log // owned by the session from now on
	Models Models
	Tools  func() tool.Set // the tools of the next model call
	Shell  *shell.Runner
	// System gives the blocks of the system prompt; nil for none. It is asked when
	// the session and each of its runs begin, on the loop, and may look at files.
	System func() []string
	Dir    string // working directory, absolute
	Began  string // the directory it has worked in before, which may be gone
	// CacheKey names the session to providers; its id when empty.
	CacheKey string
	Emit     event.Sink
	Full     func() bool // whether message updates carry the whole answer so far; nil never
	Retry    Retry
	Fallback Fallback
	Todo     Todo
	Spill    tool.Spill // when the text of a tool's result is too long
	Budget   Budget
	Rules    *rule.Set      // about what models write; nil for none
	Gate     *approval.Gate // decides which tool calls run; nil lets all
	Choice   Choice
	// Compaction says when and how the context is made shorter.
	Compaction Compaction
	// Secrets are texts that no request for a summary may hold; nil for none. It
	// may wait for the disk.
	Secrets func() []string
	// Unwind is how long tool calls may take to end once they are told to; 0
	// means turn.UnwindWait.
	Unwind time.Duration
	// Over, if set, is asked after each turn whether the run ends with it,
	// although there are results that the model has not seen. It is called on
	// the loop.
	Over func() bool
	// Deadline ends the run that is under way then; later prompts are refused.
	// The zero time sets none.
	Deadline time.Time
	// Busy, if set, is told when a run begins and when the session is idle
	// again. It is called on the loop, which it should not hold up.
	Busy func(bool)
	// MaxJobs is how many background jobs may run at a time; with 0 there are
	// none.
	MaxJobs int
}

// Models is what a session asks of the registry.
type Models interface {
	Provider(m *model.Model) (model.Provider, error)
	// HasKey tells at once whether a credential is configured.
	HasKey(m *model.Model) bool
	// Key finds it; it may wait for a command.
	Key(ctx context.Context, m *model.Model) (string, error)
	// FindRef gives the model called provider/id, if it can be used.
	FindRef(ref string) (*model.Model, bool)
}

// Choice is what a session takes over from the one before it, or from the
// settings.
type Choice struct {
	Model     *model.Model // nil when none is selected
	Thinking  model.Level  // as asked for: auto and inherit are possible
	Steering  QueueMode
	FollowUp  QueueMode
	Interrupt InterruptMode
	AutoRetry bool
	Compact   bool // auto-compaction
}

// Retry says how failed requests are asked again (settings retry.*).
type Retry struct {
	Max         int // retries of one answer
	BaseDelayMs int64
	MaxDelayMs  int64 // 0 or less: no limit
}

// A Session is one conversation. Its state is a local variable of its loop;
// every method sends the loop an operation and waits for the loop alone, which
// never waits for a model, a person or a process. A method that takes a context
// returns ErrClosed once the session has ended, and the cause of ctx if that
// ends before the loop has taken the operation; what is invalid has the code
// fault.Invalid. Safe for concurrent use.
type Session struct {
	ops       chan op       // many send, the loop receives; never closed: done tells when nobody receives any more
	done      chan struct{} // closed by the loop when it has ended
	opts      Options
	board     *job.Board
	artifacts artifactCount
	steered   atomic.Bool           // whether a steering message waits: written by the loop, read by the turn
	place     atomic.Pointer[Place] // written by the loop
}

// An op is run by the loop, which then says so; ran has room for that.
type op struct {
	run func(*state)
	ran chan struct{}
}

// ErrClosed means that the session has ended.
var ErrClosed = fault.New(fault.Cancelled, "The session has ended")

// New returns a session whose loop is not running yet: the caller runs Loop on
// a goroutine that it waits for.
func New(opts Options) *Session {
	s := &Session{ops: make(chan op), done: make(chan struct{}), opts: opts, board: job.NewBoard(opts.MaxJobs)}
	s.place.Store(&Place{opts.Dir, opts.Began, opts.System, opts.Rules, opts.Gate})
	return s
}

// ID is the session's id.
func (s *Session) ID() string { return s.opts.Log.ID() } // never changes

// Path is the session's file, "" for one in memory.
func (s *Session) Path() string { return s.opts.Log.Path() }

// Dir is the directory the session works in.
func (s *Session) Dir() string { return s.place.Load().Dir }

// Began is the directory the session has worked in before, which may be gone
// since.
func (s *Session) Began() string { return s.place.Load().Began }

// Skipped counts the lines of the file that could not be read.
func (s *Session) Skipped() int { return s.opts.Log.Skipped() } // as above

// Done is closed when the session has ended and its file is closed.
func (s *Session) Done() <-chan struct{} { return s.done }

// do runs an operation on the loop and waits until it has run.
func (s *Session) do(ctx context.Context, run func(*state)) error {
	ran := make(chan struct{}, 1)
	select {
	case s.ops <- op{run, ran}: // an idle loop waits for it, and a wait for one channel costs half of one for three
	default:
		select {
		case s.ops <- op{run, ran}:
		case <-s.done:
			return ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	<-ran // the loop runs what it has received, at once
	return nil
}

// ask runs an operation that answers.
func ask[T any](ctx context.Context, s *Session, run func(*state) T) (answer T, err error) {
	err = s.do(ctx, func(st *state) { answer = run(st) })
	return answer, err
}

// try runs an operation that may fail.
func try(ctx context.Context, s *Session, run func(*state) error) error {
	failed, err := ask(ctx, s, run)
	if err != nil {
		return err
	}
	return failed
}
