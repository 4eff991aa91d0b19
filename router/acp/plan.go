package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/host"
	wire "veyyon.dev/veyyon/frames/acp"
)

// What the person makes of a plan. Protocol: "Modes".
const (
	approvePlan = "Approve and execute"
	refinePlan  = "Refine plan"
)

// previewLines is how much of a plan a form shows.
const previewLines = 12

// plans implements host.Planner for a session: by a form, or by a permission
// request where the client has no forms (decisions 27).
type plans struct {
	session *session
	forms   bool
}

// Approve implements host.Planner. Only an explicit yes approves.
func (p plans) Approve(ctx context.Context, plan host.Plan) (bool, error) {
	if p.forms {
		answer, err := forms{p.session}.Ask(ctx, host.Select{Title: question(plan), Options: []string{approvePlan, refinePlan}})
		return answer.Given && answer.Value == approvePlan, err
	}
	call := wire.ToolCall{ToolCallID: plan.CallID, Title: plan.Title, Kind: "switch_mode", Status: statusPending, Content: textContent(plan.Text)}
	chosen, err := p.session.choose(ctx, call, []wire.PermissionOption{
		{OptionID: "approve", Name: approvePlan, Kind: "allow_once"}, {OptionID: "refine", Name: refinePlan, Kind: "reject_once"},
	})
	if refused := (*wire.AnswerError)(nil); errors.As(err, &refused) {
		return false, nil // nobody has approved it
	}
	return chosen == "approve", err
}

// question is what a form says: the beginning of the plan.
func question(plan host.Plan) string {
	lines := strings.Split(strings.TrimSpace(plan.Text), "\n")
	preview := strings.Join(lines[:min(len(lines), previewLines)], "\n")
	if len(lines) > previewLines {
		preview += "\n…"
	}
	return fmt.Sprintf("Approve plan %q and start implementation?\n\n%s", plan.Title, preview)
}
