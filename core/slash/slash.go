// Package slash holds the builtin slash commands: prompts that are answered
// here, without a model.
//
// Protocol: "prompt payload"; facts/platform 5.2.
package slash

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
)

// Target is what a command may look at and change. All of it answers at once.
type Target interface {
	State(ctx context.Context) (session.State, error)
	Stats(ctx context.Context) (session.Stats, error)
	AvailableModels(ctx context.Context) ([]*model.Model, error)
	SetModel(ctx context.Context, provider, id string) (*model.Model, error)
	SetThinkingLevel(ctx context.Context, level string) error
	SetName(ctx context.Context, name string) error
	Bypassed(ctx context.Context) bool
	SetBypass(ctx context.Context, on bool)
}

// Effect is what a command did.
type Effect struct {
	Output string // for people
	Title  bool   // it changed the session's title
	Config bool   // it changed the model or the level
}

type command struct {
	event.Command
	run func(ctx context.Context, t Target, args string) (Effect, error)
}

// Lookup finds the command that a prompt calls, with its arguments; run is nil
// when the prompt calls none and is text for the model. The name ends at the
// first white space or colon.
func Lookup(prompt string) (run func(context.Context, Target) (Effect, error)) {
	text, ok := strings.CutPrefix(strings.TrimSpace(prompt), "/")
	if !ok {
		return nil
	}
	name, args := text, ""
	if i := strings.IndexFunc(text, func(r rune) bool { return r == ':' || unicode.IsSpace(r) }); i >= 0 {
		name, args = text[:i], strings.TrimSpace(strings.TrimPrefix(text[i:], ":"))
	}
	for _, c := range builtins {
		if c.called(name) {
			return func(ctx context.Context, t Target) (Effect, error) { return c.run(ctx, t, args) }
		}
	}
	return nil
}

func (c command) called(name string) bool {
	return c.Name == name || slices.Contains(c.Aliases, name)
}

// List describes the commands, in a fixed order.
func List() []event.Command {
	list := make([]event.Command, len(builtins))
	for i, c := range builtins {
		list[i] = c.Command
		list[i].Source = "builtin"
	}
	return list
}
