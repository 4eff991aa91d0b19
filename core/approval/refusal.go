package approval

import (
	"context"
	"errors"
	"fmt"

	"veyyon.dev/veyyon/core/tool"
)

// Outcome says in one word why a call did not run; hosts find it in the details
// of the result.
type Outcome string

// The outcomes.
const (
	Blocked     Outcome = "blocked"     // by a rule or the mode
	Denied      Outcome = "denied"      // by the person
	Dismissed   Outcome = "cancelled"   // the dialog was closed without an answer
	TimedOut    Outcome = "timed_out"   // nobody answered in time
	Unavailable Outcome = "unavailable" // there is nobody to ask
	Aborted     Outcome = "aborted"     // the run ended while the dialog was open
)

// Details are those of a call that was refused.
type Details struct {
	Approval struct {
		Outcome Outcome `json:"outcome"`
	} `json:"approval"`
}

func refused(o Outcome, text string) Decision {
	return Decision{Verdict: Deny, Reason: text, outcome: o}
}

// output is the result of a call that does not run, nil for one that does.
func output(d Decision) *tool.Output {
	if d.Verdict == Allow {
		return nil
	}
	var details Details
	details.Approval.Outcome = Blocked
	if d.outcome != "" {
		details.Approval.Outcome = d.outcome
	}
	out, err := tool.Detailed(tool.ErrorOutput(d.Reason), details)
	if err != nil { // two plain fields always encode
		out = tool.ErrorOutput(d.Reason)
	}
	return &out
}

// The texts that are agreed on (facts/platform 7.4).
func deniedText(c Call) string { return "Tool call denied by user: " + c.Tool }

func unavailable(c Call) Decision {
	return refused(Unavailable, fmt.Sprintf("Tool %q requires approval but no interactive UI available.\nOptions:\n"+
		"  1. Set tools.approvalMode: yolo (or auto-edit / ask) in /settings\n"+
		"  2. Add tools.approval.%s: allow to config\n"+
		"  3. Use an interactive UI to approve the tool call", c.Tool, c.Tool))
}

// interrupted is how a call ends whose dialog was taken back.
func interrupted(ctx context.Context, c Call) Decision {
	cause := context.Cause(ctx)
	if errors.Is(cause, errAway) {
		return unavailable(c)
	}
	return refused(Aborted, fmt.Sprintf("Tool was not executed because the run was aborted: %v.", cause))
}
