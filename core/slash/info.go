package slash

import (
	"context"
	"fmt"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
)

func info(ctx context.Context, t Target, args string) (Effect, error) {
	switch args {
	case "", "info":
	case "delete":
		return remove(ctx, t)
	default:
		return say("Usage: /session [info|delete]")
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	stats, err := t.Stats(ctx)
	if err != nil {
		return Effect{}, err
	}
	return say(sessionText(state, stats, t.Dir()))
}

func sessionText(state session.State, stats session.Stats, dir string) string {
	lines := []string{"Session: " + state.SessionID}
	if state.SessionName != "" {
		lines = append(lines, "Title: "+state.SessionName)
	}
	if state.SessionFile != "" {
		lines = append(lines, "File: "+state.SessionFile)
	}
	lines = append(lines, "CWD: "+dir, fmt.Sprintf("Messages: %d (%d user, %d assistant, %d tool results)", stats.TotalMessages, stats.UserMessages, stats.AssistantMessages, stats.ToolResults))
	return strings.Join(append(lines, usageLines(stats)...), "\n")
}

func remove(ctx context.Context, t Target) (Effect, error) {
	finish, err := t.DeleteSession(ctx)
	if err != nil {
		return say(err.Error())
	}
	return Effect{Later: func(ctx context.Context) Effect {
		path, err := finish(ctx)
		if err != nil {
			return Effect{Output: "Failed to delete session: " + err.Error(), Title: true}
		}
		return Effect{Output: "Session deleted: " + path + ". A new session was begun.", Title: true}
	}}, nil
}

func usage(ctx context.Context, t Target, args string) (Effect, error) {
	if args != "" && args != "show" {
		return say("Usage: /usage")
	}
	stats, err := t.Stats(ctx)
	if err != nil {
		return Effect{}, err
	}
	return say(strings.Join(usageLines(stats), "\n"))
}

func usageLines(stats session.Stats) []string {
	return []string{
		fmt.Sprintf("Tokens: %d in, %d out, %d from cache", stats.Tokens.Input, stats.Tokens.Output, stats.Tokens.CacheRead),
		fmt.Sprintf("Cost: $%.4f", stats.Cost),
	}
}

func rename(ctx context.Context, t Target, args string) (Effect, error) {
	if args == "" {
		return say("Usage: /rename <title>")
	}
	if err := t.SetName(ctx, args); err != nil {
		return say(err.Error())
	}
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	return Effect{Output: "Session renamed to " + state.SessionName + ".", Title: true}, nil
}

func tools(ctx context.Context, t Target, _ string) (Effect, error) {
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	if len(state.DumpTools) == 0 {
		return say("No tools are available.")
	}
	lines := make([]string, len(state.DumpTools))
	for i, d := range state.DumpTools {
		lines[i] = "* " + d.Name
	}
	return say(strings.Join(lines, "\n"))
}

// maxLabel is how much of a job's label is shown, in characters.
const maxLabel = 80

func jobs(_ context.Context, t Target, _ string) (Effect, error) {
	list := t.Jobs()
	if len(list) == 0 {
		return say("No background jobs running. (The model starts them with the bash and task tools.)")
	}
	lines := []string{"Background Jobs"}
	for _, j := range list {
		lines = append(lines, fmt.Sprintf("%s  %s  %s  %s", j.ID, state(j.Status), j.Duration.Round(time.Second), label(j.Label)))
	}
	return say(strings.Join(lines, "\n"))
}

// state pads a status, so that the columns stand below each other.
func state(s job.Status) string { return fmt.Sprintf("%-9s", s) }

func label(text string) string {
	if runes := []rune(strings.Join(strings.Fields(text), " ")); len(runes) > maxLabel {
		return string(runes[:maxLabel-1]) + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

func reload(_ context.Context, t Target, _ string) (Effect, error) {
	t.ReloadCommands()
	return say("Plugins reloaded.")
}

// mcp lists the servers, or connects anew to one.
func mcp(_ context.Context, t Target, args string) (Effect, error) {
	switch verb, name := word(args); verb {
	case "", "list":
	case "reconnect":
		if !t.ReconnectServer(name) {
			return say(fmt.Sprintf("There is no MCP server %q. /mcp lists them.", name))
		}
		return say("Connecting to " + name + " anew.")
	default:
		return say("Usage: /mcp [list|reconnect NAME]")
	}
	list := t.Servers()
	if len(list) == 0 {
		return say("No MCP servers configured.")
	}
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = fmt.Sprintf("%s | %s | %s | %s | %s", s.Name, s.Transport, s.State, tool.Count(s.Tools, "tool"), s.From)
		if s.Err != "" {
			lines[i] += " | " + s.Err
		}
	}
	return say(strings.Join(lines, "\n"))
}

func help(ctx context.Context, t Target, _ string) (Effect, error) {
	commands, err := t.Commands(ctx)
	if err != nil {
		return Effect{}, err
	}
	lines := make([]string, len(commands))
	for i, c := range commands {
		line := "/" + c.Name
		if c.Input != nil && c.Input.Hint != "" {
			line += " [" + c.Input.Hint + "]"
		}
		if c.Description != "" {
			line += ": " + c.Description
		}
		lines[i] = line
	}
	return say(strings.Join(lines, "\n"))
}
