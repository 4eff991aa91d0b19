package approval

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/approval/command"
)

// A Rule is what the settings say about one tool: a verdict about all of its
// calls, or patterns for the commands of a shell line.
type Rule struct {
	Verdict             Verdict // "" for none
	Allow, Prompt, Deny []command.Pattern
}

// patterned tells whether the rule looks at commands.
func (r Rule) patterned() bool { return len(r.Allow)+len(r.Prompt)+len(r.Deny) > 0 }

// ParseRules reads the setting tools.approval. What it cannot use it tells, and
// asks about that tool: whoever wrote it wanted something else than the default.
func ParseRules(setting map[string]any) (rules map[string]Rule, faults []error) {
	rules = map[string]Rule{}
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		rule, err := parseRule(name, setting[name])
		if err != nil {
			faults = append(faults, fmt.Errorf("tools.approval.%s: %w; its calls are asked about", name, err))
			rule = Rule{Verdict: Prompt, Deny: rule.Deny}
		}
		rules[strings.ToLower(strings.TrimSpace(name))] = rule
	}
	return rules, faults
}

func parseRule(name string, value any) (Rule, error) {
	switch v := value.(type) {
	case string:
		if verdict, ok := parseVerdict(v); ok {
			return Rule{Verdict: verdict}, nil
		}
		return Rule{}, fmt.Errorf("expected allow, deny or prompt, got %q", v)
	case map[string]any:
		if !strings.EqualFold(strings.TrimSpace(name), shellTool) {
			return Rule{}, fmt.Errorf("only bash has rules for single commands")
		}
		return parsePatterns(v)
	}
	return Rule{}, fmt.Errorf("expected allow, deny or prompt, got %v", value)
}

func parsePatterns(lists map[string]any) (rule Rule, err error) {
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		verdict, ok := parseVerdict(key)
		if !ok {
			err = fmt.Errorf("expected lists of allow, deny and prompt, got %q", key)
			continue
		}
		patterns, wrong := patternList(lists[key])
		if wrong != nil {
			err = wrong
		}
		switch verdict {
		case Allow:
			rule.Allow = patterns
		case Prompt:
			rule.Prompt = patterns
		case Deny:
			rule.Deny = patterns
		}
	}
	return rule, err
}

func patternList(value any) (patterns []command.Pattern, err error) {
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	for _, item := range items {
		text, _ := item.(string)
		p, wrong := command.ParsePattern(text)
		if wrong != nil {
			err = fmt.Errorf("%v is no pattern: %w", item, wrong)
			continue
		}
		patterns = append(patterns, p)
	}
	return patterns, err
}
