// Package job keeps the background jobs of a session: work that goes on after
// the tool call that began it.
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
)

// retention is how long a job whose result was handed out can still be looked
// up; then it is forgotten.
const retention = 5 * time.Minute

// Kind says what a job does.
type Kind string

// The kinds of jobs.
const (
	Bash Kind = "bash"
	Task Kind = "task"
)

// Status is how far a job has come.
type Status string

// The statuses of a job.
const (
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Result is what a job gave.
type Result struct {
	Text   string // for the model
	Failed bool
	Usage  *message.Usage // what it cost; nil for nothing
}

// Job is a snapshot of a job.
type Job struct {
	ID       string
	Kind     Kind
	Status   Status
	Label    string // for people and the model: a command, the name of an agent
	Began    time.Time
	Duration time.Duration // so far, or in all
	Result   Result        // once it is no longer Running
	Progress string        // the end of what it has said so far
}

// Why jobs end; the texts reach the model.
var (
	errCancelled = fault.New(fault.Cancelled, "The job was cancelled")
	errClosed    = fault.New(fault.Cancelled, "The session has ended")
)

// A Board holds the jobs of one session. Each finished result is handed out
// once, to whoever asks first. Safe for concurrent use.
type Board struct {
	most     int
	finished chan struct{}  // room for one token, see Finished; never closed
	works    sync.WaitGroup // the goroutines of all work; nobody waits for them, as each job tells its end

	used     atomic.Bool // a job has been posted
	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, whenever a job ends
	closed   bool
	last     int     // the number of the latest job
	jobs     []*Work // those that run, wait to be claimed, or are retained; the oldest first
	patience int     // fruitless waits in a row, see Patience
}

// NewBoard returns a board on which at most that many jobs run at a time.
func NewBoard(most int) *Board {
	return &Board{most: most, finished: make(chan struct{}, 1), changed: make(chan struct{})}
}

// Finished tells, with one token for any number of times, that a job has ended
// or its result has become free. It has one receiver.
func (b *Board) Finished() <-chan struct{} { return b.finished }

// Used tells whether there has been any job.
func (b *Board) Used() bool { return b.used.Load() }

func (b *Board) tell() {
	select {
	case b.finished <- struct{}{}:
	default: // the token that lies there says as much
	}
}

// Run is the work of a job. It ends soon after ctx does. note may be called with
// the end of what the job has said so far.
type Run func(ctx context.Context, note func(text string)) Result

// Start begins a job. The error is for the model: too many run already, or the
// session has ended.
func (b *Board) Start(kind Kind, label string, run Run) (id string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.room(); err != nil {
		return "", err
	}
	w := b.work(context.Background(), run) // it goes on behind its call; Cancel and Close end it
	b.post(w, kind, label)
	return w.job.ID, nil
}

// Begin begins work that is no job yet: its caller waits for it, and it ends
// with ctx. Should it take long, Detach makes a job of it.
func (b *Board) Begin(ctx context.Context, run Run) *Work {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.work(ctx, run)
}

// room tells why no further job may run, if so. With the lock.
func (b *Board) room() error {
	if b.closed {
		return errClosed
	}
	if b.running() >= b.most {
		return fault.Newf(fault.Busy, "Background job limit reached (%d). Wait for running jobs to finish or cancel one.", b.most)
	}
	return nil
}

func (b *Board) running() (n int) {
	for _, w := range b.jobs {
		if w.job.Status == Running {
			n++
		}
	}
	return n
}

// post makes a job of work. With the lock.
func (b *Board) post(w *Work, kind Kind, label string) {
	b.used.Store(true)
	b.last++
	w.job.ID, w.job.Kind, w.job.Label = fmt.Sprintf("%s-%d", kind, b.last), kind, label
	b.jobs = append(b.jobs, w)
}

// Work is work under way, which may be a job.
type Work struct {
	board  *Board
	done   chan struct{} // closed at its end
	cancel context.CancelCauseFunc
	follow func() bool // stops it from ending with its call; false when that has ended already

	// Under the lock of the board.
	job     Job
	ended   time.Time
	claimed bool
	waiting int // calls that wait for it: it is theirs to claim
}

// work runs run on a goroutine, which ends with it. With the lock.
func (b *Board) work(ctx context.Context, run Run) *Work {
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	w := &Work{board: b, done: make(chan struct{}), cancel: cancel, job: Job{Status: Running, Began: time.Now()}}
	w.follow = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	if b.closed {
		cancel(errClosed)
	}
	b.works.Go(func() {
		var result Result
		if caught := panics.Try(func() { result = run(life, w.note) }); caught != nil {
			slog.Error("a job panicked", "panic", caught.Value, "stack", string(caught.Stack))
			result = Result{Text: fmt.Sprintf("the job failed inside: %v", caught.Value), Failed: true}
		}
		w.end(result, context.Cause(life))
		cancel(nil)
	})
	return w
}

func (w *Work) note(text string) {
	w.board.mu.Lock()
	defer w.board.mu.Unlock()
	w.job.Progress = text
}

func (w *Work) end(result Result, cause error) {
	b := w.board
	b.mu.Lock()
	defer b.mu.Unlock()
	w.follow()
	w.ended = time.Now()
	w.job.Duration, w.job.Result, w.job.Progress = w.ended.Sub(w.job.Began), result, ""
	switch {
	case errors.Is(cause, errCancelled) || errors.Is(cause, errClosed):
		w.job.Status, w.claimed = Cancelled, true // whoever did it knows
	case result.Failed:
		w.job.Status = Failed
	default:
		w.job.Status = Completed
	}
	close(w.done)
	if w.job.ID != "" {
		close(b.changed)
		b.changed = make(chan struct{})
		b.tell()
	}
}

// Done is closed when the work has ended.
func (w *Work) Done() <-chan struct{} { return w.done }

// Result is what the work gave; only once it has ended, and not for a job.
func (w *Work) Result() Result {
	w.board.mu.Lock()
	defer w.board.mu.Unlock()
	return w.job.Result
}

// Detach makes a job of the work, if it still goes on: ok is false when it has
// ended, so that its result is handed out either by the call or by the board.
// It fails, and the work stays with its call, as Start does.
func (w *Work) Detach(kind Kind, label string) (id string, ok bool, err error) {
	b := w.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if !w.ended.IsZero() {
		return "", false, nil
	}
	if err := b.room(); err != nil {
		return "", false, err
	}
	if !w.follow() { // its call was told to end just now
		return "", false, nil
	}
	b.post(w, kind, label)
	return w.job.ID, true, nil
}

// snapshot is the job as it is now. With the lock.
func (w *Work) snapshot() Job {
	j := w.job
	if j.Status == Running {
		j.Duration = time.Since(j.Began)
	}
	return j
}

// Close cancels all jobs, refuses further ones and waits for their ends, or for
// that of ctx.
func (b *Board) Close(ctx context.Context) error {
	b.Shut()
	for {
		b.mu.Lock()
		running, changed := b.running(), b.changed
		b.mu.Unlock()
		if running == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Shut cancels all jobs and refuses further ones.
func (b *Board) Shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.cancelAll(errClosed)
}

// CancelAll cancels the jobs that run.
func (b *Board) CancelAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cancelAll(errCancelled)
}

func (b *Board) cancelAll(why error) {
	for _, w := range b.jobs {
		if w.job.Status == Running {
			w.cancel(why)
		}
	}
}

// forget drops what was handed out long ago. With the lock.
func (b *Board) forget() {
	b.jobs = slices.DeleteFunc(b.jobs, func(w *Work) bool {
		return w.claimed && w.waiting == 0 && time.Since(w.ended) > retention
	})
}
