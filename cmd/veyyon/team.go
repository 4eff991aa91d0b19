package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/subagent"
)

// newTeam is what runs the agents that the model starts, as the settings have it.
func (l *launch) newTeam() *subagent.Team {
	s := l.settings
	team := subagent.New(subagent.Options{
		UserDir: filepath.Join(l.dirs.Agent, "agents"), Agents: config.Agents.Of(s), Resolve: l.resolve, Model: config.AgentModel.Of(s),
		Requests: config.AgentRequests.Of(s), Silent: !config.AgentNotice.Of(s), Runtime: time.Duration(config.AgentRuntime.Of(s)) * time.Millisecond,
		System:      l.library.Agent,
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
