package rpc

import (
	"context"

	wire "veyyon.dev/veyyon/frames/rpc"

	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/router"
)

// messagesPage looks at the messages in its turn, and is encoded beside the
// lane: a page may be a megabyte.
func (c *commands) messagesPage(ctx context.Context, p wire.MessagesPage) (router.Finish, error) {
	encode, err := c.agent.MessagesPage(ctx, session.PageRequest(p))
	if err != nil {
		return nil, err
	}
	return func(context.Context) (router.Answer, error) {
		page, err := encode()
		return router.Answer{Data: page}, err
	}, nil
}
