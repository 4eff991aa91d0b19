package openai

import (
	"context"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
)

// responsesIDLimit is the longest call id that Responses accepts.
const responsesIDLimit = 64

// A Responses speaks the Responses dialect, without state on the provider's
// side. Safe for concurrent use.
type Responses struct{ client *wire.Client }

// NewResponses returns a provider that asks through the client.
func NewResponses(client *wire.Client) *Responses { return &Responses{client} }

// Stream implements model.Provider.
func (p *Responses) Stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	c, err := compatOf(req.Model)
	if err != nil {
		return err
	}
	return p.client.Ask(ctx, wire.Question{
		Request: req, Draft: draft,
		Rules: replay.Rules{CallID: replay.IDsUpTo(responsesIDLimit)},
		Call: func(rules replay.Rules) wire.Call {
			call := wire.NewCall(req, endpoint(req.Model, "/responses"), responsesRequestOf(req, c, rules))
			call.Authorize("Authorization", "Bearer ", req.Key)
			return call
		},
		Answer: func() wire.Answer { return (&responsesAnswer{draft: draft, price: req.Model.Cost}).event },
	})
}
