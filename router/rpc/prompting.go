package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/session"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// invoked is the data of a prompt's answer. Protocol: "prompt payload".
type invoked struct {
	AgentInvoked bool `json:"agentInvoked"`
}

func (c *commands) prompt(ctx context.Context, p wire.Prompt, later router.Later) (router.Answer, error) {
	asked, err := c.fitted(p)
	if err != nil {
		return router.Answer{}, err
	}
	asked.Fail, asked.Done, asked.Local = later.Fail, c.result(later), c.stayedLocal(later)
	accepted, err := c.agent.Prompt(ctx, asked)
	answer := router.Answer{Then: accepted.Release}
	if accepted.AgentInvoked != nil {
		answer.Data = invoked{*accepted.AgentInvoked}
	}
	return answer, err
}

// abortAndPrompt never says whether the agent was invoked (the document's "Edge
// behavior from runtime").
func (c *commands) abortAndPrompt(ctx context.Context, p wire.Prompt, later router.Later) (router.Answer, error) {
	asked, err := c.fitted(p)
	if err != nil {
		return router.Answer{}, err
	}
	asked.Fail, asked.Done = later.Fail, c.result(later)
	accepted, err := c.agent.AbortAndPrompt(ctx, asked)
	return router.Answer{Then: accepted.Release}, err
}

func (c *commands) steer(ctx context.Context, p wire.Prompt) (router.Answer, error) {
	asked, err := c.fitted(p)
	if err != nil {
		return router.Answer{}, err
	}
	release, err := c.agent.Steer(ctx, asked)
	return router.Answer{Then: release}, err
}

func (c *commands) followUp(ctx context.Context, p wire.Prompt) (router.Answer, error) {
	asked, err := c.fitted(p)
	if err != nil {
		return router.Answer{}, err
	}
	release, err := c.agent.FollowUp(ctx, asked)
	return router.Answer{Then: release}, err
}

// abort cancels in its turn, and is answered when the run has unwound.
func (c *commands) abort(ctx context.Context, _ struct{}) (router.Finish, error) {
	wait, err := c.agent.Abort(ctx)
	if err != nil || wait == nil {
		return nil, err
	}
	return func(ctx context.Context) (router.Answer, error) { return router.Answer{}, wait(ctx) }, nil
}

func (c *commands) newSession(ctx context.Context, n wire.NewSession) (router.Answer, error) {
	change, err := c.agent.NewSession(ctx, n.Parent, n.Background)
	return router.Answer{Data: change}, err
}

// fitted is what the session is asked. An image that a provider would refuse is
// refused here: in a session's file it would spoil every request to come.
func (c *commands) fitted(p wire.Prompt) (session.Prompt, error) {
	asked := session.Prompt{Text: p.Message, Behavior: p.Behavior}
	for i, image := range p.Images {
		fit, err := picture.FitBlock(c.images, image)
		if err != nil {
			return session.Prompt{}, fault.Newf(fault.Invalid, "images[%d]: %v", i, err)
		}
		asked.Images = append(asked.Images, fit)
	}
	return asked, nil
}
