package session

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/core/fault"
)

// ErrInterrupted is why a person's abort ends a run; its text is shown.
var ErrInterrupted = fault.New(fault.Cancelled, "Interrupted by user")

// abort tells the run, the prompts behind it and the commands to end.
func (st *state) abort(reason error) {
	st.abortBash(reason)
	st.abortWriting(reason)
	st.abortRuns(reason)
}

func (st *state) abortRuns(reason error) {
	for _, p := range st.next {
		if p.aborted == nil {
			p.aborted = reason
		}
	}
	if st.run == nil {
		return
	}
	st.parked = true
	st.run.cancel(reason)
	if st.run.backoff != nil {
		st.giveUpRetry()
	}
}

// Abort tells what runs to end. wait returns when the last of it has unwound
// and its agent_end is in the outbox; it is nil when nothing ran.
func (s *Session) Abort(ctx context.Context) (wait func(context.Context) error, err error) {
	var ended <-chan struct{}
	err = try(ctx, s, func(st *state) error {
		if st.moved {
			return ErrClosed // what there was to abort has gone on elsewhere
		}
		ended = st.lastEnd() // now: queued steering begins a run of its own behind the abort
		st.abort(ErrInterrupted)
		return nil
	})
	if err != nil || ended == nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if err := s.await(ctx, ended); !errors.Is(err, ErrClosed) {
			return err
		}
		return nil // it has ended with the session
	}, nil
}

// lastEnd is closed when the last prompt accepted so far has ended, or what a
// model writes when there is none; nil when all have.
func (st *state) lastEnd() <-chan struct{} {
	var last *prompt
	if n := len(st.next); n > 0 {
		last = st.next[n-1]
	} else if st.run != nil {
		last = st.run.prompt
	} else if st.writing != nil {
		return st.writing.over
	} else {
		return nil
	}
	ended := make(chan struct{})
	last.ended = append(last.ended, ended)
	return ended
}

// await waits for ended. It returns ErrClosed if the session ends first, and the
// cause of ctx if that does.
func (s *Session) await(ctx context.Context, ended <-chan struct{}) error {
	select {
	case <-ended:
		return nil
	case <-s.done:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stop ends the session: its run is told why, and the loop ends when it has
// unwound and the host's commands have ended.
func (st *state) stop(reason error) {
	st.stopped, st.handed = true, false
	st.s.board.Shut()
	st.abortWriting(reason)
	st.abortRuns(reason)
	for _, p := range st.next {
		p.released.Store(true) // its answer was not sent; the prompt is on record all the same
	}
	if st.run != nil {
		st.run.prompt.released.Store(true)
		st.beginReleased()
	} else {
		st.beginNext()
	}
}

// Stop ends the session and all that runs in it, and returns at once; Done
// tells when it has ended. With mute its host hears nothing more of it.
func (s *Session) Stop(ctx context.Context, reason error, mute bool) {
	_ = s.do(ctx, func(st *state) { // an ended session is what was asked for
		st.muted = st.muted || mute
		st.abortBash(reason)
		st.stop(reason)
	})
}

// Finish ends the session as Stop does, but lets the host's commands go on.
func (s *Session) Finish(ctx context.Context, reason error) {
	_ = s.do(ctx, func(st *state) { st.stop(reason) }) // as above
}

// Settled waits until nothing runs and nothing is accepted.
func (s *Session) Settled(ctx context.Context) error {
	for {
		ended, err := ask(ctx, s, (*state).lastEnd)
		if err != nil || ended == nil {
			return err
		}
		if err := s.await(ctx, ended); err != nil {
			return err
		}
	}
}
