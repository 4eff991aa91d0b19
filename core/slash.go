package core

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/slash"
	"veyyon.dev/veyyon/core/tool"
)

// stayLocal tells the host what came of a prompt that no model sees.
func (a *Agent) stayLocal(events ...event.Event) session.Accepted {
	a.opts.Emit(events...)
	local := false
	return session.Accepted{AgentInvoked: &local}
}

// slash runs a builtin command. What it leaves for later goes on behind the
// answer, beside all commands that follow.
func (a *Agent) slash(ctx context.Context, p session.Prompt, run func(context.Context, slash.Target) (slash.Effect, error)) (session.Accepted, error) {
	effect, err := run(ctx, a)
	if err != nil {
		return session.Accepted{}, err
	}
	switch {
	case effect.Prompt != "":
		a.opts.Emit(a.told(ctx, effect)...)
		p.Text, p.Behavior = effect.Prompt, ""
		return a.say(ctx, p)
	case effect.Later == nil:
		return a.stayLocal(a.told(ctx, effect)...), nil
	}
	return session.Accepted{Release: func() {
		a.lives.Go(func() { // ends with what it runs, which ends with a.life
			var after slash.Effect
			if caught := panics.Try(func() { after = effect.Later(a.life) }); caught != nil {
				slog.Error("a slash command panicked", "panic", caught.Value, "stack", string(caught.Stack))
				after.Output = fmt.Sprintf("The command failed inside: %v", caught.Value)
			}
			a.opts.Emit(a.told(a.life, after)...)
			if p.Local != nil {
				p.Local()
			}
		})
	}}, nil
}

// told is what the host hears of a command.
func (a *Agent) told(ctx context.Context, effect slash.Effect) []event.Event {
	events := []event.Event{event.CommandOutput{Text: effect.Output}}
	if !effect.Title && !effect.Config {
		return events
	}
	state, err := a.State(ctx)
	if err != nil {
		return events // the session has ended: nothing of it is shown any more
	}
	if effect.Title {
		events = append(events, event.SessionInfoUpdate{Title: state.SessionName, SessionID: state.SessionID})
	}
	if effect.Config {
		events = append(events, event.ConfigUpdate{Model: state.Model, ThinkingLevel: string(state.ThinkingLevel)})
	}
	return events
}

// Jobs lists the background jobs of the session in front.
func (a *Agent) Jobs() []job.Job { return a.hub.Front().Jobs() }

// EditTodos changes the todo list of the session in front, which its file keeps.
func (a *Agent) EditTodos(ctx context.Context, edit func([]tool.Phase) ([]tool.Phase, error)) error {
	return a.tell(ctx, func(front *session.Session) error { return front.EditTodos(ctx, edit) })
}

// Fresh leaves behind what providers remember of the session in front.
func (a *Agent) Fresh(ctx context.Context) error {
	return a.tell(ctx, func(front *session.Session) error { return front.Fresh(ctx) })
}

// Force lets the next answer call this tool.
func (a *Agent) Force(ctx context.Context, tool string) error {
	return a.tell(ctx, func(front *session.Session) error { return front.Force(ctx, tool) })
}

// ReloadCommands tells the host which slash commands there are now.
func (a *Agent) ReloadCommands() { a.announceCommands(a.hub.Front().Dir(), true) }
