package bash

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/conc"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
)

// Commands in terminals of the host (facts/acp 9.2). What is asked of the host
// after a call has been told to end takes less, taken together, than a call has
// to end in.
const (
	hostKeeps   = 50 << 10               // bytes of the output's end that the host keeps
	pollEvery   = 250 * time.Millisecond // how often the output is read while the command runs
	lastWords   = 1500 * time.Millisecond
	releaseTime = time.Second
	maxPartial  = 1 << 10 // bytes left out to begin an output whose beginning is missing with a whole line
	signalled   = 137     // the exit code of a command that a signal ended
)

var errTimedOut = errors.New("the command takes too long")

// atHost runs the command in a terminal of the host. It puts together the same
// texts as run.
func (b bash) atHost(ctx context.Context, c *command, call tool.Call) (tool.Output, error) {
	spec, err := b.spec(c)
	if err != nil {
		return tool.ErrorOutput(err.Error()), nil
	}
	began := time.Now()
	// The host may have begun the command though nobody waits for it any more, and
	// then it has to be ended.
	creating, stop := host.Outlive(ctx, lastWords)
	defer stop()
	terminal, err := b.create(ctx, creating, spec)
	if err != nil && ctx.Err() == nil {
		return tool.ErrorOutput(fmt.Sprintf("The host did not begin the command in a terminal: %v", err)), nil
	}
	h := &hosted{order: b.order(c, call, nil), update: call.Update, details: c.details}
	how, exit := shell.Cancelled, host.Exit{}
	if err == nil {
		h.terminal, h.details.TerminalID = terminal, terminal.ID()
		how, exit, err = h.run(ctx)
	} else {
		err = nil // it was broken off
	}
	h.details.WallTimeMs = time.Since(began).Milliseconds()
	return b.told(h, c, call, how, exit, err)
}

// create begins the command, unless ctx has ended already.
func (b bash) create(ctx, creating context.Context, spec host.TerminalSpec) (host.Terminal, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return b.opts.Terminals.Create(creating, spec)
}

// spec is the command as the host gets it; the error says why the shell would not
// take it either.
func (b bash) spec(c *command) (host.TerminalSpec, error) {
	if err := shell.CheckEnv(c.Env); err != nil {
		return host.TerminalSpec{}, err
	}
	if err := shell.CheckDir(c.dir); err != nil {
		return host.TerminalSpec{}, err
	}
	argv, err := b.opts.Runner.Argv(c.Command)
	if err != nil {
		return host.TerminalSpec{}, err
	}
	return host.TerminalSpec{Command: argv[0], Args: argv[1:], Env: c.Env, Dir: c.dir, OutputByteLimit: hostKeeps}, nil
}

// hosted is a command in a terminal of the host.
type hosted struct {
	terminal host.Terminal
	order    shell.Command
	update   func(tool.Output)
	details  Details

	text      string // what it has printed, as the host had it last
	truncated bool   // its beginning is missing
}

// run goes with the command to its end, and releases the terminal. The error is
// the host's: then nobody knows how it ended.
func (h *hosted) run(ctx context.Context) (shell.Ending, host.Exit, error) {
	defer h.release(ctx)
	h.show()
	running, stop := context.WithTimeoutCause(ctx, h.order.Timeout, errTimedOut)
	defer stop()
	ending, forget := host.Outlive(running, lastWords)
	defer forget()
	type end struct {
		exit host.Exit
		err  error
	}
	ended := make(chan end, 1)
	var waiter conc.WaitGroup
	defer waiter.Wait()
	waiting, leave := context.WithCancel(ending)
	defer leave()
	waiter.Go(func() {
		exit, err := h.terminal.Wait(waiting)
		ended <- end{exit, err}
	})
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	over := false // the output has told so: the answer to the wait is on its way, or never comes
	for {
		select {
		case <-running.Done():
			return h.kill(ctx, ending), host.Exit{}, nil
		case e := <-ended:
			if e.err == nil {
				_, e.err = h.look(ending)
			}
			return shell.Exited, e.exit, e.err
		case <-poll.C:
		}
		exit, err := h.look(running)
		switch {
		case running.Err() != nil: // it is killed next
		case err != nil:
			return shell.Exited, host.Exit{}, err
		case exit != nil && over:
			return shell.Exited, *exit, nil
		default:
			over = exit != nil
		}
	}
}

// kill ends the command, and reads what it had printed.
func (h *hosted) kill(ctx, ending context.Context) shell.Ending {
	if err := h.terminal.Kill(ending); err != nil {
		slog.Warn("a command at the host is ended by releasing its terminal", "err", err)
	}
	if _, err := h.look(ending); err != nil {
		slog.Warn("the last output of a command at the host is missing", "err", err)
	}
	if ctx.Err() != nil {
		return shell.Cancelled
	}
	return shell.TimedOut
}

// release gives the terminal up, whatever has become of the call.
func (h *hosted) release(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer stop()
	if err := h.terminal.Release(ctx); err != nil {
		slog.Warn("releasing a terminal of the host", "err", err)
	}
}

// look reads what the command has printed, and shows it where it is news.
func (h *hosted) look(ctx context.Context) (*host.Exit, error) {
	text, truncated, exit, err := h.terminal.Output(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the output: %w", err)
	}
	if text != h.text || truncated != h.truncated {
		h.text, h.truncated = text, truncated
		h.show()
	}
	return exit, nil
}

// show tells how far the command is, and the host in which of its terminals.
func (h *hosted) show() {
	details, _ := message.Marshal(h.details) // plain fields always encode
	out := tool.TextOutput(shell.Elsewhere(h.order, h.text, shell.Exited, nil).Output)
	out.Details = details
	h.update(out)
}

// told puts together what the model and the host see; err is what went wrong in
// between.
func (b bash) told(h *hosted, c *command, call tool.Call, how shell.Ending, exit host.Exit, err error) (tool.Output, error) {
	var whole artifact
	order, text, bounds := b.order(c, call, &whole), h.text, call.Spill.Bounds()
	if h.truncated { // nothing more is to be missing in the middle
		text = lastLines(text, order.Head+order.Tail)
	}
	code := exit.Code
	if code == nil && exit.Signal != "" {
		number := signalled
		code = &number
	}
	if err != nil {
		code = nil
	}
	result := shell.Elsewhere(order, text, how, code)
	details, notices := h.details, c.notices
	switch {
	case h.truncated:
		cut := truncation(result, hostKeeps)
		cut.Direction, cut.TruncatedBy = "tail", "bytes"
		notices = append(notices, fmt.Sprintf("[Output cut: these are its last %d bytes, more of it was not kept]", len(text)))
		details.Meta = &tool.Meta{Truncation: cut}
	case result.Truncated:
		cut := truncation(result, bounds.Limit)
		notices = append(notices, whole.save(cut, call))
		details.Meta = &tool.Meta{Truncation: cut}
	}
	if err != nil {
		notices = append(notices, fmt.Sprintf("The terminal of the host failed: %v", err))
	}
	return output(result, details, notices)
}

// lastLines is the end of a text whose beginning is missing, at most so many
// bytes, from the beginning of a line if one begins near.
func lastLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	if end := strings.IndexByte(text, '\n'); end >= 0 && end < maxPartial {
		return text[end+1:]
	}
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}
