package main

import (
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/session"
)

// fallback reads the models that take over from others. What is no list of
// names is passed over.
func fallback(s *config.Settings) session.Fallback {
	f := session.Fallback{Chains: map[string][]string{}, Keep: config.FallbackRevert.Of(s) == "never"}
	if !config.ModelFallback.Of(s) {
		return f
	}
	for key, value := range config.FallbackChains.Of(s) {
		if name, ok := value.(string); ok {
			value = []any{name}
		}
		names, _ := value.([]any)
		for _, name := range names {
			if name, ok := name.(string); ok {
				f.Chains[key] = append(f.Chains[key], name)
			}
		}
	}
	return f
}

func reminders(s *config.Settings) session.Todo {
	on := config.TodoOn.Of(s)
	t := session.Todo{AutoClear: on}
	if on && config.TodoReminders.Of(s) {
		t.Reminders = config.TodoMax.Of(s)
	}
	return t
}

func budget(s *config.Settings) session.Budget {
	b := session.Budget{
		Turns: config.SessionTurns.Of(s), Tokens: config.SessionTokens.Of(s),
		Repeats: config.LoopThreshold.Of(s), Exempt: words(config.LoopExempt.Of(s)),
	}
	if !config.LoopGuard.Of(s) {
		b.Repeats = -1
	}
	return b
}

// rules reads the rules that hold for a session that works in dir. One with a
// fault is told of and passed over.
func (l *launch) rules(dir string) *rule.Set {
	s := l.settings
	if l.flags.NoRules || !config.RulesOn.Of(s) {
		return nil
	}
	from := rule.Sources{Dir: dir, Agent: l.dirs.Agent, Disabled: words(config.RulesDisabled.Of(s))}
	set, faults := rule.Load(from, rule.Options{
		Interrupt: rule.Mode(config.RulesStop.Of(s)), Keep: config.RulesContext.Of(s) == "keep",
		AfterGap: config.RulesRepeat.Of(s) == "after-gap", Gap: config.RulesGap.Of(s),
	})
	for _, fault := range faults {
		l.warnOnce("a rule was passed over", fault)
	}
	return set
}
