package main

import (
	"fmt"
	"time"

	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/router/acp"
)

// approval says which tool calls run, and who is asked about the others. Under
// both protocols the host is.
func (l *launch) approval(approver host.Approver, runner *shell.Runner) *approval.Options {
	s := l.settings
	rules, faults := approval.ParseRules(config.Approval.Of(s))
	for _, fault := range faults {
		l.warn("a setting was not understood", fault)
	}
	for alias, name := range toolAliases {
		if _, has := rules[name]; !has {
			if rule, old := rules[alias]; old {
				rules[name] = rule
			}
		}
	}
	o := &approval.Options{
		Policy:   approval.Policy{Mode: l.approvalMode(), Rules: rules, Foreign: !runner.Bash()},
		Approver: approver, Timeout: time.Duration(config.ApprovalTimeout.Of(s)) * time.Second,
		Remember: config.ApprovalMemory.Of(s), Bypass: l.flags.SkipAsking,
	}
	if l.flags.Mode == modeACP {
		_, given := config.ApprovalMode.Given(s)
		o.Policy.Careful = l.flags.ApprovalMode == "" && !l.flags.Yolo && !given
		o.Remember, o.Kinds, o.Texts = true, true, acp.PermissionTexts
	}
	return o
}

// approvalMode is that of the flags, or else of the settings. Of a flag that is
// not understood it is the one that asks, as for the setting.
func (l *launch) approvalMode() approval.Mode {
	name := config.ApprovalMode.Of(l.settings)
	switch {
	case l.flags.ApprovalMode != "":
		name = l.flags.ApprovalMode
	case l.flags.Yolo:
		name = string(approval.Yolo)
	}
	mode, ok := approval.ParseMode(name)
	if !ok {
		l.warn("a flag was not understood", fmt.Errorf(`--approval-mode %q is not recognized; falling back to "ask" (safe). Valid values: plan, ask, auto-edit, yolo, always-ask, write`, name))
		return approval.Ask
	}
	return mode
}
