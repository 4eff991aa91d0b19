package rpc

import (
	"context"

	"veyyon.dev/veyyon/router"
)

// bash registers the command in its turn, so that abort_bash reaches it even
// while it waits for a worker.
func (c *commands) bash(ctx context.Context, command string) (router.Finish, error) {
	run, err := c.agent.Bash(ctx, command)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (router.Answer, error) {
		result, err := run(ctx)
		return router.Answer{Data: result}, err
	}, nil
}
