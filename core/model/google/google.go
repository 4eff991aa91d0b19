// Package google speaks Google's generateContent dialect (Gemini).
package google

import (
	"context"
	"strings"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
)

// A Provider speaks generateContent. Safe for concurrent use.
type Provider struct{ client *wire.Client }

// New returns a provider that asks through the client.
func New(client *wire.Client) *Provider { return &Provider{client} }

// Stream implements model.Provider. The dialect matches results to calls by
// name and order, so ids are not sent.
func (p *Provider) Stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	return p.client.Ask(ctx, wire.Question{
		Request: req, Draft: draft,
		Call: func(rules replay.Rules) wire.Call {
			call := wire.NewCall(req, endpoint(req.Model), requestOf(req, rules))
			call.Authorize("X-Goog-Api-Key", "", req.Key)
			return call
		},
		Answer: func() wire.Answer { return (&answer{draft: draft, price: req.Model.Cost}).event },
	})
}

func endpoint(m *model.Model) string {
	base := strings.TrimSuffix(m.BaseURL, "/")
	if base == "" {
		base = "https://generativelanguage.googleapis.com/v1beta"
	}
	return base + "/models/" + strings.TrimPrefix(m.ID, "models/") + ":streamGenerateContent?alt=sse"
}
