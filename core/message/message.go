// Package message holds the messages of a conversation and their content
// blocks: data that the transcript stores, the wire shows and providers are
// asked with. It has JSON tags and no logic beyond telling kinds apart.
//
// A message or block is never changed once another goroutine may see it; who
// wants a different one makes a copy.
package message

import "encoding/json"

// Role says who speaks. The set is closed: hosts refuse any other value.
type Role string

// The roles of the protocol (RPC "Response Schema", facts/rpc 6.5).
const (
	RoleUser              Role = "user"
	RoleDeveloper         Role = "developer"
	RoleAssistant         Role = "assistant"
	RoleToolResult        Role = "toolResult"
	RoleBashExecution     Role = "bashExecution"
	RoleCustom            Role = "custom"
	RoleBranchSummary     Role = "branchSummary"
	RoleCompactionSummary Role = "compactionSummary"
	RoleOther             Role = "" // only inside Unknown
)

// A Message is one of *User, *Developer, *Assistant, *ToolResult,
// *BashExecution, *Custom, *BranchSummary, *CompactionSummary or *Unknown.
type Message interface {
	// Speaker is the role, whatever the fields hold.
	Speaker() Role
}

// StopReason says why the assistant stopped.
type StopReason string

// The stop reasons of the protocol.
const (
	StopStop    StopReason = "stop"
	StopLength  StopReason = "length"
	StopToolUse StopReason = "toolUse"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// User is what a person (or a host for them) said. Content always has the text
// block first, even when the text is empty.
type User struct {
	Role        Role   `json:"role"`
	Content     Blocks `json:"content"`
	Synthetic   bool   `json:"synthetic,omitempty"`
	Steering    bool   `json:"steering,omitempty"`
	Attribution string `json:"attribution,omitempty"` // "user" or "agent"
	Timestamp   int64  `json:"timestamp"`             // milliseconds since the epoch, as everywhere here
}

// Developer is an instruction the program itself adds.
type Developer struct {
	Role        Role   `json:"role"`
	Content     Blocks `json:"content"`
	Attribution string `json:"attribution,omitempty"`
	Timestamp   int64  `json:"timestamp"`
}

// Assistant is one answer of a model.
type Assistant struct {
	Role         Role         `json:"role"`
	Content      Blocks       `json:"content"` // Text, Thinking, RedactedThinking, ToolCall
	API          string       `json:"api"`
	Provider     string       `json:"provider"`
	Model        string       `json:"model"`
	ResponseID   string       `json:"responseId,omitempty"`
	Usage        Usage        `json:"usage"`
	StopReason   StopReason   `json:"stopReason"`
	StopDetails  *StopDetails `json:"stopDetails,omitempty"`
	ErrorMessage string       `json:"errorMessage,omitempty"` // set when StopReason is error or aborted
	ErrorStatus  int          `json:"errorStatus,omitempty"`  // HTTP status, when there was one
	ErrorID      int          `json:"errorId,omitempty"`      // class bits, see model.Class
	Timestamp    int64        `json:"timestamp"`
	Duration     int64        `json:"duration,omitempty"` // milliseconds from the request to the end
	TTFT         int64        `json:"ttft,omitempty"`     // milliseconds to the first delta
}

// StopDetails tells more about an unusual stop.
type StopDetails struct {
	Type        string `json:"type"`
	Category    string `json:"category,omitempty"`
	Explanation string `json:"explanation,omitempty"`
}

// ToolResult answers one ToolCall.
type ToolResult struct {
	Role       Role            `json:"role"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Content    Blocks          `json:"content"`
	Details    json.RawMessage `json:"details,omitempty"`
	IsError    bool            `json:"isError"`
	Useless    bool            `json:"useless,omitempty"`
	PrunedAt   int64           `json:"prunedAt,omitempty"`
	Timestamp  int64           `json:"timestamp"`
}

// BashExecution records a command the host ran with the bash command.
type BashExecution struct {
	Role               Role            `json:"role"`
	Command            string          `json:"command"`
	Output             string          `json:"output"`
	ExitCode           *int            `json:"exitCode,omitempty"` // nil when cancelled or killed
	Cancelled          bool            `json:"cancelled"`
	Truncated          bool            `json:"truncated"`
	Meta               json.RawMessage `json:"meta,omitempty"`
	ExcludeFromContext bool            `json:"excludeFromContext,omitempty"`
	Timestamp          int64           `json:"timestamp"`
}

// Custom is a message of an extension or of the program, told apart by
// CustomType.
type Custom struct {
	Role        Role            `json:"role"`
	CustomType  string          `json:"customType"`
	Content     Blocks          `json:"content"`
	Display     bool            `json:"display"`
	Details     json.RawMessage `json:"details,omitempty"`
	Attribution string          `json:"attribution,omitempty"`
	Timestamp   int64           `json:"timestamp"`
}

// BranchSummary stands for a branch that was left.
type BranchSummary struct {
	Role      Role   `json:"role"`
	Summary   string `json:"summary"`
	FromID    string `json:"fromId"`
	Timestamp int64  `json:"timestamp"`
}

// CompactionSummary stands for the messages a compaction removed.
type CompactionSummary struct {
	Role         Role   `json:"role"`
	Summary      string `json:"summary"`
	ShortSummary string `json:"shortSummary,omitempty"`
	TokensBefore int    `json:"tokensBefore"`
	Timestamp    int64  `json:"timestamp"`
}

// Unknown is a stored message of a role we do not produce. It is kept byte for
// byte in the file, and never shown to hosts or models.
type Unknown struct{ Raw json.RawMessage }

// MarshalJSON returns the bytes as they were read.
func (u Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// Usage counts the tokens of one answer and what they cost in US dollars.
// Input leaves out what came from or went to a cache; Output includes thinking.
type Usage struct {
	Input           int  `json:"input"`
	Output          int  `json:"output"`
	CacheRead       int  `json:"cacheRead"`
	CacheWrite      int  `json:"cacheWrite"`
	TotalTokens     int  `json:"totalTokens"`
	Cost            Cost `json:"cost"`
	ReasoningTokens int  `json:"reasoningTokens,omitempty"`
}

// Cost is in US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

func (*User) Speaker() Role              { return RoleUser }
func (*Developer) Speaker() Role         { return RoleDeveloper }
func (*Assistant) Speaker() Role         { return RoleAssistant }
func (*ToolResult) Speaker() Role        { return RoleToolResult }
func (*BashExecution) Speaker() Role     { return RoleBashExecution }
func (*Custom) Speaker() Role            { return RoleCustom }
func (*BranchSummary) Speaker() Role     { return RoleBranchSummary }
func (*CompactionSummary) Speaker() Role { return RoleCompactionSummary }
func (*Unknown) Speaker() Role           { return RoleOther }
