package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
)

// writing is a text that a model writes about the conversation: the summary of a
// compaction, or a handoff document. There is one at a time. Unless it is part of
// a run, prompts that are accepted meanwhile wait for its end.
type writing struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	compact bool          // a compaction: what hosts call isCompacting
	begin   func()        // called once the run under way has unwound; nil from then on
	over    chan struct{} // closed by the loop when nothing of it is left

	// How it ended, to be read once over is closed.
	result   *event.CompactionResult
	document string
	err      error
}

// openWriting registers a writing that begins when the run under way, if any, has
// unwound. It ends with parent at the latest.
func (st *state) openWriting(parent context.Context, compact bool) *writing {
	w := &writing{compact: compact, over: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	st.writing = w
	if st.idleTimer != nil {
		st.idleTimer.Stop()
	}
	return w
}

// beginWriting begins what waited for the run to unwind.
func (st *state) beginWriting() {
	if w := st.writing; w != nil && w.begin != nil && st.run == nil {
		begin := w.begin
		w.begin = nil
		begin()
	}
}

// written is what a model wrote.
type written struct {
	text  string
	files compaction.Files // of a summary
}

// carryOut runs job on a goroutine of its own, which ends with the writing's
// context; the loop waits for it, and then takes what it gave.
func (st *state) carryOut(w *writing, job func(context.Context) (written, error), take func(*state, written, error)) {
	s := st.s
	go func() {
		text, err := fenced(w.ctx, job)
		// The loop takes this: it does not end before. So the wait needs no other end.
		_ = s.do(context.WithoutCancel(w.ctx), func(st *state) { take(st, text, err) })
	}()
}

// fenced turns a panic in the job into its failure.
func fenced(ctx context.Context, job func(context.Context) (written, error)) (text written, err error) {
	caught := panics.Try(func() { text, err = job(ctx) })
	if caught != nil {
		slog.Error("writing about the conversation panicked", "panic", caught.Value, "stack", string(caught.Stack))
		err = fmt.Errorf("internal error: %v", caught.Value)
	}
	return text, err
}

// endWriting closes a writing; nothing of it is set any more.
func (st *state) endWriting(w *writing) {
	st.writing = nil
	w.cancel(nil)
	close(w.over)
}

// abortWriting tells a writing to end.
func (st *state) abortWriting(reason error) {
	if w := st.writing; w != nil {
		w.cancel(reason)
	}
}

// held tells whether prompts have to wait although no run goes on.
func (st *state) held() bool { return st.writing != nil || st.handed }

// ofProvider tells hosts apart what a provider refused.
func ofProvider(err error) error {
	var failure *model.Error
	if errors.As(err, &failure) {
		return fault.Wrap(fault.Provider, err)
	}
	return err
}

// await waits for the end of the writing, which the end of ctx brings about.
func (w *writing) await(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { w.cancel(context.Cause(ctx)) })
	defer stop()
	<-w.over // the loop closes it even when the session is stopped
}
