package shell

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// A Command is a line for the shell.
type Command struct {
	Line     string
	Dir      string            // absolute
	Env      map[string]string // on top of the Runner's
	Terminal bool              // stdout and stderr are a terminal, where one can be had and VEYYON_NO_PTY is not set
	Timeout  time.Duration     // none when 0
	Columns  int               // longest line kept, in bytes; all of it when 0
	Head     int               // how much of the beginning is kept, in bytes; 20 KiB when 0
	Tail     int               // how much of the end is kept, in bytes; 50 KiB when 0
	// Output gets the end of what was written so far, at most Tail, each time
	// anew, 50 ms apart or more; on Run's goroutine. May be nil.
	Output func(tail string)
	// Spill gets all that was written, as text. May be nil.
	Spill io.Writer
}

// Run runs a command and returns when its shell has exited, which may be before
// all it started has. An end of ctx or the timeout ends all of it, gives a
// Result that says Cancelled, and is no error; an error means that no shell could be
// started: the directory is gone, a variable's name is none, ErrClosed.
//
// The text of a cancelled command begins with a line that says so (facts/rpc 5.24).
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return cancelled(Result{WorkingDir: c.Dir}, 0), nil
	}
	o, err := r.order(c)
	if err != nil {
		return Result{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(r.life, func() { stop(ErrClosed) })()

	p, err := r.take(o)
	if err != nil {
		return Result{}, err
	}
	session := 0
	defer func() { r.release(session) }()
	if p != nil {
		p.command(r.places.inPlace(o.line))
	} else if p, err = r.spawn(ctx, o); err != nil {
		if ctx.Err() != nil {
			return cancelled(Result{WorkingDir: c.Dir}, 0), nil
		}
		return Result{}, err
	}
	session = p.Pid
	return r.follow(ctx, p, c), nil
}

// order says which shell a command needs.
func (r *Runner) order(c Command) (order, error) {
	if r.spawner.err != nil {
		return order{}, r.spawner.err
	}
	if err := CheckEnv(c.Env); err != nil {
		return order{}, err
	}
	if err := CheckDir(c.Dir); err != nil {
		return order{}, err
	}
	where, err := os.Stat(c.Dir)
	if err != nil {
		return order{}, err
	}
	o := order{dir: c.Dir, where: where, env: r.piped, line: bare(c.Line)}
	if c.Terminal && !r.noTTY {
		o.terminal, o.env = true, r.terminal
	}
	if len(c.Env) > 0 {
		o.env = merge(o.env, entries(c.Env))
	}
	o.usual = r.spawner.bash && !o.terminal && len(o.line) <= maxPiped && len(c.Env) == 0
	return o, nil
}

// spawn starts a shell for one command.
func (r *Runner) spawn(ctx context.Context, o order) (*process, error) {
	j := job{order: o, reply: make(chan started, 1)}
	select {
	case r.spawner.orders <- j:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s := <-j.reply // soon: the shell is being started
	return s.process, s.err
}

// capture is what takes the command's output.
func (c Command) capture(terminal bool) capture {
	return capture{
		cleaner: cleaner{terminal: terminal}, first: cmp.Or(c.Head, headBytes), size: cmp.Or(c.Tail, tailBytes), columns: c.Columns, spill: c.Spill,
	}
}

// follow goes with the command to its end.
func (r *Runner) follow(ctx context.Context, p *process, c Command) Result {
	f := following{process: p, output: c.Output, text: c.capture(p.order.terminal && !p.noTTY)}
	var timeout <-chan time.Time // nil, so never ready, without one
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	result := Result{WorkingDir: c.Dir, NoTerminal: p.noTTY}
	f.run(ctx, timeout, r.grace, &result)
	f.text.fill(&result)
	if result.Cancelled {
		return cancelled(result, c.Timeout)
	}
	result.ExitCode = exitCode(p.state)
	return result
}

// cancelled puts the line in front that says what happened.
func cancelled(r Result, timeout time.Duration) Result {
	r.Cancelled = true
	if r.TimedOut {
		r.Output = fmt.Sprintf("[Command timed out after %g seconds]\n", timeout.Seconds()) + r.Output
	} else {
		r.Output = "[Command cancelled]\n" + r.Output
	}
	return r
}
