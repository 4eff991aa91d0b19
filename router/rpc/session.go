package rpc

import (
	"context"

	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
)

func (c *commands) switchSession(ctx context.Context, path string) (router.Answer, error) {
	change, release, err := c.agent.SwitchSession(ctx, path)
	return router.Answer{Data: change, Then: release}, err
}

// exported is the data of export_html.
type exported struct {
	Path string `json:"path"`
}

func (c *commands) exportHTML(ctx context.Context, path string) (router.Finish, error) {
	write, err := c.agent.ExportHTML(ctx, path)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (router.Answer, error) {
		written, err := write(ctx)
		return router.Answer{Data: exported{written}}, err
	}, nil
}

func (c *commands) branch(ctx context.Context, entryID string) (router.Answer, error) {
	branched, err := c.agent.Branch(ctx, entryID)
	return router.Answer{Data: branched}, err
}

// lastText is the data of get_last_assistant_text; Text is null when there is
// no such message.
type lastText struct {
	Text *string `json:"text"`
}

func (c *commands) lastAssistantText(ctx context.Context, _ struct{}) (router.Answer, error) {
	text, ok, err := c.agent.LastAssistantText(ctx)
	if !ok {
		return router.Answer{Data: lastText{}}, err
	}
	return router.Answer{Data: lastText{&text}}, err
}

// handoff is answered when the new session stands; what waited for that begins
// behind the answer.
func (c *commands) handoff(ctx context.Context, instructions string) (router.Finish, error) {
	run, err := c.agent.Handoff(ctx, instructions)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (router.Answer, error) {
		done, release, err := run(ctx)
		if done == nil {
			return router.Answer{Data: frames.Null}, err
		}
		return router.Answer{Data: done, Then: release}, err
	}, nil
}
