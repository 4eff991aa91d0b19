// Package client drives a Veyyon RPC server: the host's end of the pipe.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// ErrClosed means that the connection has ended and no answer can come. What
// ended it is wrapped beside it.
var ErrClosed = errors.New("the server has gone")

// closeGrace is how long each step of Close waits for the server before the
// next, harsher one. It is longer than the 5 s a server gives its background
// conversations at the end of input.
const closeGrace = 8 * time.Second

// A Client is one connection to a server. Safe for concurrent use.
type Client struct {
	mail   *mailbox
	desk   desk
	out    stages.Outbox
	lastID atomic.Int64
	in     io.Reader

	stop    context.CancelCauseFunc // the hard stop
	done    chan struct{}           // closed when the pipe has ended
	err     error                   // what Pipe returned; to be read after done
	process *process                // nil over pipes
}

// New speaks to a server over r and w, as far as ctx lives; its end is a hard
// stop. Close must be called. w is closed when the last frame is written, if it
// is an io.Closer, since that is how a server learns that its host has gone.
func New(ctx context.Context, r io.Reader, w io.Writer) *Client {
	ctx, stop := context.WithCancelCause(ctx)
	c := &Client{mail: newMailbox(), in: r, stop: stop, done: make(chan struct{})}
	outs := make(chan stages.Outbox, 1)
	go func() { // ends with the pipe; Close waits for it
		defer close(c.done)
		c.err = stages.Pipe(ctx, r, w, codec{}, func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
			outs <- out
			return c.dispatch(ctx, inbound)
		}, stages.Options{Written: func() { closeEnd(w) }})
		closeEnd(w)
		c.mail.end(c.err)
	}()
	c.out = <-outs
	return c
}

func closeEnd(end any) {
	if closer, ok := end.(io.Closer); ok {
		_ = closer.Close() // an end that is closed already is what we want
	}
}

// dispatch is the client's middle: it settles answers, serves what the server
// asks and keeps the rest for Events. It returns when the server has ended.
func (c *Client) dispatch(ctx context.Context, inbound <-chan frames.Inbound) error {
	serving := newServing(ctx)
	defer serving.end()
	for {
		if err := c.mail.room(ctx); err != nil {
			return err
		}
		in, ok, err := stages.Recv(ctx, inbound)
		if err != nil || !ok {
			return err
		}
		switch in := in.(type) {
		case reply:
			if !c.mail.settle(in) {
				c.mail.put(Event{Type: "response", Raw: json.RawMessage(in.Raw)})
			}
		case Event:
			if !c.serve(serving, in) {
				c.mail.put(in)
			}
		case frames.Malformed:
			return errors.New(in.Answer.Fault.Text)
		}
	}
}

// CloseInput tells the server that nothing more is sent: it answers what it
// has, then ends. Answers and events still arrive.
func (c *Client) CloseInput() { c.out.Close() }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Close ends the connection: it closes the server's input and waits for its
// end; a server that does not end gets SIGTERM, then SIGKILL, each with its
// process group. It returns how the server ended: nil, an *exec.ExitError, or
// the error of the connection. Calls that still wait get ErrClosed.
func (c *Client) Close() error {
	c.mail.ignore() // so that unread events hold nothing up
	c.CloseInput()
	if c.process != nil {
		c.process.end(c.done)
	} else {
		waitFor(c.done, closeGrace)
	}
	c.stop(ErrClosed)
	closeEnd(c.in) // frees the reader, whoever else holds the other end
	<-c.done
	if c.process != nil && c.process.err != nil {
		return c.process.err
	}
	if errors.Is(c.err, ErrClosed) || errors.Is(c.err, stages.ErrHostGone) {
		return nil // we hung up ourselves, or it ended before reading all
	}
	return c.err
}

// closed is the error of a command that gets no answer.
func (c *Client) closed(name string) error {
	<-c.done
	if c.err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrClosed, c.err)
	}
	return fmt.Errorf("%s: %w", name, ErrClosed)
}

// waitFor tells whether done was closed within limit.
func waitFor(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
