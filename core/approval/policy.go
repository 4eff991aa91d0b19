package approval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/approval/command"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// shellTool is the tool whose argument is a line of a shell.
const shellTool = "bash"

// A Policy is what flags and settings say. The zero value denies nothing and
// asks about all but reading. It is never changed.
type Policy struct {
	Mode  Mode
	Rules map[string]Rule // by tool, in small letters
	// Careful asks about shell lines, and edits that delete or move files, where
	// Mode is Yolo since nobody has chosen one (facts/acp 10.3).
	Careful bool
	// Foreign says that the shell is not bash, so that nothing is known of its
	// lines.
	Foreign bool
}

// A Call is what is decided about.
type Call struct {
	Tool string
	Tier tool.Tier
	Args json.RawMessage
	Dir  string // the session's working directory, absolute
	// Within are the directories that the session may work in without being
	// asked; nil is Dir.
	Within []string
	// Homes are the directories in which rules hold for programs that are named by
	// a relative path; nil is Dir.
	Homes []string
}

// A Decision is the verdict about a call and why.
type Decision struct {
	Verdict Verdict
	// Reason is for the person who is asked, "" when the mode says it all; of a
	// denial it is the text for the model.
	Reason string
	// Again says that the person is asked each time, whatever was said before.
	Again bool

	outcome Outcome // of a denial; "" is Blocked
}

// Decide says what becomes of a call (facts/platform 7.2).
func (p Policy) Decide(c Call) Decision {
	rule := p.Rules[strings.ToLower(c.Tool)]
	if rule.Verdict == Deny {
		return Decision{Verdict: Deny, Reason: blocked(c.Tool)}
	}
	if p.Careful && (c.Tool == shellTool || c.fate() != "") {
		p.Mode = Ask
	}
	if p.Mode == Yolo && rule.Verdict != Prompt && !rule.patterned() {
		return Decision{Verdict: Allow}
	}
	var line command.Line
	if c.Tool == shellTool {
		line = p.line(c)
	}
	if d := forbidden(rule, line); d.Verdict != "" {
		return d
	}
	if p.Mode == Yolo {
		if rule.Verdict == Prompt {
			return Decision{Verdict: Prompt}
		}
		return Decision{Verdict: Allow}
	}
	d := p.usual(c, rule, line)
	outside := c.outside()
	switch {
	case d.Verdict == Deny:
		return d
	case line.Critical:
		return Decision{Verdict: Prompt, Reason: "Critical pattern detected", Again: true}
	case len(outside) > 0:
		return Decision{Verdict: Prompt, Again: true, Reason: fmt.Sprintf(
			"Path is outside the session working directory (%s): %s. Tools are expected to stay inside.", c.Dir, strings.Join(outside, ", "))}
	}
	return d
}

// usual is the decision about a call that is neither forbidden nor out of the
// ordinary.
func (p Policy) usual(c Call, rule Rule, line command.Line) Decision {
	switch {
	case rule.Verdict != "":
		return Decision{Verdict: rule.Verdict}
	case allowed(rule, line):
		return Decision{Verdict: Allow}
	case p.Mode.runs(c.Tier):
		return Decision{Verdict: Allow}
	case p.Mode == Plan:
		return Decision{Verdict: Deny, Reason: planText(c)}
	}
	return Decision{Verdict: Prompt, Reason: doubts(rule, line)}
}

func planText(c Call) string {
	return fmt.Sprintf("Tool %q is blocked in plan mode: only tools that read may run.", c.Tool)
}

func blocked(name string) string {
	return fmt.Sprintf("Tool %q is blocked by user policy.\nTo allow: remove \"tools.approval.%s: deny\" from config.", name, name)
}

// forbidden holds a line against the patterns that deny and ask.
func forbidden(rule Rule, line command.Line) Decision {
	for _, p := range rule.Deny {
		if found(p, line) == command.Yes {
			return Decision{Verdict: Deny, Reason: fmt.Sprintf(
				"Tool %q is blocked by user policy: the command matches %q.\nTo allow: remove it from \"tools.approval.%s.deny\" in config.", shellTool, p, shellTool)}
		}
	}
	for _, p := range append(rule.Deny[:len(rule.Deny):len(rule.Deny)], rule.Prompt...) {
		if found(p, line) != command.No {
			return Decision{Verdict: Prompt, Reason: fmt.Sprintf("The command matches %q, or may", p), Again: true}
		}
	}
	if line.Hidden && len(rule.Deny)+len(rule.Prompt) > 0 {
		return Decision{Verdict: Prompt, Reason: "What the command runs is not known for certain: " + strings.Join(line.Doubts, "; "), Again: true}
	}
	return Decision{}
}

func found(p command.Pattern, line command.Line) (found command.Finding) {
	for _, call := range line.Calls {
		found = max(found, p.Finds(call))
	}
	return found
}

// allowed tells whether every command of the line is allowed.
func allowed(rule Rule, line command.Line) bool {
	if len(rule.Allow) == 0 || len(line.Doubts) > 0 || line.Hidden {
		return false
	}
	for _, call := range line.Calls {
		if call.Role == command.Plain && !covered(rule, call) {
			return false
		}
	}
	return true
}

func covered(rule Rule, call command.Call) bool {
	for _, p := range rule.Allow {
		if p.Covers(call) {
			return true
		}
	}
	return false
}

// doubts says why no pattern allows a line, "" when there are none.
func doubts(rule Rule, line command.Line) string {
	if len(rule.Allow) == 0 || len(line.Doubts) == 0 {
		return ""
	}
	return "No rule holds for the command: " + strings.Join(line.Doubts, "; ")
}

// line reads the line of a call of the shell.
func (p Policy) line(c Call) command.Line {
	var args shellArguments
	if json.Unmarshal(c.Args, &args) != nil {
		return command.Line{Hidden: true, Doubts: []string{"the arguments cannot be read"}}
	}
	where := file.Resolve(c.Dir, args.Cwd) // the shell takes ~ for a name, and then does not start
	homes := c.Homes
	if homes == nil {
		homes = []string{c.Dir}
	}
	place := command.Place{Moved: !slices.Contains(homes, where), Outside: len(c.beyond(where)) > 0}
	for name := range args.Env {
		place.Env = append(place.Env, name)
	}
	line := command.Read(args.Command, place)
	if p.Foreign {
		line.Hidden = true
		line.Doubts = append(line.Doubts, "the shell is not bash")
	}
	return line
}

type shellArguments struct {
	Command string            `json:"command"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
}
