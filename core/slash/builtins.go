package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
)

var builtins = []command{
	{event.Command{Name: "model", Aliases: []string{"models"}, Description: "Show or change the model", Input: hint("provider/id")}, modelCommand},
	{event.Command{Name: "thinking", Aliases: []string{"effort"}, Description: "Show or change the thinking level", Input: hint("off|minimal|low|medium|high|xhigh|max|auto")}, thinking},
	{event.Command{
		Name: "session", Description: "Show session information", Input: hint("info"),
		Subcommands: []event.Subcommand{{Name: "info", Description: "Show session info and stats"}},
	}, info},
	{event.Command{Name: "tools", Description: "List the tools the model may use"}, tools},
	{event.Command{Name: "context", Description: "Show how full the context window is"}, contextUse},
	{event.Command{Name: "todo", Description: "Show the todo list"}, todo},
	{event.Command{Name: "yolo", Description: "Ask about tool calls, or let all run", Input: hint("on|off|status")}, yolo},
	{event.Command{Name: "rename", Description: "Name the session", Input: hint("title")}, rename},
}

func hint(text string) *event.CommandHint { return &event.CommandHint{Hint: text} }

func modelCommand(ctx context.Context, t Target, args string) (Effect, error) {
	if args == "" {
		state, err := t.State(ctx)
		switch {
		case err != nil:
			return Effect{}, err
		case state.Model == nil:
			return Effect{Output: "No model is currently selected."}, nil
		}
		return Effect{Output: "Current model: " + state.Model.Ref()}, nil
	}
	models, err := t.AvailableModels(ctx)
	if err != nil {
		return Effect{}, err
	}
	provider, id, _ := strings.Cut(args, "/")
	if i := slices.IndexFunc(models, func(m *model.Model) bool { return args == m.ID }); i >= 0 {
		provider, id = models[i].Provider, models[i].ID
	}
	m, err := t.SetModel(ctx, provider, id)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return Effect{Output: fmt.Sprintf("Unknown model: %s. The command get_available_models lists those that can be used.", args)}, nil
	case err != nil:
		return Effect{}, err
	}
	return Effect{Output: "Model set to " + m.Ref() + ".", Config: true}, nil
}

func thinking(ctx context.Context, t Target, args string) (Effect, error) {
	if args != "" {
		if err := t.SetThinkingLevel(ctx, args); err != nil {
			return Effect{Output: err.Error()}, nil
		}
		return Effect{Output: "Thinking effort set to " + args + ".", Config: true}, nil
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	return Effect{Output: fmt.Sprintf("Thinking effort: %s. Usage: /thinking <level>", state.ThinkingLevel)}, nil
}

func info(ctx context.Context, t Target, args string) (Effect, error) {
	if args != "" && args != "info" {
		return Effect{Output: "Usage: /session info"}, nil
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	stats, err := t.Stats(ctx)
	if err != nil {
		return Effect{}, err
	}
	return Effect{Output: sessionText(state, stats)}, nil
}

func sessionText(state session.State, stats session.Stats) string {
	lines := []string{"Session: " + state.SessionID}
	if state.SessionName != "" {
		lines = append(lines, "Title: "+state.SessionName)
	}
	if state.SessionFile != "" {
		lines = append(lines, "File: "+state.SessionFile)
	}
	lines = append(lines,
		fmt.Sprintf("Messages: %d (%d user, %d assistant, %d tool results)", stats.TotalMessages, stats.UserMessages, stats.AssistantMessages, stats.ToolResults),
		fmt.Sprintf("Tokens: %d in, %d out, %d from cache", stats.Tokens.Input, stats.Tokens.Output, stats.Tokens.CacheRead),
		fmt.Sprintf("Cost: $%.4f", stats.Cost))
	return strings.Join(lines, "\n")
}

func tools(ctx context.Context, t Target, _ string) (Effect, error) {
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	if len(state.DumpTools) == 0 {
		return Effect{Output: "No tools are available."}, nil
	}
	var b strings.Builder
	for _, d := range state.DumpTools {
		fmt.Fprintf(&b, "* %s\n", d.Name)
	}
	return Effect{Output: strings.TrimRight(b.String(), "\n")}, nil
}

func contextUse(ctx context.Context, t Target, _ string) (Effect, error) {
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	use := state.ContextUsage
	if use == nil {
		return Effect{Output: "No model is currently selected."}, nil
	}
	return Effect{Output: fmt.Sprintf("Context window: %d tokens (%d used, %.1f%%)", use.ContextWindow, use.Tokens, use.Percent)}, nil
}

func todo(ctx context.Context, t Target, _ string) (Effect, error) {
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	var b strings.Builder
	for _, phase := range state.TodoPhases {
		fmt.Fprintf(&b, "%s\n", phase.Name)
		for _, task := range phase.Tasks {
			fmt.Fprintf(&b, "  [%s] %s\n", task.Status, task.Content)
		}
	}
	if b.Len() == 0 {
		return Effect{Output: "Todo list is empty."}, nil
	}
	return Effect{Output: strings.TrimRight(b.String(), "\n")}, nil
}

func rename(ctx context.Context, t Target, args string) (Effect, error) {
	if args == "" {
		return Effect{Output: "Usage: /rename <title>"}, nil
	}
	if err := t.SetName(ctx, args); err != nil {
		return Effect{Output: err.Error()}, nil
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	return Effect{Output: "Session renamed to " + state.SessionName + ".", Title: true}, nil
}
