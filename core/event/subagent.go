package event

import "encoding/json"

// AgentSource says where the definition of a subagent comes from.
type AgentSource string

// The sources of definitions.
const (
	AgentBundled AgentSource = "bundled"
	AgentUser    AgentSource = "user"
	AgentProject AgentSource = "project"
)

// AgentStatus is how far a subagent has come.
type AgentStatus string

// The statuses of a subagent. AgentStarted is only told in a lifecycle frame.
const (
	AgentPending   AgentStatus = "pending"
	AgentStarted   AgentStatus = "started"
	AgentRunning   AgentStatus = "running"
	AgentCompleted AgentStatus = "completed"
	AgentFailed    AgentStatus = "failed"
	AgentAborted   AgentStatus = "aborted"
)

// The frames about subagents. Protocol: "Event Stream Schema" 10; facts/rpc 10.5.
type (
	// SubagentLifecycle tells that a subagent has started or ended.
	SubagentLifecycle struct {
		Payload AgentLife `json:"payload"`
	}
	// AgentLife is the payload of a SubagentLifecycle.
	AgentLife struct {
		ID               string      `json:"id"`
		Agent            string      `json:"agent"`
		AgentSource      AgentSource `json:"agentSource"`
		Description      string      `json:"description,omitempty"`
		Status           AgentStatus `json:"status"`
		SessionFile      string      `json:"sessionFile,omitempty"`
		ParentToolCallID string      `json:"parentToolCallId,omitempty"`
		Index            int         `json:"index"`
		Detached         bool        `json:"detached,omitempty"` // it goes on behind its call
	}
	// SubagentProgress tells how far a subagent has come; a newer one of the
	// same id replaces it.
	SubagentProgress struct {
		Payload AgentReport `json:"payload"`
	}
	// AgentReport is the payload of a SubagentProgress.
	AgentReport struct {
		Index            int           `json:"index"`
		Agent            string        `json:"agent"`
		AgentSource      AgentSource   `json:"agentSource"`
		Task             string        `json:"task"`
		ParentToolCallID string        `json:"parentToolCallId,omitempty"`
		Assignment       string        `json:"assignment,omitempty"`
		Progress         AgentProgress `json:"progress"`
		SessionFile      string        `json:"sessionFile,omitempty"`
		Detached         bool          `json:"detached,omitempty"`
	}
	// SubagentEvent is an event of a subagent's own session.
	SubagentEvent struct {
		ID    string
		Event Event
	}
	// AgentProgress is what a subagent has done so far. Times are in
	// milliseconds, Cost in US dollars.
	AgentProgress struct {
		Index              int             `json:"index"`
		ID                 string          `json:"id"`
		Agent              string          `json:"agent"`
		AgentSource        AgentSource     `json:"agentSource"`
		Status             AgentStatus     `json:"status"`
		Task               string          `json:"task"`
		Assignment         string          `json:"assignment,omitempty"`
		Description        string          `json:"description,omitempty"`
		CurrentTool        string          `json:"currentTool,omitempty"`
		CurrentToolArgs    string          `json:"currentToolArgs,omitempty"`
		CurrentToolStartMs int64           `json:"currentToolStartMs,omitempty"` // since the epoch
		RecentTools        []RecentTool    `json:"recentTools"`                  // never nil
		RecentOutput       []string        `json:"recentOutput"`                 // the latest lines, never nil
		ToolCount          int             `json:"toolCount"`
		Requests           int             `json:"requests"`
		Tokens             int             `json:"tokens"`
		ContextTokens      int             `json:"contextTokens,omitempty"`
		ContextWindow      int             `json:"contextWindow,omitempty"`
		Cost               float64         `json:"cost"`
		DurationMs         int64           `json:"durationMs"`
		ModelOverride      []string        `json:"modelOverride,omitempty"`
		ResolvedModel      string          `json:"resolvedModel,omitempty"`
		ExtractedToolData  json.RawMessage `json:"extractedToolData,omitempty"`
		RetryState         *AgentRetry     `json:"retryState,omitempty"`
		RetryFailure       *AgentGaveUp    `json:"retryFailure,omitempty"`
	}
	// RecentTool is a finished tool call of a subagent.
	RecentTool struct {
		Tool  string `json:"tool"`
		Args  string `json:"args"`
		EndMs int64  `json:"endMs"` // since the epoch
	}
	// AgentRetry is a wait of a subagent before it asks its model again.
	AgentRetry struct {
		Attempt      int    `json:"attempt"`
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
		StartedAtMs  int64  `json:"startedAtMs"` // since the epoch
	}
	// AgentGaveUp tells that a subagent's retries are over without success.
	AgentGaveUp struct {
		Attempt      int    `json:"attempt"`
		ErrorMessage string `json:"errorMessage"`
	}
)

func (SubagentLifecycle) Name() string { return "subagent_lifecycle" }
func (SubagentProgress) Name() string  { return "subagent_progress" }
func (SubagentEvent) Name() string     { return "subagent_event" }
