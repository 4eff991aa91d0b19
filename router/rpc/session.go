package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/router"
)

var errInMemory = fault.New(fault.Invalid, "Cannot export in-memory session to HTML")

func (c *commands) switchSession(ctx context.Context, path string) (router.Answer, error) {
	change, err := c.agent.SwitchSession(ctx, path)
	return router.Answer{Data: change}, err
}

func (c *commands) exportHTML(ctx context.Context, _ string) (router.Finish, error) {
	inMemory, err := c.agent.InMemory(ctx)
	if err != nil {
		return nil, err
	}
	if inMemory {
		return nil, errInMemory
	}
	return nil, notImplemented("export_html")
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
