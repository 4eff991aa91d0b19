package transcript

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
)

// A Body is what an entry says beside its place in the tree: one of *Message,
// *CustomMessage, *Custom, *ModelChange, *ThinkingChange, *TitleChange,
// *Compaction, *BranchSummary, *Label, *RuleInjection, *SessionInit,
// *SubagentSpawn or *Unknown.
type Body interface{ kind() string }

type (
	// Message is a message of the conversation.
	Message struct {
		Message message.Message `json:"message"`
	}
	// CustomMessage is a message of an extension or of the program; models see
	// it.
	CustomMessage struct {
		CustomType  string          `json:"customType"`
		Content     message.Blocks  `json:"content"`
		Display     bool            `json:"display"`
		Details     json.RawMessage `json:"details,omitempty"`
		Attribution string          `json:"attribution,omitempty"`
	}
	// Custom is a note of an extension or of the program; models never see it.
	Custom struct {
		CustomType string          `json:"customType"`
		Data       json.RawMessage `json:"data,omitempty"`
	}
	// ModelChange notes the model ("provider/id") for a role; no role means
	// "default".
	ModelChange struct {
		Model string `json:"model"`
		Role  string `json:"role,omitempty"`
	}
	// ThinkingChange notes the effective thinking level and the one asked for.
	ThinkingChange struct {
		ThinkingLevel *string `json:"thinkingLevel"`
		Configured    *string `json:"configured,omitempty"`
	}
	// TitleChange notes a new title.
	TitleChange struct {
		Title         string      `json:"title"`
		PreviousTitle string      `json:"previousTitle,omitempty"`
		Source        TitleSource `json:"source"`
		Trigger       string      `json:"trigger,omitempty"`
	}
	// Compaction replaces the path up to FirstKeptEntryID by a summary.
	Compaction struct {
		Summary          string          `json:"summary"`
		ShortSummary     string          `json:"shortSummary,omitempty"`
		FirstKeptEntryID string          `json:"firstKeptEntryId"`
		TokensBefore     int             `json:"tokensBefore"`
		Details          json.RawMessage `json:"details,omitempty"`
		PreserveData     json.RawMessage `json:"preserveData,omitempty"`
		FromExtension    bool            `json:"fromExtension,omitempty"`
		Warning          string          `json:"warning,omitempty"`

		// FirstKeptEntryIndex is how version 1 named the entry: its place in
		// the file, the header being 0. It is read, never written.
		FirstKeptEntryIndex int `json:"firstKeptEntryIndex,omitempty"`
	}
	// BranchSummary stands for the branch that was left at FromID.
	BranchSummary struct {
		FromID        string          `json:"fromId"`
		Summary       string          `json:"summary"`
		Details       json.RawMessage `json:"details,omitempty"`
		FromExtension bool            `json:"fromExtension,omitempty"`
	}
	// Label names an entry; an empty one takes the name away.
	Label struct {
		TargetID string `json:"targetId"`
		Label    string `json:"label,omitempty"`
	}
	// RuleInjection notes the rules whose text was put into the conversation.
	RuleInjection struct {
		InjectedRules []string `json:"injectedRules"`
	}
	// SessionInit notes what a session was begun with; a subagent's has one.
	SessionInit struct {
		SystemPrompt string          `json:"systemPrompt"`
		Task         string          `json:"task"`
		Tools        []string        `json:"tools"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		Spawns       json.RawMessage `json:"spawns,omitempty"` // "*", or names as one string or a list
	}
	// SubagentSpawn notes in the parent's session how a subagent ended.
	SubagentSpawn struct {
		AgentID     string          `json:"agentId"`
		AgentName   string          `json:"agentName"`
		Task        string          `json:"task"`
		SessionFile string          `json:"sessionFile"`
		Isolation   string          `json:"isolation"`
		Status      string          `json:"status"` // completed, failed or cancelled
		ExitCode    int             `json:"exitCode"`
		DurationMS  int64           `json:"durationMs"`
		Usage       json.RawMessage `json:"usage,omitempty"`
		Error       string          `json:"error,omitempty"`
	}
	// Unknown is an entry of a type that is not ours, or one whose contents do
	// not fit its type. Raw is the line as it was read, nil when it is not JSON.
	Unknown struct{ Raw json.RawMessage }
)

// The entry types that are told apart.
const (
	typeMessage        = "message"
	typeCustomMessage  = "custom_message"
	typeCustom         = "custom"
	typeModelChange    = "model_change"
	typeThinkingChange = "thinking_level_change"
	typeTitleChange    = "title_change"
	typeCompaction     = "compaction"
	typeBranchSummary  = "branch_summary"
	typeLabel          = "label"
	typeRuleInjection  = "ttsr_injection"
	typeSessionInit    = "session_init"
	typeSubagentSpawn  = "subagent_spawn"
)

func (*Message) kind() string        { return typeMessage }
func (*CustomMessage) kind() string  { return typeCustomMessage }
func (*Custom) kind() string         { return typeCustom }
func (*ModelChange) kind() string    { return typeModelChange }
func (*ThinkingChange) kind() string { return typeThinkingChange }
func (*TitleChange) kind() string    { return typeTitleChange }
func (*Compaction) kind() string     { return typeCompaction }
func (*BranchSummary) kind() string  { return typeBranchSummary }
func (*Label) kind() string          { return typeLabel }
func (*RuleInjection) kind() string  { return typeRuleInjection }
func (*SessionInit) kind() string    { return typeSessionInit }
func (*SubagentSpawn) kind() string  { return typeSubagentSpawn }
func (*Unknown) kind() string        { return "" }

// emptyBody returns a body to decode a line of that type into, nil when the
// type is not ours.
func emptyBody(kind string) Body {
	switch kind {
	case typeMessage:
		return &Message{}
	case typeCustomMessage:
		return &CustomMessage{}
	case typeCustom:
		return &Custom{}
	case typeModelChange:
		return &ModelChange{}
	case typeThinkingChange:
		return &ThinkingChange{}
	case typeTitleChange:
		return &TitleChange{}
	case typeCompaction:
		return &Compaction{}
	case typeBranchSummary:
		return &BranchSummary{}
	case typeLabel:
		return &Label{}
	case typeRuleInjection:
		return &RuleInjection{}
	case typeSessionInit:
		return &SessionInit{}
	case typeSubagentSpawn:
		return &SubagentSpawn{}
	}
	return nil
}
