package core

import (
	"context"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/session"
)

// serversGate is how long the first prompts wait for MCP servers that have not
// been reached yet; the tools of slower ones come later.
const serversGate = 250 * time.Millisecond

// Servers lists the MCP servers.
func (a *Agent) Servers() []mcp.Status { return a.opts.Servers.Statuses() }

// ReconnectServer connects anew to an MCP server; ok is false when there is none of
// this name.
func (a *Agent) ReconnectServer(name string) (ok bool) { return a.opts.Servers.Reconnect(name) }

// serversChanged tells the host of other commands, if it has heard of any.
func (a *Agent) serversChanged() {
	if a.listed.Load() != nil {
		a.announceCommands(a.hub.Front().Dir(), false)
	}
}

// gated lets a prompt begin a little later while servers are being reached.
func (a *Agent) gated(accepted session.Accepted) session.Accepted {
	release := accepted.Release
	if release == nil || !a.opts.Servers.Pending() {
		return accepted
	}
	accepted.Release = func() {
		a.lives.Go(func() { // ends with the gate, or with a.life
			a.opts.Servers.Await(a.life, serversGate)
			release()
		})
	}
	return accepted
}

// callPrompt says what the prompt of a server says. The server is asked behind the
// answer, beside all commands that follow.
func (a *Agent) callPrompt(p session.Prompt, fetch func(context.Context) (string, error)) session.Accepted {
	return session.Accepted{Release: func() {
		a.lives.Go(func() { // ends with the answer of the server, or with a.life
			text, err := fetch(a.life)
			if err != nil {
				a.opts.Emit(event.CommandOutput{Text: "The prompt cannot be used: " + err.Error()})
				if p.Local != nil {
					p.Local()
				}
				return
			}
			p.Text = text
			accepted, err := a.say(a.life, p)
			switch {
			case err != nil && p.Fail != nil:
				p.Fail(err)
			case err == nil && accepted.Release != nil:
				accepted.Release()
			}
		})
	}}
}

// promptCommands are the prompts of servers as slash commands.
func promptCommands(servers *mcp.Set) (list []event.Command) {
	for _, p := range servers.Prompts() {
		list = append(list, event.Command{Name: p.Name, Description: p.About, Input: &event.CommandHint{Hint: strings.TrimSpace(p.Hint + " ")}, Source: "mcp_prompt"})
	}
	return list
}

// promptNames is what tells one list of prompts from another.
func promptNames(servers *mcp.Set) string {
	var names []string
	for _, p := range servers.Prompts() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return strings.Join(names, "\n")
}
