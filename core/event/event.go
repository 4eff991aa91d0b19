// Package event holds what a session tells its host: data only. An event and
// all it points to are never changed once emitted.
//
// Protocol: "Event Stream Schema"; order: facts/rpc 7.2.
package event

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
)

// An Event is one of the types of this package; Name is its wire name.
type Event interface{ Name() string }

// A Sink takes the events of each caller in order. It may wait for a slow host,
// so it hears the hard stop through its own context. Safe for concurrent use:
// a slash command is answered beside the run.
type Sink func(...Event)

type (
	// AgentStart opens a run.
	AgentStart struct{}
	// AgentEnd closes a prompt; Messages are those of its last run.
	AgentEnd struct {
		Messages []message.Message `json:"messages"`
	}
	// TurnStart opens one answer of the model with its tool calls.
	TurnStart struct{}
	// TurnEnd closes it. ToolResults are in the order they completed, never nil.
	TurnEnd struct {
		Message     *message.Assistant    `json:"message"`
		ToolResults []*message.ToolResult `json:"toolResults"`
	}
	// MessageStart announces a message; an assistant's content is still empty.
	MessageStart struct {
		Message message.Message `json:"message"`
	}
	// MessageUpdate is one step of a streaming answer. Message is the light
	// shell shared by all updates of that answer (content []), or, with
	// --message-updates full, the answer so far.
	MessageUpdate struct {
		Part    Part               `json:"assistantMessageEvent"`
		Message *message.Assistant `json:"message"`
	}
	// MessageEnd brings the finished message.
	MessageEnd struct {
		Message message.Message `json:"message"`
	}
	// ToolStart says that a call is about to run (or to be refused).
	ToolStart struct {
		ToolCallID string          `json:"toolCallId"`
		ToolName   string          `json:"toolName"`
		Args       json.RawMessage `json:"args"`
	}
	// ToolRunning says that a call has been let run. Hosts of the RPC protocol do
	// not know it.
	ToolRunning struct {
		ToolCallID string `json:"toolCallId"`
	}
	// ToolUpdate replaces the call's earlier updates.
	ToolUpdate struct {
		ToolCallID    string          `json:"toolCallId"`
		ToolName      string          `json:"toolName"`
		Args          json.RawMessage `json:"args"`
		PartialResult ToolOutput      `json:"partialResult"`
	}
	// ToolEnd closes the call; no update of it follows.
	ToolEnd struct {
		ToolCallID string     `json:"toolCallId"`
		ToolName   string     `json:"toolName"`
		Result     ToolOutput `json:"result"`
		IsError    bool       `json:"isError"`
	}
	// ToolOutput is what a tool gives, as hosts see it. Diffs and Locations are for
	// hosts that show them; neither frames nor transcripts carry them as they are.
	ToolOutput struct {
		Content   message.Blocks  `json:"content"`
		Details   json.RawMessage `json:"details,omitempty"`
		IsError   bool            `json:"isError,omitempty"`
		Useless   bool            `json:"useless,omitempty"`
		Diffs     []Diff          `json:"-"` // of the files that were changed
		Locations []Location      `json:"-"` // of the files that it is about
	}
	// Diff is what a call has made of a file.
	Diff struct {
		Path string  // absolute, as it was asked for
		Old  *string // nil for a file that was not there
		New  string  // empty for one that has gone
	}
	// Location is a place in a file; Line counts from 1 and is 0 when unknown.
	Location struct {
		Path string // absolute, as it was asked for
		Line int
	}
	// AutoRetryStart announces a wait before the model is asked again.
	AutoRetryStart struct {
		Attempt      int    `json:"attempt"`
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
		ErrorID      int    `json:"errorId,omitempty"`
	}
	// AutoRetryEnd closes a series of retries.
	AutoRetryEnd struct {
		Success    bool   `json:"success"`
		Attempt    int    `json:"attempt"`
		FinalError string `json:"finalError,omitempty"`
	}
	// FallbackApplied tells that another model takes over from one that failed;
	// both are provider/id.
	FallbackApplied struct {
		From string `json:"from"`
		To   string `json:"to"`
		Role string `json:"role"`
	}
	// FallbackSucceeded tells that the model that took over has answered.
	FallbackSucceeded struct {
		Model string `json:"model"` // provider/id
		Role  string `json:"role"`
	}
	// TTSRTriggered tells which rules an answer broke that was cut off for it.
	TTSRTriggered struct {
		Rules []*Rule `json:"rules"`
	}
	// Rule is a rule about what models write, as hosts see it.
	Rule struct {
		Name          string     `json:"name"`
		Path          string     `json:"path"`
		Content       string     `json:"content"`
		Globs         []string   `json:"globs,omitempty"`
		AlwaysApply   bool       `json:"alwaysApply,omitempty"`
		Description   string     `json:"description,omitempty"`
		Condition     []string   `json:"condition,omitempty"`
		Scope         []string   `json:"scope,omitempty"`
		InterruptMode string     `json:"interruptMode,omitempty"`
		Source        RuleSource `json:"_source"`
	}
	// RuleSource says where a rule comes from; Level is user or project.
	RuleSource struct {
		Provider string `json:"provider"`
		Path     string `json:"path"`
		Level    string `json:"level"`
	}
	// TodoReminder tells that the model is reminded of unfinished tasks.
	TodoReminder struct {
		Todos       []Todo `json:"todos"` // never nil
		Attempt     int    `json:"attempt"`
		MaxAttempts int    `json:"maxAttempts"`
	}
	// Todo is a task of the todo list.
	Todo struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	// TodoAutoClear tells that a todo list of closed tasks was cleared.
	TodoAutoClear struct{}
	// ThinkingLevelChanged tells the effective level.
	ThinkingLevelChanged struct {
		ThinkingLevel string `json:"thinkingLevel"`
		Configured    string `json:"configured,omitempty"`
	}
	// CwdChanged tells that the session works in another directory.
	CwdChanged struct {
		Previous string `json:"previous"`
		Cwd      string `json:"cwd"`
	}
	// CommandOutput is the text of a slash command.
	CommandOutput struct {
		Text string `json:"text"`
	}
	// SessionInfoUpdate tells that a slash command changed the title.
	SessionInfoUpdate struct {
		Title     string `json:"title,omitempty"`
		SessionID string `json:"sessionId"`
	}
	// ConfigUpdate tells that a slash command changed the model or the level;
	// Model is a *model.Model.
	ConfigUpdate struct {
		Model         any    `json:"model,omitempty"`
		ThinkingLevel string `json:"thinkingLevel,omitempty"`
	}
	// AvailableCommands lists the slash commands.
	AvailableCommands struct {
		Commands []Command `json:"commands"`
	}
	// Command describes a slash command; Name has no slash, Source is builtin,
	// skill, extension, custom, mcp_prompt or file.
	Command struct {
		Name        string       `json:"name"`
		Aliases     []string     `json:"aliases,omitempty"`
		Description string       `json:"description,omitempty"`
		Input       *CommandHint `json:"input,omitempty"`
		Subcommands []Subcommand `json:"subcommands,omitempty"`
		Source      string       `json:"source"`
	}
	// CommandHint says what to type after the name.
	CommandHint struct {
		Hint string `json:"hint,omitempty"`
	}
	// Subcommand is a first argument with a meaning of its own.
	Subcommand struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Usage       string `json:"usage,omitempty"`
	}
	// PlanMode tells that plan mode is on or off; Approved that it went off since the
	// person has approved the plan. Hosts of the RPC protocol do not know it.
	PlanMode struct {
		On       bool `json:"on"`
		Approved bool `json:"approved"`
	}
	// SessionSettled tells that nothing runs and nothing begins by itself. Only
	// hosts that ask for it get it (decisions 28).
	SessionSettled struct{}
	// Notice is a message for the person, of level info, warning or error.
	Notice struct {
		Level   string `json:"level"`
		Message string `json:"message"`
		Source  string `json:"source,omitempty"`
	}
)

// PartKind names a step of a streaming answer.
type PartKind string

// The kinds of steps (facts/rpc 7.1).
const (
	TextStart     PartKind = "text_start"
	TextDelta     PartKind = "text_delta"
	TextEnd       PartKind = "text_end"
	ThinkingStart PartKind = "thinking_start"
	ThinkingDelta PartKind = "thinking_delta"
	ThinkingEnd   PartKind = "thinking_end"
	CallStart     PartKind = "toolcall_start"
	CallDelta     PartKind = "toolcall_delta"
	CallEnd       PartKind = "toolcall_end"
)

// Part is one step: Delta for *_delta, Content for text_end and thinking_end,
// Call for toolcall_end. On the wire it also carries `partial`, which is the
// Message of its MessageUpdate; the codec adds it.
type Part struct {
	Kind         PartKind
	ContentIndex int
	Delta        string
	Content      string
	Call         *message.ToolCall
	Tool         string // of toolcall_start: the name, which the wire does not show
}

func (AgentStart) Name() string           { return "agent_start" }
func (AgentEnd) Name() string             { return "agent_end" }
func (TurnStart) Name() string            { return "turn_start" }
func (TurnEnd) Name() string              { return "turn_end" }
func (MessageStart) Name() string         { return "message_start" }
func (*MessageUpdate) Name() string       { return "message_update" }
func (MessageEnd) Name() string           { return "message_end" }
func (ToolStart) Name() string            { return "tool_execution_start" }
func (ToolRunning) Name() string          { return "tool_execution_running" }
func (ToolUpdate) Name() string           { return "tool_execution_update" }
func (ToolEnd) Name() string              { return "tool_execution_end" }
func (AutoRetryStart) Name() string       { return "auto_retry_start" }
func (AutoRetryEnd) Name() string         { return "auto_retry_end" }
func (FallbackApplied) Name() string      { return "retry_fallback_applied" }
func (FallbackSucceeded) Name() string    { return "retry_fallback_succeeded" }
func (TTSRTriggered) Name() string        { return "ttsr_triggered" }
func (TodoReminder) Name() string         { return "todo_reminder" }
func (TodoAutoClear) Name() string        { return "todo_auto_clear" }
func (ThinkingLevelChanged) Name() string { return "thinking_level_changed" }
func (Notice) Name() string               { return "notice" }
func (PlanMode) Name() string             { return "plan_mode" }
func (SessionSettled) Name() string       { return "session_settled" }
func (CwdChanged) Name() string           { return "cwd_changed" }
func (CommandOutput) Name() string        { return "command_output" }
func (SessionInfoUpdate) Name() string    { return "session_info_update" }
func (ConfigUpdate) Name() string         { return "config_update" }
func (AvailableCommands) Name() string    { return "available_commands_update" }
