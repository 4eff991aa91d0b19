package config

import (
	"math"
	"slices"
)

// renamed lists settings that were called otherwise, in the order tried. A new
// name in the same file wins.
var renamed = []struct{ old, now []string }{
	{[]string{"queueMode"}, SteeringMode.path},
	{[]string{"compactionModel"}, CompactionModel.path},
	{[]string{"task", "isolation", "mode"}, AgentIsolation.path},
	{[]string{"task", "isolation", "enabled"}, AgentIsolation.path},
	{[]string{"task", "isolation", "merge"}, AgentMerge.path},
	{[]string{"task", "isolation", "commits"}, AgentCommits.path},
	{[]string{"task", "eager"}, AgentDelegation.path},
	{[]string{"task", "batch"}, AgentBatch.path},
	{[]string{"task", "maxConcurrency"}, AgentConcurrency.path},
	{[]string{"task", "maxRecursionDepth"}, AgentDepth.path},
}

// modernize turns older spellings of settings into today's.
func modernize(tree map[string]any) {
	roomForReminders(tree)
	for _, r := range renamed {
		v, ok := lookup(tree, r.old)
		if !ok {
			continue
		}
		drop(tree, r.old)
		if _, taken := lookup(tree, r.now); !taken {
			put(tree, r.now, v)
		}
	}
	inSeconds(tree, AskTimeout.path)
	replace(tree, AgentIsolation.path, map[any]any{true: "auto", false: "none", "worktree": "rcopy", "fuse-overlay": "overlayfs", "fuse-projfs": "projfs"})
	replace(tree, AgentDelegation.path, map[any]any{true: "always", false: "default"})
	replace(tree, TodoEager.path, map[any]any{true: "always", false: "default"})
	replace(tree, EditMode.path, map[any]any{"atom": "hashline", "vim": "hashline"})
	replace(tree, CompactionStrategy.path, map[any]any{"shake-summary": "handoff"})
}

// longestAsk is more seconds than anybody wants to wait for an answer; a larger
// number was meant as milliseconds.
const longestAsk = 1000

func inSeconds(tree map[string]any, path []string) {
	if v, _ := lookup(tree, path); v != nil {
		if n, ok := toFloat(v); ok && n > longestAsk {
			put(tree, path, math.Round(n/1000))
		}
	}
}

// roomForReminders makes a mapping of `todo.reminders: false`, since
// `todo.reminders.max` is a setting too.
func roomForReminders(tree map[string]any) {
	path := TodoReminders.path[:2]
	v, ok := lookup(tree, path)
	if _, is := v.(map[string]any); ok && v != nil && !is {
		put(tree, path, map[string]any{"enabled": v})
	}
}

// replace turns single values of a setting into others.
func replace(tree map[string]any, path []string, by map[any]any) {
	v, _ := lookup(tree, path)
	switch v.(type) {
	case string, bool:
		if now, ok := by[v]; ok {
			put(tree, path, now)
		}
	}
}

// groups are the mappings that hold known settings, outer ones first.
func groups() [][]string {
	var out [][]string
	seen := map[string]bool{}
	for _, s := range table {
		for n := 1; n < len(s.path); n++ {
			name := join(s.path[:n])
			if !seen[name] {
				seen[name] = true
				out = append(out, s.path[:n])
			}
		}
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(a) - len(b) })
	return out
}
