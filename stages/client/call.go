package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"veyyon.dev/veyyon/frames"
)

// Error is a command that the server refused or could not do.
type Error struct {
	Command string
	Text    string // for people
	Code    string // a short stable word, "" from servers that send none
}

func (e *Error) Error() string { return e.Command + ": " + e.Text }

// Call sends a command and waits for its answer. fields encode to a JSON object
// (nil for none); the data of the answer is decoded into result, unless that is
// nil or there is no data.
//
// It returns an *Error when the command failed, ErrClosed when no answer can
// come any more, and the cause of ctx if that ends first: the command is not
// withdrawn by it. Safe for concurrent use.
func (c *Client) Call(ctx context.Context, name string, fields, result any) error {
	answer, err := c.Send(ctx, name, fields)
	if err != nil {
		return err
	}
	return answer.Wait(ctx, result)
}

// Call is Client.Call for a result of type T.
func Call[T any](ctx context.Context, c *Client, name string, fields any) (T, error) {
	var result T
	err := c.Call(ctx, name, fields, &result)
	return result, err
}

// An Answer is that of a command on its way.
type Answer struct {
	ID     string // of the command
	name   string
	client *Client
	reply  <-chan reply
}

// Send sends a command without waiting for its answer, so that many can be on
// their way; one goroutine's commands arrive in its order. Wait must be called.
func (c *Client) Send(ctx context.Context, name string, fields any) (*Answer, error) {
	raw, err := encodeFields(fields)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", name, err)
	}
	id := "req_" + strconv.FormatInt(c.lastID.Add(1), 10)
	arrived := make(chan reply, 1)
	if err := c.mail.expect(id, arrived); err != nil {
		return nil, c.closed(name)
	}
	if err := c.out.Send(ctx, frames.Ask{ID: id, Name: name, Body: raw}); err != nil {
		c.mail.forget(id)
		return nil, fmt.Errorf("sending %s: %w", name, err)
	}
	return &Answer{ID: id, name: name, client: c, reply: arrived}, nil
}

// Wait waits for the answer; see Client.Call. To be called once.
func (a *Answer) Wait(ctx context.Context, result any) error {
	select {
	case r, ok := <-a.reply:
		if !ok {
			return a.client.closed(a.name)
		}
		return r.into(result)
	case <-ctx.Done():
		a.client.mail.forget(a.ID)
		return context.Cause(ctx)
	}
}

func (r reply) into(result any) error {
	if r.Fault != nil {
		return r.Fault
	}
	if result == nil || len(r.Data) == 0 {
		return nil
	}
	if err := frames.Unmarshal(r.Data, result); err != nil {
		return fmt.Errorf("decoding the answer to %s: %w", r.Command, err)
	}
	return nil
}

// Raw sends one line as it is, for what no method covers. It must be JSON
// without a line break. Answers to it arrive as events.
func (c *Client) Raw(ctx context.Context, line []byte) error {
	return c.out.Send(ctx, frames.Note{Body: json.RawMessage(line)})
}

// answer sends a frame that the server waits for.
func (c *Client) answer(ctx context.Context, name string, fields any) error {
	raw, err := encodeFields(fields)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return c.out.Send(ctx, frames.Note{Name: name, Body: raw})
}
