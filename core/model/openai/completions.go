// Package openai speaks the two dialects of OpenAI: Chat Completions, which
// many providers speak too, and Responses.
package openai

import (
	"context"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
)

// chatIDLimit is the longest call id that Chat Completions accepts.
const chatIDLimit = 40

// A Completions speaks Chat Completions. Safe for concurrent use.
type Completions struct{ client *wire.Client }

// NewCompletions returns a provider that asks through the client.
func NewCompletions(client *wire.Client) *Completions { return &Completions{client} }

// Stream implements model.Provider.
func (p *Completions) Stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	c, err := compatOf(req.Model)
	if err != nil {
		return err
	}
	rules := replay.Rules{CallID: replay.IDsUpTo(chatIDLimit)}
	if c.NineLetterIDs {
		rules.CallID = replay.IDsOfNine
	}
	return p.client.Ask(ctx, wire.Question{
		Request: req, Draft: draft, Rules: rules,
		Call: func(rules replay.Rules) wire.Call {
			call := wire.NewCall(req, endpoint(req.Model, "/chat/completions"), chatRequestOf(req, c, rules))
			call.Authorize("Authorization", "Bearer ", req.Key)
			return call
		},
		Answer: func() wire.Answer {
			return (&chatAnswer{draft: draft, price: req.Model.Cost, calls: calls{draft: draft}}).event
		},
	})
}
