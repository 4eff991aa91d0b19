package main

import (
	"context"
	"os"

	"golang.org/x/sync/errgroup"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/openai"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/model/wire"
	"veyyon.dev/veyyon/core/prompt"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/router/rpc"
	"veyyon.dev/veyyon/stages"
)

// inside runs a server in this process, so that one profile shows both ends.
// It is the pipe, the router and the agent of the real one, over pipes of the
// kernel, but without its tools, its settings and its start, and its sessions
// have no files. What it holds in memory cannot be told from what we hold.
func inside(ctx context.Context, setup func(home string) error) (*process, error) {
	p, err := newProcess(setup)
	if err != nil {
		return nil, err
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	var serving errgroup.Group // ends with the pipe
	serving.Go(func() error {
		defer func() { _, _ = in.Close(), out.Close() }() // nobody else has these ends
		return serveInside(ctx, p, in, out)
	})
	p.stdin, p.stdout, p.wait = stdin, stdout, serving.Wait
	p.kill = func() error { stop(); return nil }
	return p, nil
}

func serveInside(ctx context.Context, p *process, in, out *os.File) error {
	runner := shell.New(shell.Options{Env: os.Environ()})
	defer func() { _ = runner.Close(context.WithoutCancel(ctx)) }() // it only waits for its processes
	return stages.Pipe(ctx, in, out, rpc.NewCodec(), func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
		if err := rpc.Ready(ctx, out); err != nil {
			return err
		}
		ledger := router.NewLedger(ctx, out, router.HexIDs())
		sink := rpc.NewSink(ctx, out)
		models := insideModels(p)
		chosen, _ := models.FindRef(modelName) // nil where the home tells of none
		home := p.home()
		prompts := prompt.NewLibrary(prompt.Sources{Folders: prompt.Folders{User: home, Home: home, Root: home, Agent: home}})
		agent, err := core.New(ctx, core.Options{
			Models: models, HostTools: rpc.Tools{Ledger: ledger}, Shell: runner, Dir: p.work(), Emit: sink.Emit,
			Transcripts: func(dir string) transcript.Options { return transcript.Options{CWD: dir} },
			System:      func(dir string) func() []string { return prompts.Session(dir, nil) },
			Choice: session.Choice{
				Model: chosen, Thinking: model.LevelOff,
				Steering: session.QueueOneAtATime, FollowUp: session.QueueOneAtATime, Interrupt: session.InterruptImmediate,
			},
		})
		if err != nil {
			return err
		}
		opts := router.Options{OnEOF: agent.EndOfInput}
		if err := router.Run(ctx, inbound, out, rpc.Table(agent, rpc.NewURIs(ledger), sink, nil), ledger, opts); err != nil {
			return err
		}
		return agent.Stop(ctx)
	}, stages.Options{})
}

// insideModels knows the one model that the home tells of, if any.
func insideModels(p *process) *registry.Registry {
	return registry.New(registry.Options{
		ModelsYML: modelsFile(p.home()),
		Keys:      auth.NewSource(map[string]string{"bench": modelKey}, nil, auth.Env{}),
		Providers: map[model.API]model.Provider{model.APICompletions: openai.NewCompletions(wire.NewClient())},
	})
}
