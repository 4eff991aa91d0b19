package session

import (
	"context"
	"path/filepath"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
)

// Loop owns the session's state until the session has been stopped, its last
// run has unwound and its commands and jobs have ended. Ending ctx stops it at
// once: the run is told, and still gets its results written; commands are not
// waited for, since the pool they wait in may never get to them.
func (s *Session) Loop(ctx context.Context) {
	defer close(s.done)
	file.Sweep(s.opts.Dir)
	if path := s.Path(); path != "" {
		file.Sweep(filepath.Dir(path))
	}
	life, end := context.WithCancelCause(ctx)
	defer end(ErrClosed)
	st := s.loaded(life)
	defer st.close()
	hardStop := ctx.Done()
	for !st.over() {
		steps, backoff := st.waits()
		var finished <-chan struct{} // nil, which costs the select nothing, before the first job; that begins in a turn, whose steps come through here
		if s.board.Used() {
			finished = s.board.Finished()
		}
		select {
		case o := <-s.ops:
			o.run(st)
			o.ran <- struct{}{}
		case burst, open := <-steps:
			st.steps(burst)
			if !open {
				st.turnOver()
			}
		case <-finished:
			st.goOn()
		case <-backoff:
			st.askAgain()
		case <-hardStop:
			hardStop = nil // heard once
			st.killed = true
			st.abortBash(context.Cause(ctx))
			st.stop(context.Cause(ctx))
		}
		st.tellSettled()
		st.endIfLeft()
		st.tellBusy()
	}
}

// loaded is the state that the transcript tells of. A long one takes a while to
// read, for which the session is busy.
func (s *Session) loaded(life context.Context) *state {
	if s.opts.Busy != nil {
		s.opts.Busy(true)
		defer s.opts.Busy(false)
	}
	return newState(s, life)
}

// tellBusy passes on whether a run is under way, when that has changed.
func (st *state) tellBusy() {
	if busy := st.run != nil || st.writing != nil; busy != st.told {
		st.told = busy
		if st.s.opts.Busy != nil {
			st.s.opts.Busy(busy)
		}
	}
}

// waits are the channels of the running turn and of the wait before a retry;
// nil, and so switched off, when there is none.
func (st *state) waits() (steps <-chan []event.Event, backoff <-chan time.Time) {
	if st.run == nil {
		return nil, nil
	}
	if st.run.turn != nil {
		steps = st.run.turn.Steps
	}
	if st.run.backoff != nil {
		backoff = st.run.backoff.C
	}
	return steps, backoff
}
