// Package approval decides which tool calls may run: by themselves, after the
// person behind the host has been asked, or not at all.
//
// Policy decides and is pure; a Gate stands before the tools of a session, asks,
// and remembers.
package approval

import (
	"strings"

	"veyyon.dev/veyyon/core/tool"
)

// Mode says which tiers of tools run without asking (facts/platform 7.1).
type Mode string

// The modes, from careful to careless. Plan asks nobody: what may change
// something is refused.
const (
	Plan     Mode = "plan"
	Ask      Mode = "ask"
	AutoEdit Mode = "auto-edit"
	Yolo     Mode = "yolo"
)

// ParseMode reads the name of a mode, also one of the older names.
func ParseMode(name string) (m Mode, ok bool) {
	switch name {
	case "always-ask":
		return Ask, true
	case "write":
		return AutoEdit, true
	}
	m = Mode(name)
	return m, m == Plan || m == Ask || m == AutoEdit || m == Yolo
}

// runs tells whether a tool of this tier runs without asking.
func (m Mode) runs(tier tool.Tier) bool {
	switch tier {
	case tool.TierRead:
		return true
	case tool.TierWrite:
		return m == AutoEdit || m == Yolo
	default: // one that was not declared may do anything
		return m == Yolo
	}
}

// A Verdict is what becomes of a call.
type Verdict string

// The verdicts, as rules name them.
const (
	Allow  Verdict = "allow"
	Prompt Verdict = "prompt" // the person is asked
	Deny   Verdict = "deny"
)

func parseVerdict(word string) (v Verdict, ok bool) {
	v = Verdict(strings.ToLower(strings.TrimSpace(word)))
	return v, v == Allow || v == Prompt || v == Deny
}
