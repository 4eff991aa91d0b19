package session

import (
	"context"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/shell"
)

// bashRun is a command of the host, running or waiting for its turn to run.
type bashRun struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Bash registers a command: Abort and AbortBash reach it from now on. run
// executes it, records it in the session and returns what it gave; it must be
// called exactly once.
func (s *Session) Bash(ctx context.Context, command string) (run func(context.Context) (shell.Result, error), err error) {
	b := &bashRun{}
	err = try(ctx, s, func(st *state) error {
		if st.moved {
			return ErrClosed
		}
		b.ctx, b.cancel = context.WithCancelCause(st.life)
		st.bash[b] = struct{}{}
		if st.stopped {
			b.cancel(ErrClosed)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (shell.Result, error) {
		stop := context.AfterFunc(ctx, func() { b.cancel(context.Cause(ctx)) })
		defer stop()
		result, err := s.opts.Shell.Run(b.ctx, shell.Command{Line: command, Dir: s.Dir()})
		// The loop takes this or has ended, so the wait needs no other end.
		_ = s.do(context.WithoutCancel(ctx), func(st *state) { // after a hard stop nothing is recorded
			delete(st.bash, b)
			if err == nil {
				st.bashDone(executed(command, result))
			}
		})
		b.cancel(nil)
		return result, err
	}, nil
}

func executed(command string, r shell.Result) *message.BashExecution {
	return &message.BashExecution{
		Role: message.RoleBashExecution, Command: command, Output: r.Output, ExitCode: r.ExitCode,
		Cancelled: r.Cancelled, Truncated: r.Truncated, Timestamp: message.Now(),
	}
}

// bashDone records a command. While a run goes on it waits, so that it never
// stands between a call and its result.
func (st *state) bashDone(m *message.BashExecution) {
	if st.run != nil && st.run.begun {
		st.late = append(st.late, m)
		return
	}
	st.record(m)
}

// flushLate records the commands that waited.
func (st *state) flushLate() {
	for _, m := range st.late {
		st.record(m)
	}
	st.late = nil
}

// AbortBash tells all commands of the host to end.
func (s *Session) AbortBash(ctx context.Context) error {
	return s.do(ctx, func(st *state) { st.abortBash(ErrInterrupted) })
}

func (st *state) abortBash(reason error) {
	for b := range st.bash {
		b.cancel(reason)
	}
}
