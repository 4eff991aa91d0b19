package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/host"
	wire "veyyon.dev/veyyon/frames/acp"
)

// forms implements host.UI by forms of one field, for a client that has them.
//
// Protocol: facts/acp 9.3.
type forms struct{ session *session }

// errFormTimeout is why a form is taken back that nobody has filled in.
var errFormTimeout = errors.New("nobody has answered in time")

// Ask implements host.UI. Whatever is no answer of the right kind is a dismissal.
func (f forms) Ask(ctx context.Context, d host.Dialog) (host.Answer, error) {
	form, timeout := formOf(d)
	form.SessionID = f.session.id
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if timeout > 0 {
		defer time.AfterFunc(timeout, func() { cancel(errFormTimeout) }).Stop()
	}
	result, err := f.session.ask(asking, wire.ElicitationMethod, form)
	switch {
	case errors.Is(context.Cause(asking), errFormTimeout):
		return host.Answer{TimedOut: true}, nil
	case ctx.Err() != nil, errors.Is(err, host.ErrGone):
		return host.Answer{}, err
	case err != nil:
		return host.Answer{}, nil // a client that cannot show it has not asked the person
	}
	value := wire.Accepted(result)
	if _, ok := d.(host.Confirm); ok {
		return host.Answer{Confirmed: string(value) == "true"}, nil
	}
	var text string
	if len(value) == 0 || json.Unmarshal(value, &text) != nil {
		return host.Answer{}, nil
	}
	return host.Answer{Value: text, Given: true}, nil
}

// formOf is a dialog as a form.
func formOf(d host.Dialog) (form wire.Elicitation, timeout time.Duration) {
	field := wire.Field{Type: "string"}
	message := ""
	switch d := d.(type) {
	case host.Select:
		message, field.Enum, timeout = d.Title, d.Options, d.Timeout
	case host.Confirm:
		message, field.Type, timeout = d.Title, "boolean", d.Timeout
		if strings.TrimSpace(d.Message) != "" {
			message += "\n\n" + d.Message
		}
	case host.Input:
		message, field.Description, timeout = d.Title, d.Placeholder, d.Timeout
	case host.Editor:
		message, field.Description = d.Title, d.Prefill
	}
	return wire.Elicitation{
		Mode: "form", Message: message,
		Schema: wire.Form{Type: "object", Properties: wire.Fields{Value: field}, Required: []string{"value"}},
	}, timeout
}

// Show implements host.UI: a message is told as a notice where the client takes
// those. It has no place for the rest.
func (f forms) Show(n host.Notice) error {
	if m, ok := n.(host.Message); ok && f.session.notices {
		f.session.sink.send(wire.Notice{Update: "notice", Severity: m.Level, Title: m.Text})
	}
	return nil
}
