package stages

import (
	"cmp"
	"context"
	"errors"
	"io"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"veyyon.dev/veyyon/frames"
)

// A Middle turns what comes in into what goes out. It returns nil once inbound
// is closed and everything accepted is answered; it may return earlier, then no
// more input is taken. An error is a hard stop. It hears ctx, and it returns
// only when all its senders to out are done.
type Middle func(ctx context.Context, inbound <-chan frames.Inbound, out Outbox) error

// ErrHostGone means that the other end has stopped reading: a write failed, or
// made no progress for too long after the end of input.
var ErrHostGone = errors.New("the host has stopped reading")

// The default bounds of Options.
const (
	DefaultOutboxBytes   = 16 << 20         // bytes kept in memory for a slow host; the rest goes to disk
	DefaultMaxLine       = 64 << 20         // bytes of one line; a longer one is skipped and refused
	DefaultStallAfter    = 10 * time.Second // then the log says that the host does not read
	DefaultWriteAfterEOF = 10 * time.Second // then a host that has hung up and does not read is given up
)

// heapPerByte is what a byte that waits costs: the collector lets the heap grow
// to twice of what lives in it (measured: 64 MiB of deltas sent to a host that
// does not read cost 49 MiB of memory without this and 31 with it).
const heapPerByte = 2

// Options are the bounds of a pipe. The zero value means the defaults.
type Options struct {
	// OutboxBytes is how much memory what waits for a slow host may cost, in
	// bytes, with the slack of the garbage collector. Frames are joined and
	// superseded above half of it, and go to a file when it is used up.
	OutboxBytes int
	// MaxLine is the longest line taken, in bytes without its newline.
	MaxLine int
	// StallAfter is how long one write may take before it is logged.
	StallAfter time.Duration
	// WriteAfterEOF is how long one write may take once the input has ended,
	// plus a second for each MiB of it. Then the pipe ends with ErrHostGone.
	WriteAfterEOF time.Duration
	// SpillDir holds the overflow file; "" is os.TempDir(). A folder in memory
	// (tmpfs) spares the process, not the machine.
	SpillDir string
	// EndInput, if set, ends the input like EOF when it ends: a soft stop.
	EndInput context.Context
	// Written, if set, is called once when everything sent has been written
	// and nothing will follow. It is not called after a hard stop.
	Written func()
}

func (o Options) withDefaults() Options {
	o.OutboxBytes = cmp.Or(o.OutboxBytes, DefaultOutboxBytes)
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	o.StallAfter = cmp.Or(o.StallAfter, DefaultStallAfter)
	o.WriteAfterEOF = cmp.Or(o.WriteAfterEOF, DefaultWriteAfterEOF)
	if o.EndInput == nil {
		o.EndInput = context.Background()
	}
	if o.Written == nil {
		o.Written = func() {}
	}
	return o
}

var (
	// lines carries the lines of one read together: a burst of commands costs
	// one hop. One more read is taken ahead. A nil line stands for one that
	// was too long.
	linesLane   = Lane[[]frames.Line]{Name: "lines", Capacity: 1}
	inboundLane = Lane[frames.Inbound]{Name: "inbound", Capacity: 16}
	// outbox lets a sender go on without waiting for FanIn to wake up.
	outboxLane = Lane[frames.Outbound]{Name: "outbox", Capacity: 64}
	// wire carries blocks of whole lines. It needs no buffer: FanIn prepares
	// the next block while Write is busy with one.
	wireLane = Lane[[]byte]{Name: "wire", Capacity: 0}
)

var (
	errInputOver = errors.New("no more input is wanted")
	errPanicked  = errors.New("a stage of the pipe has panicked")
)

// Pipe runs the stages between in and out, with middle between them, until both
// halves have ended.
//
// It returns nil after a soft stop: in has ended and everything accepted has
// been answered and written. After a hard stop it returns the first cause: that
// of ctx, ErrHostGone, or the error of middle. A panic of a stage stops the
// others and is raised again here.
//
// Two goroutines may outlive it: a Read that waits for input, and a write that
// the other end does not take where out has no write deadlines. The caller
// closes in and out, or exits.
func Pipe(ctx context.Context, in io.Reader, out io.Writer, c frames.Codec, middle Middle, opts Options) error {
	opts = opts.withDefaults()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil) // frees a Read that waits to send
	input, endInput := context.WithCancelCause(ctx)
	defer context.AfterFunc(opts.EndInput, func() { endInput(errInputOver) })()

	lines, inbound := linesLane.Make(), inboundLane.Make()
	outbox, wire := outboxLane.Make(), wireLane.Make()
	inputOver := make(chan struct{})  // closed when nothing more comes in
	outputOver := make(chan struct{}) // closed when no more frames follow
	endOutput := sync.OnceFunc(func() { close(outputOver) })
	gone := make(chan struct{}) // closed when nobody receives from outbox any more
	waiting := new(gauge)

	go func() { // not waited for: see read
		defer close(lines)
		read(input, in, lines, opts.MaxLine)
	}()
	pipe := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	run := func(name string, stage func(context.Context) error) {
		pipe.Go(func(ctx context.Context) error { return labelled(ctx, name, stage, stop) })
	}
	run(decodeStage, func(context.Context) error {
		defer close(inputOver)
		defer close(inbound)
		return decode(input, c, lines, inbound, opts.MaxLine)
	})
	run(middleStage, func(ctx context.Context) error {
		defer endOutput()
		defer endInput(errInputOver)
		return middle(ctx, inbound, Outbox{frames: outbox, gone: gone, end: endOutput})
	})
	run(fanInStage, func(ctx context.Context) error {
		defer close(wire)
		defer close(gone)
		q := newQueue(encoder(c), opts.OutboxBytes/heapPerByte, opts.SpillDir)
		return fanIn(ctx, outbox, outputOver, wire, q, waiting)
	})
	run(writeStage, func(ctx context.Context) error {
		if err := write(ctx, wire, out, opts, inputOver, waiting); err != nil {
			return err
		}
		opts.Written()
		return nil
	})
	if pipe.Wait() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// labelled runs a stage under a profile label. A stage that fails or panics is
// the cause of everybody's end; the pool re-raises the panic.
func labelled(ctx context.Context, name string, stage func(context.Context) error, stop context.CancelCauseFunc) error {
	err := errPanicked
	defer func() {
		if err != nil {
			stop(err)
		}
	}()
	pprof.Do(ctx, pprof.Labels("stage", name), func(ctx context.Context) { err = stage(ctx) })
	return err
}
