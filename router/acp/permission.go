package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

// PermissionTexts are the words in which models hear of permissions that were not
// given (facts/acp 10.2).
var PermissionTexts = approval.Texts{
	Denied: "Tool call rejected by user (%s)", DeniedBefore: "Tool call rejected by user (preference)", Dismissed: "Permission request cancelled",
}

// options are the answers to choose from, by what the person means with them.
var permissionOptions = []struct {
	grant  host.Grant
	option wire.PermissionOption
}{
	{host.Allowed, wire.PermissionOption{OptionID: "allow_once", Name: "Allow once", Kind: "allow_once"}},
	{host.AllowedAlways, wire.PermissionOption{OptionID: "allow_always", Name: "Always allow", Kind: "allow_always"}},
	{host.Denied, wire.PermissionOption{OptionID: "reject_once", Name: "Reject", Kind: "reject_once"}},
	{host.DeniedAlways, wire.PermissionOption{OptionID: "reject_always", Name: "Always reject", Kind: "reject_always"}},
}

// permissions implements host.Approver for a session.
//
// Protocol: "Prompting"; facts/acp 10.
type permissions struct{ session *session }

// Approve implements host.Approver.
func (p permissions) Approve(ctx context.Context, asked host.Permission) (host.Grant, error) {
	var offered []wire.PermissionOption
	for _, o := range permissionOptions {
		if o.grant == host.AllowedAlways && !asked.LastingAllow || o.grant == host.DeniedAlways && !asked.Lasting {
			continue
		}
		offered = append(offered, o.option)
	}
	c := newCall(asked.Tool, asked.Args)
	call := c.announced(asked.CallID, statusPending, p.session.agent.Dir())
	call.Update, call.Title = "", asked.Title
	if call.Content == nil {
		call.Content = textContent(asked.Text)
	}
	chosen, err := p.session.choose(ctx, call, offered)
	if err != nil || chosen == "" {
		return host.Dismissed, err
	}
	for _, o := range permissionOptions {
		if o.option.OptionID == chosen && slices.Contains(offered, o.option) {
			return o.grant, nil
		}
	}
	//lint:ignore ST1005 the text is fixed (facts/acp 2)
	return "", fmt.Errorf("Tool permission response used unknown option ID: %s", chosen)
}

// choose lets the person choose an option about a call; "" when the client takes
// the question for cancelled.
func (one *session) choose(ctx context.Context, call wire.ToolCall, options []wire.PermissionOption) (string, error) {
	result, err := one.ask(ctx, wire.PermissionMethod, wire.Permission{SessionID: one.id, ToolCall: call, Options: options})
	if err != nil {
		return "", err
	}
	return wire.Chosen(result)
}

// ask puts a request to the client and waits for its result. The error is the
// cause of ctx, and then the request is taken back; host.ErrGone; or that of the
// client.
func (one *session) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	reply, err := one.server.ledger.Ask(ctx, router.Question{
		Name: method, Body: params, Reply: wire.ReplyKind,
		Cancel: func(_, target string) frames.Outbound {
			return frames.Note{Name: wire.CancelMethod, Body: wire.TakeBack{RequestID: json.Number(target)}}
		},
	}, nil)
	if err != nil {
		return nil, err
	}
	answer := reply.Body.(wire.Reply)
	return answer.Result, answer.Err
}
