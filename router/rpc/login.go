package rpc

import (
	"context"
	"slices"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/router"
)

func (c *commands) loginProviders(ctx context.Context, _ struct{}) (router.Answer, error) {
	return keyed("providers", c.agent.LoginProviders(ctx)), nil
}

func (c *commands) login(ctx context.Context, id string) (router.Finish, error) {
	isIt := func(p core.LoginProvider) bool { return p.ID == id }
	if !slices.ContainsFunc(c.agent.LoginProviders(ctx), isIt) {
		return nil, fault.New(fault.NotFound, "Unknown OAuth provider: "+id)
	}
	return nil, notImplemented("login")
}
