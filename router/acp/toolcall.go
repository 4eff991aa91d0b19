package acp

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/acp"
)

// Words of the protocol about calls.
const (
	startCall       = "tool_call"
	updateCall      = "tool_call_update"
	statusPending   = "pending"
	statusRunning   = "in_progress"
	statusCompleted = "completed"
	statusFailed    = "failed"
)

// How much of a call is shown, in bytes: of a title, and of a text in its content.
const (
	maxTitle = 200
	maxShown = 4000
)

// kinds are what tools do, as clients sort it (facts/acp 8); any other is other.
var kinds = map[string]string{
	"read": "read", "write": "edit", "edit": "edit", "bash": "execute", "grep": "search", "glob": "search",
	"web_search": "fetch", "todo": "think", "resolve": "switch_mode",
}

// A call is a tool call under way.
type call struct {
	name    string
	args    frames.Object
	command []wire.ToolContent // what every update of it repeats first, since content replaces
}

// newCall reads what a call is about. Arguments that are no object count as none.
func newCall(name string, args json.RawMessage) *call {
	c := &call{name: name, args: frames.Object("{}")}
	if frames.IsObject(args) && json.Valid(args) {
		c.args = frames.Object(args)
	}
	if command := c.text("command"); command != "" {
		c.command = textContent("$ " + command)
	}
	return c
}

func (c *call) text(key string) string {
	text, err := c.args.OptString(key)
	if err != nil {
		return ""
	}
	return text
}

func textContent(text string) []wire.ToolContent {
	content := wire.TextContent(clipped(text, maxShown))
	return []wire.ToolContent{{Type: "content", Content: &content}}
}

// clipped is the beginning of a text that is too long.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	most -= len("…")
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func kindOf(name string) string {
	if kind := kinds[name]; kind != "" {
		return kind
	}
	return "other"
}

// title says in a line what a call does.
func (c *call) title() string {
	if command := c.text("command"); command != "" {
		first, _, more := strings.Cut(strings.TrimSpace(command), "\n")
		if more {
			first += " …"
		}
		return clipped("$ "+first, maxTitle)
	}
	for _, key := range []string{"path", "pattern", "query", "url", "title", "op"} {
		if text := c.text(key); text != "" {
			return clipped(c.name+": "+text, maxTitle)
		}
	}
	return c.name
}

// locations are the files that a call names, absolute and each once.
func (c *call) locations(dir string) []wire.Location {
	var list []wire.Location
	for _, key := range []string{"path", "oldPath", "newPath"} {
		path := c.text(key)
		if path == "" || strings.Contains(path, "://") {
			continue
		}
		list = append(list, wire.Location{Path: file.Resolve(dir, path)})
	}
	return list
}

// announced is a call as it is told first.
func (c *call) announced(id, status, dir string) wire.ToolCall {
	return wire.ToolCall{
		Update: startCall, ToolCallID: id, Title: c.title(), Name: c.name, Kind: kindOf(c.name), Status: status,
		Content: c.command, Locations: c.locations(dir), RawInput: json.RawMessage(c.args),
	}
}

// begun tells of a call.
func (s *sink) begun(e event.ToolStart) {
	c := newCall(e.ToolName, e.Args)
	if s.calls == nil {
		s.calls = make(map[string]*call)
	}
	s.calls[e.ToolCallID] = c
	s.streaming = true
	s.update(c.announced(e.ToolCallID, statusPending, s.session.agent.Dir()))
}

// progressed tells how far a call is.
func (s *sink) progressed(e event.ToolUpdate) {
	c := s.calls[e.ToolCallID]
	if c == nil {
		return
	}
	s.note(wire.Progress{SessionID: s.session.id, Update: wire.ToolCall{
		Update: updateCall, ToolCallID: e.ToolCallID, Status: statusRunning, Content: c.shown(e.PartialResult), RawOutput: e.PartialResult,
	}})
}

// ended tells what a call gave.
func (s *sink) ended(e event.ToolEnd) {
	c := s.calls[e.ToolCallID]
	if c == nil {
		return
	}
	delete(s.calls, e.ToolCallID)
	status := statusCompleted
	if e.IsError {
		status = statusFailed
	}
	s.update(wire.ToolCall{
		Update: updateCall, ToolCallID: e.ToolCallID, Status: status, Content: c.shown(e.Result), Locations: places(e.Result), RawOutput: e.Result,
	})
	if todos, ok := todosOf(e.ToolName, e.Result.Details); ok {
		s.plan(todos)
	}
}

// shown is what a result holds, behind the command.
func (c *call) shown(result event.ToolOutput) []wire.ToolContent {
	content := append([]wire.ToolContent{}, c.command...)
	for _, d := range result.Diffs {
		content = append(content, wire.ToolContent{Type: "diff", Path: d.Path, OldText: d.Old, NewText: &d.New})
	}
	for _, block := range result.Content {
		switch b := block.(type) {
		case *message.Text:
			if b.Text != "" {
				content = append(content, textContent(b.Text)...)
			}
		case *message.Image:
			image := wire.ImageContent(b.Data, b.MimeType)
			content = append(content, wire.ToolContent{Type: "content", Content: &image})
		}
	}
	if id := terminalOf(result.Details); id != "" {
		content = append(content, wire.ToolContent{Type: "terminal", TerminalID: id})
	}
	return content
}

// terminalOf is the client's terminal that a command runs in, "" for none.
func terminalOf(details json.RawMessage) string {
	var found struct {
		TerminalID string `json:"terminalId"`
	}
	if !bytes.Contains(details, []byte(`"terminalId"`)) || json.Unmarshal(details, &found) != nil {
		return ""
	}
	return found.TerminalID
}

// places are the files of a result, nil when nothing new is known.
func places(result event.ToolOutput) []wire.Location {
	if len(result.Locations) > 0 {
		list := make([]wire.Location, len(result.Locations))
		for i, l := range result.Locations {
			list[i] = wire.Location{Path: l.Path, Line: l.Line}
		}
		return list
	}
	return stored(result.Details)
}

// stored are the files in the details of a result, for one that comes from a file.
func stored(details json.RawMessage) []wire.Location {
	var found struct {
		Path             string `json:"path"`
		FirstChangedLine int    `json:"firstChangedLine"`
		PerFile          []struct {
			Path             string `json:"path"`
			FirstChangedLine int    `json:"firstChangedLine"`
		} `json:"perFileResults"`
	}
	if len(details) == 0 || json.Unmarshal(details, &found) != nil {
		return nil
	}
	var list []wire.Location
	add := func(path string, line int) {
		if filepath.IsAbs(path) {
			list = append(list, wire.Location{Path: path, Line: max(0, line)})
		}
	}
	for _, f := range found.PerFile {
		add(f.Path, f.FirstChangedLine)
	}
	if len(found.PerFile) == 0 {
		add(found.Path, found.FirstChangedLine)
	}
	return list
}

// todosOf is the list in the details of a call of todo.
func todosOf(tool string, details json.RawMessage) (todos []event.Todo, ok bool) {
	var list struct {
		Phases []struct {
			Tasks []event.Todo `json:"tasks"`
		} `json:"phases"`
	}
	if tool != "todo" || json.Unmarshal(details, &list) != nil {
		return nil, false
	}
	for _, phase := range list.Phases {
		todos = append(todos, phase.Tasks...)
	}
	return todos, true
}

// plan tells the todo list. The protocol has no word for a task that was given up.
func (s *sink) plan(todos []event.Todo) {
	entries := make([]wire.PlanEntry, len(todos))
	for i, todo := range todos {
		status := todo.Status
		if status == "abandoned" {
			status = statusCompleted
		}
		entries[i] = wire.PlanEntry{Content: todo.Content, Priority: "medium", Status: status}
	}
	s.update(wire.Plan{Update: "plan", Entries: entries})
}
