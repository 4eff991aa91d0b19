package stages

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"
)

// hangUpGrace is how long a hard stop lets the write in progress finish its
// line before it is abandoned.
const hangUpGrace = 200 * time.Millisecond

// write is the only writer.
//
// In: wire, blocks of whole lines. Out: bytes, one Write call a block, at once:
// FanIn gathers while a call is in progress, so blocks grow with the load and
// nothing ever waits for a flush. It ends when wire closes, when a write fails
// (ErrHostGone), when ctx ends, or when the input has ended and a write takes
// longer than opts.WriteAfterEOF (ErrHostGone). When the host is slow it waits,
// for ever while there is input: the host may be in a debugger. The log says so
// once for each write that takes longer than opts.StallAfter.
//
// The writing itself is done by a second goroutine, since a write to a full
// pipe cannot be interrupted unless out has deadlines. This one only watches
// it, and leaves it behind in the end.
func write(ctx context.Context, wire <-chan []byte, out io.Writer, opts Options, inputOver <-chan struct{}, waiting *gauge) error {
	p := newPen(out, min(opts.StallAfter, opts.WriteAfterEOF))
	w := watch{pen: p, opts: opts, waiting: waiting}
	done := make(chan error, 1)
	go func() { done <- p.run(ctx, wire) }() // ends with wire, with ctx, or see abandon
	for {
		var err error
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-inputOver:
			inputOver = nil
			w.inputEnded()
		case <-p.alarm.C:
			err = w.check()
		}
		if err != nil {
			p.abandon(done)
			return err
		}
	}
}

// A watch judges a write in progress when the pen's alarm rings.
type watch struct {
	pen     *pen
	opts    Options
	waiting *gauge
	over    time.Duration // when the input ended, on the pen's clock; 0 before
	logged  time.Duration // when the write began that was last complained about
}

func (w *watch) inputEnded() {
	w.over = w.pen.now()
	w.pen.alarm.Reset(w.opts.WriteAfterEOF)
}

// check complains about a write that takes long, and gives up one that takes
// too long after the end of input. The alarm may be a late one of an earlier
// write, so only the clock counts.
func (w *watch) check() error {
	begun, now := time.Duration(w.pen.begun.Load()), w.pen.now()
	if begun == 0 {
		return nil // that write has ended just now
	}
	if w.over == 0 {
		if left := begun + w.opts.StallAfter - now; left > 0 {
			w.pen.alarm.Reset(left)
		} else if w.logged != begun {
			w.logged = begun
			slog.Warn("host is not reading", "for", now-begun,
				"waiting", w.waiting.lines.Load(), "bytesOnDisk", w.waiting.onDisk.Load())
		}
		return nil
	}
	limit := w.opts.WriteAfterEOF + time.Duration(w.pen.size.Load()>>20)*time.Second
	if left := max(begun, w.over) + limit - now; left > 0 {
		w.pen.alarm.Reset(left)
		return nil
	}
	return fmt.Errorf("%w: it took nothing for %v after the end of input", ErrHostGone, limit)
}

// A pen does the writing. Its clock runs from 1, so that 0 can mean "idle".
type pen struct {
	out      io.Writer
	clock    time.Time
	alarm    *time.Timer   // runs during a write call
	patience time.Duration // when it first rings
	begun    atomic.Int64  // when the write in progress began, on the clock; 0 when idle
	size     atomic.Int64  // its bytes
}

func newPen(out io.Writer, patience time.Duration) *pen {
	p := &pen{out: out, clock: time.Now(), alarm: time.NewTimer(patience), patience: patience}
	p.alarm.Stop()
	return p
}

func (p *pen) now() time.Duration { return time.Since(p.clock) + 1 }

func (p *pen) run(ctx context.Context, wire <-chan []byte) error {
	for {
		block, ok, err := Recv(ctx, wire)
		if err != nil || !ok {
			return err
		}
		if err := p.write(block); err != nil {
			return fmt.Errorf("%w: %w", ErrHostGone, err)
		}
	}
}

func (p *pen) write(block []byte) error {
	p.size.Store(int64(len(block)))
	p.begun.Store(int64(p.now()))
	p.alarm.Reset(p.patience)
	n, err := p.out.Write(block)
	p.begun.Store(0)
	p.alarm.Stop()
	if err == nil && n < len(block) {
		err = io.ErrShortWrite
	}
	return err
}

// abandon lets the write in progress finish for a moment, then cuts it short
// where out has deadlines (a file in non-blocking mode, a socket). Elsewhere
// the pen stays behind in its system call until the process ends or the other
// end closes.
func (p *pen) abandon(done <-chan error) {
	select {
	case <-done:
		return
	case <-time.After(hangUpGrace):
	}
	d, ok := p.out.(interface{ SetWriteDeadline(time.Time) error })
	if ok && d.SetWriteDeadline(time.Now()) == nil {
		<-done
		_ = d.SetWriteDeadline(time.Time{}) // as we found it; out may be closed by now
	}
}
