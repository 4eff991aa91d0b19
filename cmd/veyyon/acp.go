package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/router/acp"
	"veyyon.dev/veyyon/stages"
)

// modeACP is the name of the Agent Client Protocol.
const modeACP = "acp"

// acpCommand serves the Agent Client Protocol, whatever --mode says.
type acpCommand struct {
	Messages []string `arg:"" optional:"" help:"Ignored."`
}

// Run serves until the client closes the connection.
func (c *acpCommand) Run(flags *launchFlags) error {
	flags.Mode = modeACP
	return (&launchCommand{}).Run(flags)
}

// standby tells a person who starts the server by hand what it waits for.
// Protocol: "The ACP server"; facts/acp 14.
func standby(logs string) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		_, _ = fmt.Fprintf(os.Stderr, "veyyon acp: ACP server speaking JSON-RPC over stdio.\n"+
			"This command is meant to be spawned by an ACP client (e.g. Zed's \"agent_servers\" config), not run directly.\n"+
			"Waiting for protocol frames on stdin; logs: %s/\n", logs) // nowhere else to say that it failed
	}
}

// acpMiddle is middle for the Agent Client Protocol: each session that the client
// opens gets an agent of its own.
func acpMiddle(l *launch) stages.Middle {
	return func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
		<-l.signals.heard
		runner := shell.New(l.shellOptions())
		defer closeRunner(runner)
		ledger := router.NewLedger(ctx, out, router.DecimalIDs())
		server := acp.NewServer(ctx, out, ledger, acp.Options{
			Open:   func(ctx context.Context, w acp.Wanted) (*core.Agent, error) { return l.agentFor(ctx, runner, w) },
			Folder: func(dir string) string { return l.transcripts(dir).Dir }, Sessions: l.sessionsRoot(),
			Version: version(), Images: l.images(),
		})
		return router.Run(ctx, inbound, out, server.Table(), ledger, router.Options{OnEOF: server.End})
	}
}

// agentFor makes the agent of a session: with the settings, the instructions and
// the skills that hold in its directory.
func (l *launch) agentFor(ctx context.Context, runner *shell.Runner, w acp.Wanted) (*core.Agent, error) {
	one := &launch{
		flags: l.flags, signals: l.signals, withUI: true, deadline: l.deadline, dirs: l.dirs, dir: filepath.Clean(w.Dir), models: l.models,
		runtimeKeys: l.runtimeKeys, keys: l.keys, secrets: l.secrets, custom: l.custom, added: l.added, told: l.told,
	}
	for _, step := range []func() error{one.readSettings, one.hostDefaults, one.roles, one.choose, func() error { return one.goOn(w) }} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	one.settle()
	return core.New(ctx, one.agentOptions(runner, reach{
		emit: w.Client.Emit, approver: w.Client.Approver, ask: w.Client.UI, files: w.Client.Files, terminals: w.Client.Terminals, planner: w.Client.Planner,
		servers: one.servers(ctx, clientServers(w.Servers)),
	}))
}

// goOn opens the session that is wanted, or a copy of it.
func (l *launch) goOn(w acp.Wanted) (err error) {
	switch {
	case w.Path == "":
		return nil
	case w.Fork:
		return l.forkOf(w.Path)
	}
	l.resume, err = transcript.Open(w.Path, l.transcripts(l.dir))
	return err
}
