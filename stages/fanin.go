package stages

import (
	"context"
	"log/slog"
	"sync/atomic"

	"veyyon.dev/veyyon/frames"
)

// fanIn puts what all senders send into one order and encodes it; it is the
// only encoder.
//
// In: outbox. Out: wire, in blocks of whole lines: all that waits, up to 64 KiB.
// It ends when no more frames follow (over is closed) and all has been handed
// to Write; its caller then closes wire. When Write is slow it goes on
// receiving, and the queue joins, supersedes and spills. Only a full disk makes
// it stop receiving, and its senders wait.
func fanIn(ctx context.Context, outbox <-chan frames.Outbound, over <-chan struct{}, wire chan<- []byte, q *queue, waiting *gauge) error {
	defer q.file.close()
	var block []byte // handed to Write next
	full := fullDisk{}
	for {
		stuck := full.note(q.relieve())
		if block == nil {
			var err error
			if block, err = q.next(); err != nil {
				return err
			}
		}
		if block == nil && over == nil {
			return nil
		}
		waiting.set(q.waiting())

		// A nil channel switches its case off.
		from, to := outbox, wire
		if stuck {
			from = nil
		}
		if block == nil {
			to = nil
		}
		select {
		case f := <-from:
			q.push(f)
			drain(outbox, q)
		case to <- block:
			block = nil
		case <-over:
			over = nil
			drain(outbox, q)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// drain takes what already stands in the outbox, so that one block carries it.
func drain(outbox <-chan frames.Outbound, q *queue) {
	for range outboxLane.Capacity {
		select {
		case f := <-outbox:
			q.push(f)
		default:
			return
		}
	}
}

// encoder turns frames into lines with their newline. An answer that the codec
// cannot encode becomes the codec's error answer; anything else that it cannot
// encode is lost, which is logged as an error of ours.
func encoder(c frames.Codec) func(frames.Outbound) []byte {
	return func(f frames.Outbound) []byte {
		line, err := c.Encode(f)
		if err == nil && line == nil {
			return nil
		}
		if err == nil {
			return append(line, '\n')
		}
		slog.Error("a frame could not be encoded", "err", err)
		instead := c.Unencodable(f, err)
		if instead == nil {
			return nil
		}
		if line, err = c.Encode(instead); err != nil {
			slog.Error("nor could the answer that says so", "err", err)
			return nil
		}
		return append(line, '\n')
	}
}

// fullDisk logs once when the overflow file cannot grow, and once when it can.
type fullDisk struct{ stuck bool }

func (d *fullDisk) note(err error) (stuck bool) {
	switch {
	case err != nil && !d.stuck:
		slog.Warn("no room for what the host does not read, everything waits", "err", err)
	case err == nil && d.stuck:
		slog.Info("there is room again for what the host does not read")
	}
	d.stuck = err != nil
	return d.stuck
}

// A gauge tells Write how much waits behind it, for its log.
type gauge struct {
	lines  atomic.Int64
	onDisk atomic.Int64 // bytes
}

func (g *gauge) set(lines int, onDisk int64) {
	g.lines.Store(int64(lines))
	g.onDisk.Store(onDisk)
}
