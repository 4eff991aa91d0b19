// Package rule holds what models write against the rules of profile and
// project, while it streams in.
//
// Source: facts/agent 6.1.
package rule

import (
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/event"
)

// Mode says which broken rules cut an answer off.
type Mode string

// The modes. Prose is text and thinking.
const (
	Always    Mode = "always"
	ProseOnly Mode = "prose-only"
	ToolOnly  Mode = "tool-only"
	Never     Mode = "never"
)

// A Rule is one file of rules. It is never changed.
type Rule struct {
	event.Rule // as hosts see it

	conditions []condition
	scopes     []scope // never empty
	mode       Mode    // "" is that of the set
}

// steps is what the rule's conditions cost.
func (r *Rule) steps() int {
	n := 0
	for _, c := range r.conditions {
		n += c.steps()
	}
	return n
}

// Options are the settings ttsr.*.
type Options struct {
	Interrupt Mode
	Keep      bool // an answer that was cut off stays in the context
	AfterGap  bool // a rule is heard again after Gap turns, else once a session
	Gap       int
}

// A Set is the rules that hold in one folder. It is never changed.
type Set struct {
	rules []*Rule
	opts  Options
	dir   string // that paths in tool calls are relative to
}

// Keep tells whether an answer that was cut off stays in the context.
func (s *Set) Keep() bool { return s.opts.Keep }

// interrupts tells whether a match in such a stream cuts the answer off.
func (s *Set) interrupts(r *Rule, k kind) bool {
	mode := r.mode
	if mode == "" {
		mode = s.opts.Interrupt
	}
	switch mode {
	case Never:
		return false
	case ProseOnly:
		return k != tools
	case ToolOnly:
		return k == tools
	}
	return true
}

// Names lists the names of rules.
func Names(rules []*Rule) []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.Name
	}
	return names
}

// Reason is why an answer was cut off, in the protocol's words.
func Reason(rules []*Rule) string {
	noun := "rule"
	if len(rules) > 1 {
		noun = "rules"
	}
	return fmt.Sprintf("TTSR matched %s: %s", noun, strings.Join(Names(rules), ", "))
}

// Interruption tells the model why its answer was cut off.
func Interruption(rules []*Rule) string {
	return "Your answer was stopped since it broke a rule. Follow the rule and go on from before it.\n\n" + blocks("system-interrupt", rules)
}

// Reminder tells the model of rules that it broke without being stopped.
func Reminder(rules []*Rule) string { return blocks("system-reminder", rules) }

var quoted = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", "\n", " ")

func blocks(tag string, rules []*Rule) string {
	var b strings.Builder
	for i, r := range rules {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "<%s reason=\"rule_violation\" rule=\"%s\" path=\"%s\">\n%s\n</%s>", tag, quoted.Replace(r.Name), quoted.Replace(r.Path), r.Content, tag)
	}
	return b.String()
}
