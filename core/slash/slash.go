// Package slash holds the builtin slash commands: prompts that are answered
// here, without a model. Those of one kind have a file.
//
// Protocol: "prompt payload"; facts/platform 5.2.
package slash

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/job"
	servers "veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
)

// Target is what a command may look at and change. All of it answers at once,
// but for the functions that are returned.
type Target interface {
	State(ctx context.Context) (session.State, error)
	Stats(ctx context.Context) (session.Stats, error)
	Messages(ctx context.Context) ([]message.Message, error)
	Jobs() []job.Job
	Commands(ctx context.Context) ([]event.Command, error)
	AvailableModels(ctx context.Context) ([]*model.Model, error)
	ThinkingLevels(ctx context.Context) ([]model.Level, error)
	SetModel(ctx context.Context, provider, id string) (*model.Model, error)
	SetThinkingLevel(ctx context.Context, level string) error
	SetName(ctx context.Context, name string) error
	EditTodos(ctx context.Context, edit func([]tool.Phase) ([]tool.Phase, error)) error
	Bypassed(ctx context.Context) bool
	SetBypass(ctx context.Context, on bool)
	Fresh(ctx context.Context) error
	Force(ctx context.Context, tool string) error
	Dir() string
	DeleteSession(ctx context.Context) (finish func(context.Context) (path string, err error), err error)
	Move(ctx context.Context, path string) (dir string, moved bool, err error)
	// ReloadCommands reads anew what slash commands there are, and tells the host.
	ReloadCommands()
	Servers() []servers.Status
	ReconnectServer(name string) (ok bool)
	Compact(ctx context.Context, instructions string) (run func(context.Context) (*event.CompactionResult, error), err error)
	ExportHTML(ctx context.Context, path string) (write func(context.Context) (string, error), err error)
}

// Effect is what a command did.
type Effect struct {
	Output string // for people
	Title  bool   // it changed the session's title
	Config bool   // it changed the model, the level or who is asked
	// Prompt, if not "", is what is left for the model.
	Prompt string
	// Later, if set, is the rest of the command, which takes its time: it comes
	// behind the answer. What it returns has none.
	Later func(ctx context.Context) Effect
}

type command struct {
	event.Command
	run func(ctx context.Context, t Target, args string) (Effect, error)
}

// say is an effect that only tells something.
func say(text string) (Effect, error) { return Effect{Output: text}, nil }

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

// word parts arguments into the first word and what is behind it.
func word(args string) (first, rest string) {
	i := strings.IndexFunc(args, unicode.IsSpace)
	if i < 0 {
		return args, ""
	}
	return args[:i], strings.TrimSpace(args[i:])
}
