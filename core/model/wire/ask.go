package wire

import (
	"context"

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
	for {
		err := c.Stream(ctx, q.Call(rules), q.Answer())
		switch {
		case err == nil && q.Draft.Hollow():
			return Failed("it was empty")
		case err == nil, q.Draft.Started(), !rules.Repair(q.Request, err):
			return err
		}
	}
}
