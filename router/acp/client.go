package acp

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/host"
	wire "veyyon.dev/veyyon/frames/acp"
)

// files is the client's part in text files, as far as it takes one.
//
// Protocol: "Prompting"; facts/acp 9.1.
func (one *session) files(can wire.Capabilities) (f host.Files) {
	if can.ReadFile {
		f.Read = func(ctx context.Context, path string) (string, error) {
			result, err := one.ask(ctx, wire.ReadFileMethod, wire.ReadFile{SessionID: one.id, Path: path})
			if err != nil {
				return "", err
			}
			return wire.FileText(result)
		}
	}
	if can.WriteFile {
		f.Write = func(ctx context.Context, path, content string) error {
			result, err := one.ask(ctx, wire.WriteFileMethod, wire.WriteFile{SessionID: one.id, Path: path, Content: content})
			if err != nil {
				return err
			}
			return wire.Written(result)
		}
	}
	return f
}

// terminals implements host.Terminals over those of the client.
//
// Protocol: "Prompting"; facts/acp 9.2.
type terminals struct{ session *session }

// Create implements host.Terminals.
func (t terminals) Create(ctx context.Context, spec host.TerminalSpec) (host.Terminal, error) {
	params := wire.CreateTerminal{
		SessionID: t.session.id, Command: spec.Command, Args: spec.Args, CWD: spec.Dir, OutputByteLimit: spec.OutputByteLimit,
	}
	for name, value := range spec.Env {
		params.Env = append(params.Env, wire.EnvVar{Name: name, Value: value})
	}
	result, err := t.session.ask(ctx, wire.CreateMethod, params)
	if err != nil {
		return nil, err
	}
	id, err := wire.TerminalID(result)
	if err != nil {
		return nil, err
	}
	return &terminal{t.session, wire.TerminalRef{SessionID: t.session.id, TerminalID: id}}, nil
}

// terminal implements host.Terminal.
type terminal struct {
	session *session
	ref     wire.TerminalRef
}

// ID implements host.Terminal.
func (t *terminal) ID() string { return t.ref.TerminalID }

// Output implements host.Terminal.
func (t *terminal) Output(ctx context.Context) (text string, truncated bool, exit *host.Exit, err error) {
	result, err := t.session.ask(ctx, wire.OutputMethod, t.ref)
	if err != nil {
		return "", false, nil, err
	}
	var answer wire.TerminalOutput
	if err := json.Unmarshal(result, &answer); err != nil {
		return "", false, nil, err
	}
	if answer.Exit != nil {
		ended := exitOf(*answer.Exit)
		exit = &ended
	}
	return answer.Output, answer.Truncated, exit, nil
}

// Wait implements host.Terminal.
func (t *terminal) Wait(ctx context.Context) (host.Exit, error) {
	result, err := t.session.ask(ctx, wire.WaitMethod, t.ref)
	if err != nil {
		return host.Exit{}, err
	}
	var status wire.ExitStatus
	if err := json.Unmarshal(result, &status); err != nil {
		return host.Exit{}, err
	}
	return exitOf(status), nil
}

func exitOf(s wire.ExitStatus) host.Exit {
	exit := host.Exit{Code: s.ExitCode}
	if s.Signal != nil {
		exit.Signal = *s.Signal
	}
	return exit
}

// Kill implements host.Terminal.
func (t *terminal) Kill(ctx context.Context) error {
	_, err := t.session.ask(ctx, wire.KillMethod, t.ref)
	return err
}

// Release implements host.Terminal.
func (t *terminal) Release(ctx context.Context) error {
	_, err := t.session.ask(ctx, wire.ReleaseMethod, t.ref)
	return err
}
