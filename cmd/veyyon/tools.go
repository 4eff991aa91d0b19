package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/ask"
	"veyyon.dev/veyyon/core/tool/bash"
	"veyyon.dev/veyyon/core/tool/edit"
	"veyyon.dev/veyyon/core/tool/glob"
	"veyyon.dev/veyyon/core/tool/grep"
	"veyyon.dev/veyyon/core/tool/job"
	"veyyon.dev/veyyon/core/tool/read"
	"veyyon.dev/veyyon/core/tool/resolve"
	"veyyon.dev/veyyon/core/tool/task"
	"veyyon.dev/veyyon/core/tool/todo"
	"veyyon.dev/veyyon/core/tool/websearch"
	"veyyon.dev/veyyon/core/tool/write"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/router/rpc"
)

// tools are the builtin tools that flags and settings leave.
func (l *launch) tools(runner *shell.Runner, r reach) tool.Set {
	s, locks, texts := l.settings, &file.Locks{}, tool.Texts{Host: r.files, Own: l.owns}
	all := []tool.Tool{
		read.New(read.Options{Texts: texts, URIs: r.uris, Web: l.web(), Documents: newDocuments(), Artifact: session.Artifact, Local: session.Local, Server: readServer(r.servers), Skill: l.skills.File, Limit: config.ReadLimit.Of(s), Tags: l.hashline(), Plain: !l.hashline() && !config.ReadLineNumbers.Of(s), Images: l.images()}),
		write.New(write.Options{Locks: locks, Local: session.Local, Texts: texts, URIs: r.uris, KeepGenerated: config.EditGenerated.Of(s), Tags: l.hashline()}),
		l.editTool(locks, texts),
	}
	optional := func(on bool, t tool.Tool) {
		if on {
			all = append(all, t)
		}
	}
	optional(config.BashOn.Of(s), bash.New(l.bashOptions(runner, r.terminals)))
	optional(config.GrepOn.Of(s), grep.New(config.GrepBefore.Of(s), config.GrepAfter.Of(s)))
	optional(config.GlobOn.Of(s), glob.New())
	optional(config.SearchOn.Of(s), websearch.New(websearch.Options{
		Key: l.searchKey, Chosen: config.SearchService.Of(s), Excluded: words(config.SearchExclude.Of(s)), Agent: agentName(),
	}))
	optional(config.TodoOn.Of(s), todo.New(todo.Options{InMemory: l.flags.NoSession, Eager: config.TodoEager.Of(s)}))
	optional(config.AsyncOn.Of(s), job.New(job.Options{Board: session.Board, Wait: pollWait(config.AsyncPoll.Of(s))}))
	all = append(all, task.New(task.Options{
		Team: l.team, Dir: l.dir, Batch: config.AgentBatch.Of(s), Async: config.AsyncOn.Of(s), Eager: config.AgentDelegation.Of(s) != "default",
	}))
	if r.ask != nil && config.AskOn.Of(s) {
		all = append(all, ask.New(r.ask, time.Duration(config.AskTimeout.Of(s))*time.Second))
	}
	set := tool.NewSet(l.chosen(all)...)
	if l.plans() {
		set = set.With(resolve.New(r.planner)) // whatever tools are chosen: without it nobody leaves plan mode
	}
	return set
}

// readServer reads resources of servers, nil when there are none.
func readServer(servers *mcp.Set) func(context.Context, string) (string, error) {
	if servers == nil {
		return nil
	}
	return servers.ReadResource
}

// plans tells whether sessions have a plan mode: RPC has no command for it.
func (l *launch) plans() bool { return l.flags.Mode == modeACP && config.PlanOn.Of(l.settings) }

// owns tells of files that the host has no part in: those of sessions, and the
// copies that agents work in.
func (l *launch) owns(of tool.Session, path string) bool {
	return session.Owns(of, path) || file.Under(path, l.dirs.Sessions) || subagent.InCopy(path)
}

func (l *launch) bashOptions(runner *shell.Runner, terminals host.Terminals) bash.Options {
	s := l.settings
	opts := bash.Options{
		Runner: runner, Terminal: !l.withUI && !l.flags.NoPty && terminals == nil, Terminals: terminals, Async: config.AsyncOn.Of(s), Board: session.Board,
		Columns: config.ToolMaxColumns.Of(s), MaxTimeout: config.ToolMaxTimeout.Of(s),
	}
	if config.AutoBackground.Of(s) {
		opts.Threshold = milliseconds(config.AutoBackgroundT.Of(s))
	}
	if config.StallDetection.Of(s) {
		opts.Stall = milliseconds(config.StallAfter.Of(s))
	}
	return opts
}

// hashline tells whether models change lines by their numbers.
func (l *launch) hashline() bool { return config.EditMode.Of(l.settings) == edit.ModeHashline }

// editTool is edit in the dialect of the settings.
func (l *launch) editTool(locks *file.Locks, texts tool.Texts) tool.Tool {
	s := l.settings
	opts := edit.Options{
		Locks: locks, Texts: texts, Like: edit.Likeness{Exact: !config.EditFuzzy.Of(s), Misspelt: 100 * (1 - config.EditThreshold.Of(s))},
		KeepGenerated: config.EditGenerated.Of(s),
	}
	if mode := config.EditMode.Of(s); mode != "replace" {
		return edit.NewPatch(opts, mode)
	}
	return edit.New(opts)
}

// images makes images fit for models, as the settings have it.
func (l *launch) images() picture.Fitter {
	if config.ImagesResize.Of(l.settings) {
		return picture.Fit
	}
	return picture.AsIs
}

// spill says when the text of a result is too long.
func spill(s *config.Settings) tool.Spill {
	return tool.Spill{
		Limit: config.ToolSpill.Of(s) << 10, Head: config.ToolHead.Of(s) << 10, Tail: config.ToolTail.Of(s) << 10, Lines: config.ToolTailLines.Of(s),
	}
}

func milliseconds(n int) *time.Duration {
	d := time.Duration(n) * time.Millisecond
	return &d
}

// pollWait is how long the job tool waits, 0 for the smart way.
func pollWait(setting string) time.Duration {
	d, _ := time.ParseDuration(setting) // smart is none
	return d
}

// maxJobs is how many background jobs a session may run.
func (l *launch) maxJobs() int {
	if !config.AsyncOn.Of(l.settings) {
		return 0
	}
	return config.AsyncMax.Of(l.settings)
}

// toolAliases are older names that hosts still pass.
var toolAliases = map[string]string{"search": "grep", "find": "glob"}

// chosen leaves the tools that --tools and --no-tools allow, and tells of names
// that no tool has here.
func (l *launch) chosen(all []tool.Tool) []tool.Tool {
	if l.flags.Tools == "" {
		if l.flags.NoTools {
			return nil
		}
		return all
	}
	known := make([]string, len(all))
	for i, t := range all {
		known[i] = t.Spec().Name
	}
	var wanted []string
	for name := range strings.SplitSeq(l.flags.Tools, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if alias, ok := toolAliases[name]; ok {
			name = alias
		}
		if name != "" && !slices.Contains(known, name) {
			l.warn("a tool was passed over", fmt.Errorf("--tools names %q, which is not one of %s", name, strings.Join(known, ", ")))
		}
		wanted = append(wanted, name)
	}
	return slices.DeleteFunc(all, func(t tool.Tool) bool { return !slices.Contains(wanted, t.Spec().Name) })
}

// person is the way to the person behind the host, nil where tools may not ask.
func (l *launch) person(ledger *router.Ledger) host.UI {
	if !l.withUI {
		return nil
	}
	titles := slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(strings.TrimSpace(os.Getenv("VEYYON_RPC_EMIT_TITLE"))))
	return rpc.UI{Ledger: ledger, Titles: titles}
}
