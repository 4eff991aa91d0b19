package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

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

// Texts are the words in which models hear of what a person said. The zero Texts
// are those of facts/platform 7.4. Each %s is the tool.
type Texts struct{ Denied, DeniedBefore, Dismissed string }

const deniedText = "Tool call denied by user: %s"

func (t Texts) denied(tool string) string    { return filled(t.Denied, tool) }
func (t Texts) before(tool string) string    { return filled(t.DeniedBefore, tool) }
func (t Texts) dismissed(tool string) string { return filled(t.Dismissed, tool) }

func filled(text, tool string) string {
	return strings.ReplaceAll(cmp.Or(text, deniedText), "%s", tool)
}

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
