package wire

import (
	"context"
	"fmt"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
)

// A Question is a request in one dialect.
type Question struct {
	Request *model.Request
	Draft   *model.Draft
	Rules   replay.Rules
	Call    func(replay.Rules) Call // the call under these rules
	Answer  func() Answer           // takes one answer into the draft
}

// Ask streams the answer into the draft, as model.Provider promises. A request
// that was refused for its history is repaired and made once more.
func (c *Client) Ask(ctx context.Context, q Question) error {
	rules := q.Rules
	q.Draft.Hold()
	q.Draft.NameCalls(func(sent string) string { return replay.CalledTool(q.Request, sent) })
	for {
		call := q.Call(rules)
		call.Waiting = q.Draft.Flush // what one read brought goes on together
		answer := q.Answer()
		err := c.Stream(ctx, call, func(data []byte) (State, error) {
			state, err := answer(data)
			if err == nil && q.Draft.TooLong() {
				err = &model.Error{Message: fmt.Sprintf("the answer is longer than %d MiB", model.MaxAnswer>>20)}
			}
			return state, err
		})
		switch {
		case err == nil && q.Draft.Hollow():
			return Failed("it was empty")
		case err == nil, q.Draft.Started(), !rules.Repair(q.Request, err):
			return err
		}
	}
}

// ReadCompat reads what the model says of its endpoint over what a dialect takes
// for granted; compat points to that. The error is a *model.Error.
func ReadCompat(m *model.Model, compat any) error {
	if len(m.Compat) == 0 {
		return nil
	}
	if err := Unmarshal(m.Compat, compat); err != nil {
		return &model.Error{Message: fmt.Sprintf("compat of the model %s cannot be read: %v", m.Ref(), err)}
	}
	return nil
}
