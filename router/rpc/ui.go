package rpc

import (
	"context"
	"errors"
	"time"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// UI implements host.UI over the wire.
//
// Protocol: "Extension UI Sub-Protocol"; facts/rpc 9.
type UI struct {
	Ledger *router.Ledger
	// Titles lets window titles through, which most hosts have no place for.
	Titles bool
}

// Ask implements host.UI. The dialog of an asker that has gone is taken back, so
// that the person does not answer the next one by mistake. A Select's value need
// not be one of its options, and an answer of the wrong shape is a dismissal.
func (u UI) Ask(ctx context.Context, d host.Dialog) (host.Answer, error) {
	body, timeout := dialog(d)
	reply, err := u.Ledger.Ask(ctx, router.Question{
		Name: wire.UIRequestName, Body: body, Reply: wire.UIResponseName, Timeout: timeout,
		Cancel: func(id, target string) frames.Outbound {
			return frames.Note{Name: wire.UIRequestName, Body: wire.UICancel{ID: id, Method: "cancel", TargetID: target}}
		},
	}, nil)
	switch {
	case errors.Is(err, router.ErrTimedOut):
		return host.Answer{TimedOut: true}, nil
	case err != nil:
		return host.Answer{}, unanswered(err, "RPC client disconnected before extension UI response completed", err.Error())
	}
	response := reply.Body.(wire.UIResponse)
	if response.Cancelled {
		return host.Answer{TimedOut: response.TimedOut}, nil
	}
	if _, ok := d.(host.Confirm); ok {
		return host.Answer{Confirmed: response.Confirmed}, nil
	}
	if response.Value == nil {
		return host.Answer{}, nil
	}
	return host.Answer{Value: *response.Value, Given: true}, nil
}

// dialog is a dialog as the host sees it.
func dialog(d host.Dialog) (body any, timeout time.Duration) {
	switch d := d.(type) {
	case host.Select:
		return wire.UISelect{Method: "select", Title: d.Title, Options: append([]string{}, d.Options...), Timeout: d.Timeout.Milliseconds()}, d.Timeout
	case host.Confirm:
		return wire.UIConfirm{Method: "confirm", Title: d.Title, Message: d.Message, Timeout: d.Timeout.Milliseconds()}, d.Timeout
	case host.Input:
		return wire.UIInput{
			Method: "input", Title: d.Title, Placeholder: d.Placeholder, Secret: d.Secret, Timeout: d.Timeout.Milliseconds(),
		}, d.Timeout
	case host.Editor:
		return wire.UIEditor{Method: "editor", Title: d.Title, Prefill: d.Prefill, PromptStyle: d.Prompt}, 0
	}
	panic("rpc: a dialog of another kind") // host.Dialog is sealed
}

// Show implements host.UI.
func (u UI) Show(n host.Notice) error {
	if _, ok := n.(host.Title); ok && !u.Titles {
		return nil
	}
	return u.Ledger.Tell(wire.UIRequestName, notice(n))
}

// notice is a notice as the host sees it.
func notice(n host.Notice) any {
	switch n := n.(type) {
	case host.Message:
		return wire.UINotify{Method: "notify", Message: n.Text, Type: n.Level}
	case host.Status:
		return wire.UIStatus{Method: "setStatus", Key: n.Key, Text: n.Text}
	case host.Widget:
		return wire.UIWidget{Method: "setWidget", Key: n.Key, Lines: n.Lines, Placement: n.Placement}
	case host.Title:
		return wire.UITitle{Method: "setTitle", Title: n.Text}
	case host.EditorText:
		return wire.UIEditorText{Method: "set_editor_text", Text: n.Text}
	case host.Page:
		return wire.UIOpenURL{
			Method: "open_url", URL: n.URL, LaunchURL: n.LaunchURL, Instructions: n.Instructions, Credential: n.Credential,
		}
	}
	panic("rpc: a notice of another kind") // host.Notice is sealed
}
