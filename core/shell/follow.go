package shell

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// After the shell has exited its output is read on while more comes, at most
// drainTotal, and until nothing came for drainQuiet: then whoever holds the pipe
// is a process in the background, and what it writes later is lost.
const (
	drainQuiet = 50 * time.Millisecond
	drainTotal = 200 * time.Millisecond
)

// updateEvery is the shortest time between two calls of Command.Output.
const updateEvery = 50 * time.Millisecond

// chunkSize is how much is read at once, in bytes: what a pipe holds.
const chunkSize = 64 << 10

type chunk struct {
	bytes [chunkSize]byte
	n     int
}

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// read sends what comes until out ends, is closed or has its deadline, which does
// not lose what is in it then. The receiver takes all of it.
//
// It begins when the shell is started and waits, without a buffer, for the first
// bytes: a goroutine that begins when the command does takes a processor from it.
func read(out *os.File, into chan<- *chunk) {
	defer close(into)
	if raw, err := out.SyscallConn(); err == nil {
		_ = raw.Read(func(fd uintptr) (ready bool) {
			// What has come already is not announced again, so look first.
			n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return n != 0 // or an error, which the reading below meets
		})
	}
	for {
		c := chunks.Get().(*chunk)
		n, err := out.Read(c.bytes[:])
		if n > 0 {
			c.n = n
			into <- c
		} else {
			chunks.Put(c)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			readRest(out, into)
		}
		if err != nil { // io.EOF, or EIO from a terminal that nobody has open
			return
		}
	}
}

// readRest sends what out holds, and waits for nothing more. Where the processor
// is scarce that may be all that a command wrote.
func readRest(out *os.File, into chan<- *chunk) {
	_ = out.SetReadDeadline(time.Time{}) // with one that has passed, nothing can be read
	raw, err := out.SyscallConn()
	if err != nil {
		return
	}
	for left := chunkSize; left > 0; { // who goes on writing does not keep us here
		c, n := chunks.Get().(*chunk), 0
		err := raw.Read(func(fd uintptr) bool {
			n, _ = unix.Read(int(fd), c.bytes[:left]) // EAGAIN when it is empty
			return true
		})
		if err != nil || n <= 0 {
			chunks.Put(c)
			return
		}
		c.n = n
		into <- c
		left -= n
	}
}

// A following goes with a command from its start to its end.
type following struct {
	process *process
	text    capture
	output  func(string)
	updated time.Time
	update  *time.Timer // nil unless text came since the last update
}

// run reads what the command writes until it is over, and ends it, with all it
// started, when ctx ends or the timeout comes. It sets Cancelled and TimedOut.
func (f *following) run(ctx context.Context, timeout <-chan time.Time, grace time.Duration, result *Result) {
	var (
		texts       <-chan *chunk   = f.process.text // nil at the end of the output
		exited                      = f.process.exited
		aborted                     = ctx.Done()
		ended       <-chan struct{} // nil unless the command is being ended
		quiet, last <-chan time.Time
		drained     bool
	)
	for ended != nil || !drained && (texts != nil || exited != nil) {
		select {
		case c, ok := <-texts:
			if !ok {
				texts = nil
				break
			}
			f.take(c)
			if exited == nil {
				quiet = time.After(drainQuiet)
			}
		case <-exited:
			exited, aborted, timeout = nil, nil, nil // what comes now does not change how it ended
			if texts != nil {                        // a timer costs a wake-up of the poller, and mostly there is no need
				quiet, last = time.After(drainQuiet), time.After(drainTotal)
			}
		case <-aborted:
			result.Cancelled = true
			aborted, timeout, ended = nil, nil, f.end(grace)
		case <-timeout:
			result.Cancelled, result.TimedOut = true, true
			aborted, timeout, ended = nil, nil, f.end(grace)
		case <-ended:
			ended = nil
			last = time.After(drainTotal) // a shell the kernel cannot end is not waited for
		case <-quiet:
			drained = true
		case <-last:
			drained = true
		case <-f.due():
			f.report()
		}
	}
	if f.process.out.SetReadDeadline(time.Now()) != nil {
		_ = f.process.out.Close() // not a file that can be waited for; closing ends its reader too
	}
	for c := range f.process.text {
		f.take(c)
	}
	_ = f.process.out.Close()
	f.text.finish()
}

// end begins to end the command and all it started.
func (f *following) end(grace time.Duration) <-chan struct{} {
	ended := make(chan struct{})
	go func() { // ends by the bounds of family.end; run waits for it
		defer close(ended)
		family{sessions: []int{f.process.Pid}, mark: f.process.mark + "\x00"}.end(grace)
	}()
	return ended
}

func (f *following) take(c *chunk) {
	f.text.write(c.bytes[:c.n])
	chunks.Put(c)
	if f.output != nil && f.update == nil {
		f.update = time.NewTimer(updateEvery - time.Since(f.updated))
	}
}

// due is ready when the next update is.
func (f *following) due() <-chan time.Time {
	if f.update == nil {
		return nil
	}
	return f.update.C
}

func (f *following) report() {
	f.output(f.text.latest())
	f.update, f.updated = nil, time.Now()
}

// exitCode is nil when nobody knows.
func exitCode(state *os.ProcessState) *int {
	if state == nil {
		return nil
	}
	code := state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	return &code
}
