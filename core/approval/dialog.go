package approval

import (
	"context"

	"veyyon.dev/veyyon/core/host"
)

// What the dialog offers. The wider answers hold for all calls of the tool in
// the session.
const (
	answerApprove    = "Approve"
	answerApproveAll = "Approve for this session"
	answerDeny       = "Deny"
	answerDenyAll    = "Deny for this session"
)

// Dialogs asks the person by dialogs that offer answers to choose from.
//
// Protocol: "Extension UI Sub-Protocol"; facts/platform 7.4.
type Dialogs struct{ UI host.UI }

// Approve implements host.Approver. An answer that was not offered is a denial.
func (d Dialogs) Approve(ctx context.Context, p host.Permission) (host.Grant, error) {
	offered := []string{answerApprove, answerDeny}
	switch {
	case p.LastingAllow:
		offered = []string{answerApprove, answerApproveAll, answerDeny, answerDenyAll}
	case p.Lasting:
		offered = []string{answerApprove, answerDeny, answerDenyAll}
	}
	answer, err := d.UI.Ask(ctx, host.Select{Title: p.Text, Options: offered, Timeout: p.Timeout})
	switch {
	case err != nil:
		return "", err
	case answer.TimedOut:
		return host.TimedOut, nil
	case !answer.Given:
		return host.Dismissed, nil
	}
	switch value := answer.Value; {
	case value == answerApprove:
		return host.Allowed, nil
	case value == answerApproveAll && p.LastingAllow:
		return host.AllowedAlways, nil
	case value == answerDenyAll && p.Lasting:
		return host.DeniedAlways, nil
	}
	return host.Denied, nil
}
