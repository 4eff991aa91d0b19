package rpc

import (
	"context"

	"veyyon.dev/veyyon/router"
)

// cancelled is the data of cancel_background_session.
type cancelled struct {
	SessionID string `json:"sessionId"`
}

// cancelBackgroundSession tells the conversation to end in its turn, and is
// answered when it has.
func (c *commands) cancelBackgroundSession(ctx context.Context, id string) (router.Finish, error) {
	wait, err := c.agent.CancelBackground(ctx, id)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (router.Answer, error) {
		return router.Answer{Data: cancelled{id}}, wait(ctx)
	}, nil
}
