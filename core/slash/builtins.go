package slash

import "veyyon.dev/veyyon/core/event"

// builtins are the commands in the order hosts see them (facts/platform 5.2, as
// far as there is something here that they can show or change).
var builtins = []command{
	{event.Command{Name: "model", Aliases: []string{"models"}, Description: "Show or change the model", Input: hint("provider/id")}, modelCommand},
	{event.Command{Name: "thinking", Aliases: []string{"effort"}, Description: "Show or change the thinking level", Input: hint("off|minimal|low|medium|high|xhigh|max|auto")}, thinking},
	{event.Command{Name: "yolo", Description: "Ask about tool calls, or let all run", Input: hint("on|off|status")}, yolo},
	{event.Command{Name: "export", Description: "Write the session to a page", Input: hint("path")}, exportPage},
	{event.Command{Name: "dump", Description: "Show the conversation as text"}, dump},
	{event.Command{Name: "todo", Description: "Show or change the todo list", Input: hint("append|start|done|drop|rm"), Subcommands: todoVerbs}, todoList},
	{event.Command{
		Name: "session", Description: "Show session information, or delete the session", Input: hint("info|delete"),
		Subcommands: []event.Subcommand{
			{Name: "info", Description: "Show session info and stats"}, {Name: "delete", Description: "Delete the session and begin a new one"},
		},
	}, info},
	{event.Command{Name: "jobs", Description: "List the background jobs"}, jobs},
	{event.Command{Name: "usage", Description: "Show tokens and cost of the session"}, usage},
	{event.Command{Name: "tools", Description: "List the tools the model may use"}, tools},
	{event.Command{Name: "context", Description: "Show how full the context window is"}, contextUse},
	{event.Command{Name: "mcp", Description: "List the MCP servers, or connect anew to one", Input: hint("list|reconnect NAME")}, mcp},
	{event.Command{Name: "fresh", Description: "Leave behind what the provider remembers of the session"}, fresh},
	{event.Command{Name: "compact", Description: "Replace old messages by a summary", Input: hint("what to look at")}, compact},
	{event.Command{Name: "rename", Description: "Name the session", Input: hint("title")}, rename},
	{event.Command{Name: "move", Description: "Work in another directory", Input: hint("path")}, move},
	{event.Command{Name: "cwd", Description: "Show or change the directory the session works in", Input: hint("path")}, cwd},
	{event.Command{Name: "force", Description: "Let the next answer call a tool", Input: hint("tool [prompt]")}, force},
	{event.Command{Name: "reload-plugins", Description: "Read skills and commands anew"}, reload},
}

// It lists the table it stands in.
func init() {
	builtins = append(builtins, command{event.Command{Name: "help", Description: "List the slash commands"}, help})
}

func hint(text string) *event.CommandHint { return &event.CommandHint{Hint: text} }
