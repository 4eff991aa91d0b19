package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/subagent"
)

// newTeam is what runs the agents that the model starts, as the settings have it.
func (l *launch) newTeam() *subagent.Team {
	s := l.settings
	team := subagent.New(subagent.Options{
		UserDir: filepath.Join(l.dirs.Agent, "agents"), Agents: config.Agents.Of(s), Resolve: l.resolve,
		System:      l.library.Local,
		Concurrency: config.AgentConcurrency.Of(s), Depth: config.AgentDepth.Of(s),
		MaxBytes: positive("VEYYON_TASK_MAX_OUTPUT_BYTES"), MaxLines: positive("VEYYON_TASK_MAX_OUTPUT_LINES"),
		Isolation: config.AgentIsolation.Of(s), Merge: config.AgentMerge.Of(s), Commits: config.AgentCommits.Of(s), Blobs: l.dirs.Blobs, Env: l.childEnv(),
	})
	for _, text := range team.Agents(l.dir).Warnings {
		l.warn("an agent was passed over", fmt.Errorf("%s", text))
	}
	return team
}

// positive is a variable of the environment that holds a number above 0, or else
// 0.
func positive(name string) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return 0
	}
	return max(n, 0)
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
