package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"veyyon.dev/veyyon/frames"
)

// NotAFrame is the Type of an Event for a line that is no JSON object.
const NotAFrame = ""

// An Event is a frame of the server that answers no call: a session event, a
// request that no function serves, or a response nobody waits for (such as the
// late error of a prompt). It is never changed.
type Event struct {
	Type string
	Raw  json.RawMessage // the whole frame

	id, target, method string
}

// Decode decodes the frame into v.
func (e Event) Decode(v any) error {
	if err := frames.Unmarshal(e.Raw, v); err != nil {
		return fmt.Errorf("decoding %s: %w", e.Type, err)
	}
	return nil
}

// Events yields what the server tells, in order, from the first frame on. It
// ends when the server has ended and all is read; an error comes last, and is
// that of the connection or the cause of ctx. Leaving the loop loses nothing:
// the next Events goes on from there. There is one stream, so two loops at once
// share it.
//
// A caller who reads slowly slows the server: beyond 8 MiB unread nothing more
// is received. But while a Call waits for its answer the client reads on, in
// whatever memory it takes, so that a Call from within the loop never waits for
// the loop. A client that wants no events says so with IgnoreEvents.
func (c *Client) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, ok, more, failure := c.mail.take()
			switch {
			case ok:
				if !yield(e, nil) {
					return
				}
			case !more:
				poke(c.mail.arrived) // for another loop that waits
				if failure != nil {
					yield(Event{}, failure)
				}
				return
			default:
				select {
				case <-c.mail.arrived:
				case <-ctx.Done():
					yield(Event{}, context.Cause(ctx))
					return
				}
			}
		}
	}
}

// IgnoreEvents throws events away from now on, and those that wait.
func (c *Client) IgnoreEvents() { c.mail.ignore() }
