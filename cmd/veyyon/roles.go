package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"strings"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
)

// roles takes what the command line and the environment say about models other
// than the session's. A flag that matches no model ends the start.
func (l *launch) roles() error {
	f, roles := l.flags, maps.Clone(config.ModelRoles.Of(l.settings))
	for _, role := range []struct{ name, flag, variable string }{
		{"smol", f.Smol, "VEYYON_SMOL_MODEL"}, {"slow", f.Slow, "VEYYON_SLOW_MODEL"}, {"plan", f.Plan, "VEYYON_PLAN_MODEL"},
	} {
		pattern := cmp.Or(role.flag, os.Getenv(role.variable))
		if pattern == "" {
			continue
		}
		m, level, err := l.models.Match(pattern, "")
		switch {
		case err == nil:
			roles[role.name] = selector(m, level)
		case role.flag != "":
			return fmt.Errorf("--%s: %w", role.name, err)
		default:
			l.warn("a variable was passed over", fmt.Errorf("%s: %w", role.variable, err))
		}
	}
	l.settings = config.ModelRoles.With(l.settings, roles)
	if f.SubagentModel != "" {
		found := f.SubagentModel
		if !strings.HasPrefix(found, "@") {
			m, level, err := l.models.Match(found, "")
			if err != nil {
				return fmt.Errorf("--subagent-model: %w", err)
			}
			found = selector(m, level)
		}
		l.settings = config.AgentModel.With(l.settings, found)
	}
	if f.CompactionModel != "" {
		m, _, err := l.models.Match(f.CompactionModel, "")
		if err != nil {
			return fmt.Errorf("--compaction-model: %w", err)
		}
		l.settings = config.CompactionModel.With(l.settings, m.Ref())
	}
	return nil
}

// selector names the model as resolve reads it.
func selector(m *model.Model, level model.Level) string {
	if level == "" {
		return m.Ref()
	}
	return m.Ref() + ":" + string(level)
}

// resolve finds the model that an agent names: provider/id, or @role of
// modelRoles, with a level behind a colon if it likes.
func (l *launch) resolve(selector string) (*model.Model, model.Level, bool) {
	name, level := registry.SplitLevel(selector)
	if role, ok := strings.CutPrefix(name, "@"); ok {
		ref, _ := config.ModelRoles.Of(l.settings)[role].(string)
		ofRole := model.Level("")
		if name, ofRole = registry.SplitLevel(ref); level == "" {
			level = ofRole
		}
	}
	m, ok := l.models.FindRef(name)
	return m, level, ok && l.models.HasKey(m)
}
