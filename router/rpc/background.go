package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/router"
)

// There are no background conversations yet, so the list is empty and no id
// names one.

func (c *commands) backgroundSessions(context.Context, struct{}) (router.Answer, error) {
	return keyed("sessions", []struct{}{}), nil
}

func (c *commands) cancelBackgroundSession(_ context.Context, id string) (router.Finish, error) {
	return nil, fault.New(fault.NotFound, "No background conversation "+id)
}
