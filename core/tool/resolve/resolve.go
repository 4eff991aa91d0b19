// Package resolve hands in the plan of a session in plan mode: the person approves
// it, and the work begins, or wants it refined.
package resolve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
)

// The texts that are agreed on (facts/acp 11). The first %s is the plan's file.
const (
	approvedText  = "Plan approved at %s. Plan mode exited; proceed with the implementation."
	refineText    = "Plan refinement requested. Update the plan file, then call `resolve { action: \"apply\" }` again when ready."
	discardedText = "Plan discarded. Plan mode stays on."
)

// maxPlan is how long a plan may be that the person is shown, in bytes.
const maxPlan = 256 << 10

const description = `Hand in the plan when you are in plan mode. "apply" asks the person to approve the plan in the plan file; "discard" drops the thought of it.`

const parameters = `{
  "type": "object",
  "properties": {
    "action": {"type": "string", "enum": ["apply", "discard"]},
    "reason": {"type": "string", "description": "Why, in a sentence"},
    "extra": {"type": "object", "properties": {"title": {"type": "string", "description": "What the plan is called"}}}
  },
  "required": ["action"],
  "additionalProperties": false
}`

// New returns the tool. planner asks the person; nil when nobody can be asked, and
// then each plan is to be refined.
func New(planner host.Planner) tool.Tool { return resolver{planner} }

type resolver struct{ planner host.Planner }

func (resolver) Spec() tool.Spec {
	return tool.Spec{
		Name: "resolve", Label: "Resolve", Description: description, Parameters: json.RawMessage(parameters), Exclusive: true, Tier: tool.TierRead,
	}
}

func (r resolver) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Action string `json:"action"`
		Extra  struct {
			Title string `json:"title"`
		} `json:"extra"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	mode, ok := session.PlanOf(call.Session)
	if !ok || !mode.On() {
		return tool.Output{}, session.ErrNotPlanning
	}
	if args.Action == "discard" {
		return tool.TextOutput(discardedText), nil
	}
	text, err := planIn(call.Session)
	if err != nil {
		return tool.Output{}, err
	}
	if r.planner == nil {
		return tool.TextOutput(refineText), nil
	}
	approved, err := r.planner.Approve(ctx, host.Plan{CallID: call.ID, Title: cmp.Or(args.Extra.Title, "Plan"), Text: text})
	switch {
	case err != nil:
		return tool.Output{}, err
	case !approved:
		return tool.TextOutput(refineText), nil
	}
	if err := mode.Approved(); err != nil {
		return tool.Output{}, err
	}
	return tool.TextOutput(fmt.Sprintf(approvedText, session.PlanFile)), nil
}

// planIn is the text of the plan of a session.
func planIn(of tool.Session) (string, error) {
	path, err := session.Local(of, session.PlanFile)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		//lint:ignore ST1005 the text is fixed (facts/acp 11)
		return "", fmt.Errorf("Plan file not found: write the plan to %s first", session.PlanFile)
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", session.PlanFile, err)
	case info.Size() > maxPlan:
		return "", fmt.Errorf("the plan in %s is longer than %d bytes; make it shorter", session.PlanFile, maxPlan)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", session.PlanFile, err)
	}
	return string(raw), nil
}
