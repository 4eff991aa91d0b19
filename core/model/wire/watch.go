package wire

import (
	"context"
	"fmt"
	"io"
	"time"

	"veyyon.dev/veyyon/core/model"
)

// A watch ends a request that has kept us waiting for too long. Only the time
// spent waiting for the provider counts, so a slow taker of events costs the
// provider nothing. One goroutine only, apart from the timer's.
type watch struct {
	timer *time.Timer
	limit time.Duration // what was allowed; 0 is no limit
	left  time.Duration // what is left of it
	since time.Time     // when the wait that goes on began
}

// newWatch returns a watch that cancels with a *model.Error as the cause.
func newWatch(first time.Duration, cancel context.CancelCauseFunc) *watch {
	w := &watch{}
	w.timer = time.AfterFunc(time.Hour, func() { cancel(silence(w.limit)) })
	w.timer.Stop()
	w.allow(first)
	return w
}

// allow grants this much waiting from now on.
func (w *watch) allow(d time.Duration) { w.limit, w.left = d, d }

func (w *watch) begin() {
	if w.limit > 0 {
		w.since = time.Now()
		w.timer.Reset(max(w.left, 1))
	}
}

func (w *watch) end() {
	if w.limit > 0 {
		w.timer.Stop()
		w.left -= time.Since(w.since)
	}
}

func (w *watch) stop() { w.timer.Stop() }

// silence is the cause of a request that the watch ended.
func silence(limit time.Duration) error {
	return &model.Error{
		Class:   model.ClassTimeout | model.ClassTransient,
		Message: fmt.Sprintf("timeout: the provider sent nothing for %s", limit),
	}
}

// watched is a body under a watch.
type watched struct {
	body    io.Reader
	watch   *watch
	waiting func() // called before each read; may be nil
}

func (r *watched) Read(p []byte) (int, error) {
	if r.waiting != nil {
		r.waiting()
	}
	r.watch.begin()
	defer r.watch.end()
	return r.body.Read(p)
}
