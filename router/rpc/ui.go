package rpc

import (
	"context"

	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// UI implements host.UI over the wire.
//
// Protocol: "Extension UI Sub-Protocol"; facts/rpc 9.
type UI struct{ Ledger *router.Ledger }

// Select implements host.UI. The value need not be one of the options.
func (u UI) Select(ctx context.Context, title string, options []string) (string, bool, error) {
	return u.value(ctx, wire.UISelect{Method: "select", Title: title, Options: options})
}

// Editor implements host.UI.
func (u UI) Editor(ctx context.Context, title, prefill string) (string, bool, error) {
	return u.value(ctx, wire.UIEditor{Method: "editor", Title: title, Prefill: prefill})
}

// value asks for a text. The dialog of an asker that has gone is taken back, so
// that the person does not answer the next one by mistake.
func (u UI) value(ctx context.Context, dialog any) (string, bool, error) {
	question := router.Question{
		Name: wire.UIRequestName, Body: dialog, Reply: wire.UIResponseName,
		Cancel: func(id, target string) frames.Outbound {
			return frames.Note{Name: wire.UIRequestName, Body: wire.UICancel{ID: id, Method: "cancel", TargetID: target}}
		},
	}
	reply, err := u.Ledger.Ask(ctx, question, nil)
	if err != nil {
		return "", false, unanswered(err, "RPC client disconnected before extension UI response completed", err.Error())
	}
	response := reply.Body.(wire.UIResponse)
	if response.Cancelled || response.Value == nil {
		return "", false, nil
	}
	return *response.Value, true, nil
}
