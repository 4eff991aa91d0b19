// Package anthropic speaks Anthropic's Messages dialect.
package anthropic

import (
	"context"
	"strings"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
)

const (
	version = "2023-06-01"
	// betaInterleaved lets the model think between tool calls. Models that
	// adapt their thinking do so without.
	betaInterleaved = "interleaved-thinking-2025-05-14"
	// betaOAuth is asked for with a token of a login; those begin with
	// tokenPrefix and travel as a bearer.
	betaOAuth   = "oauth-2025-04-20"
	tokenPrefix = "sk-ant-oat"
	// idLimit is the longest call id that is accepted.
	idLimit = 64
)

// A Provider speaks Messages. Safe for concurrent use.
type Provider struct{ client *wire.Client }

// New returns a provider that asks through the client.
func New(client *wire.Client) *Provider { return &Provider{client} }

// Stream implements model.Provider. An answer that the model refuses to give is
// an error of model.ClassContentBlocked, and the draft's StopDetails say why; a
// pause_turn is a stop with StopDetails of that type.
func (p *Provider) Stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	c, err := compatOf(req.Model)
	if err != nil {
		return err
	}
	return p.client.Ask(ctx, wire.Question{
		Request: req, Draft: draft,
		Rules:  replay.Rules{CallID: replay.IDsUpTo(idLimit), ResultImages: true},
		Call:   func(rules replay.Rules) wire.Call { return callOf(req, c, rules) },
		Answer: func() wire.Answer { return (&answer{draft: draft, price: req.Model.Cost}).event },
	})
}

func callOf(req *model.Request, c compat, rules replay.Rules) wire.Call {
	body := requestOf(req, c, rules)
	call := wire.NewCall(req, endpoint(req.Model), body)
	call.Header.Set("Anthropic-Version", version)
	betas := call.Header.Values("Anthropic-Beta")
	if body.Thinking != nil && body.Thinking.Type == "enabled" && c.Interleaved {
		betas = append(betas, betaInterleaved)
	}
	switch {
	case call.Header.Get("Authorization") != "": // the model's own headers say all
	case strings.HasPrefix(req.Key, tokenPrefix):
		call.Authorize("Authorization", "Bearer ", req.Key)
		betas = append(betas, betaOAuth)
	default:
		call.Authorize("X-Api-Key", "", req.Key)
	}
	if len(betas) > 0 {
		call.Header.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
	return call
}

func endpoint(m *model.Model) string {
	base := strings.TrimSuffix(m.BaseURL, "/")
	if base == "" {
		base = "https://api.anthropic.com"
	}
	return strings.TrimSuffix(base, "/v1") + "/v1/messages"
}
