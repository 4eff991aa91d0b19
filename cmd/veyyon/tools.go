package main

import (
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/ask"
	"veyyon.dev/veyyon/core/tool/bash"
	"veyyon.dev/veyyon/core/tool/edit"
	"veyyon.dev/veyyon/core/tool/glob"
	"veyyon.dev/veyyon/core/tool/grep"
	"veyyon.dev/veyyon/core/tool/read"
	"veyyon.dev/veyyon/core/tool/todo"
	"veyyon.dev/veyyon/core/tool/write"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/router/rpc"
)

// tools are the builtin tools that flags and settings leave.
func (l *launch) tools(runner *shell.Runner, ledger *router.Ledger, uris *rpc.URIs) tool.Set {
	s, locks := l.settings, &file.Locks{}
	all := []tool.Tool{
		read.New(read.Options{URIs: uris, Artifact: session.Artifact, Limit: config.ReadLimit.Of(s)}),
		write.New(write.Options{Locks: locks, URIs: uris}),
		edit.New(locks),
	}
	optional := func(on bool, t tool.Tool) {
		if on {
			all = append(all, t)
		}
	}
	optional(config.BashOn.Of(s), bash.New(runner, !l.withUI && !l.flags.NoPty))
	optional(config.GrepOn.Of(s), grep.New())
	optional(config.GlobOn.Of(s), glob.New())
	optional(config.TodoOn.Of(s), todo.New(l.flags.NoSession))
	if l.withUI {
		all = append(all, ask.New(rpc.UI{Ledger: ledger}, 0))
	}
	return tool.NewSet(l.chosen(all)...)
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
