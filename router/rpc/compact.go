package rpc

import (
	"context"

	"veyyon.dev/veyyon/router"
)

// compact is admitted in its turn, so that the session counts as compacting for
// the commands behind it, and waits for the model in a pool.
func (c *commands) compact(ctx context.Context, instructions string) (router.Finish, error) {
	run, err := c.agent.Compact(ctx, instructions)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (router.Answer, error) {
		result, err := run(ctx)
		if err != nil {
			return router.Answer{}, err
		}
		return router.Answer{Data: result}, nil
	}, nil
}
