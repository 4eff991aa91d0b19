package stages

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/frames"
)

// ErrClosed means that the pipe takes no more frames.
var ErrClosed = errors.New("the pipe takes no more frames")

// An Outbox takes frames for the other end. Safe for concurrent use.
//
// Order: if one Send has returned before another begins, the first frame is
// written first. Nothing else is promised. So one goroutine's frames keep their
// order, and whoever waits for a goroutine before sending follows its frames.
//
// The channel behind it has many senders, so it is never closed: gone tells
// them that nobody receives any more.
type Outbox struct {
	frames chan<- frames.Outbound
	gone   <-chan struct{}
	end    func()
}

// NewOutbox makes an Outbox over a channel of the caller's, to run a Middle
// without a pipe. The caller receives from it until all senders are done.
func NewOutbox(ch chan<- frames.Outbound) Outbox {
	return Outbox{frames: ch, end: func() {}}
}

// Send returns nil once the frame is in the pipe; it will then be written
// unless a hard stop comes first. It returns the cause of ctx if that ends
// first, and ErrClosed once the pipe has ended. It waits for a slow host only
// when the disk that takes the overflow is full. The frame must not be changed
// afterwards.
func (o Outbox) Send(ctx context.Context, f frames.Outbound) error {
	select {
	case <-o.gone: // first, since frames may still have room
		return ErrClosed
	default:
	}
	select {
	case o.frames <- f:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-o.gone:
		return ErrClosed
	}
}

// Close says that no more frames will follow: what was sent is written, and
// then the writing half of the pipe ends while the middle may go on receiving.
// A Send that begins after Close may be lost. The end of the middle closes too,
// so only a middle that wants to hang up before it is done needs it.
func (o Outbox) Close() { o.end() }
