package session

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tally"
	"veyyon.dev/veyyon/core/tool"
)

// State is a snapshot. Protocol: "get_state payload".
type State struct {
	Model                 *model.Model  `json:"model,omitempty"`
	ThinkingLevel         model.Level   `json:"thinkingLevel,omitempty"`
	IsStreaming           bool          `json:"isStreaming"`
	IsCompacting          bool          `json:"isCompacting"`
	SteeringMode          QueueMode     `json:"steeringMode"`
	FollowUpMode          QueueMode     `json:"followUpMode"`
	InterruptMode         InterruptMode `json:"interruptMode"`
	SessionFile           string        `json:"sessionFile,omitempty"`
	SessionID             string        `json:"sessionId"`
	SessionName           string        `json:"sessionName,omitempty"`
	AutoCompactionEnabled bool          `json:"autoCompactionEnabled"`
	MessageCount          int           `json:"messageCount"`
	QueuedMessageCount    int           `json:"queuedMessageCount"`
	TodoPhases            []tool.Phase  `json:"todoPhases"`
	SystemPrompt          []string      `json:"systemPrompt,omitempty"`
	DumpTools             []DumpTool    `json:"dumpTools,omitempty"`
	ContextUsage          *ContextUsage `json:"contextUsage,omitempty"`
}

// DumpTool describes an active tool.
type DumpTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// ContextUsage says how full the context window is; Percent is 0 to 100.
type ContextUsage struct {
	Tokens        int     `json:"tokens"`
	ContextWindow int     `json:"contextWindow"`
	Percent       float64 `json:"percent"`
}

// QueueMode says how many queued messages are taken at a turn boundary.
type QueueMode string

// InterruptMode says whether steering cuts a batch of tool calls short.
type InterruptMode string

// The modes of the protocol ("Mode semantics").
const (
	QueueAll           QueueMode     = "all"
	QueueOneAtATime    QueueMode     = "one-at-a-time"
	InterruptImmediate InterruptMode = "immediate"
	InterruptWait      InterruptMode = "wait"
)

// Stats counts what the session holds (facts/rpc 6.8).
type Stats struct {
	SessionFile       string        `json:"sessionFile,omitempty"`
	SessionID         string        `json:"sessionId"`
	UserMessages      int           `json:"userMessages"`
	AssistantMessages int           `json:"assistantMessages"`
	ToolCalls         int           `json:"toolCalls"`
	ToolResults       int           `json:"toolResults"`
	TotalMessages     int           `json:"totalMessages"`
	Tokens            tally.Tokens  `json:"tokens"`
	PremiumRequests   float64       `json:"premiumRequests"`
	Cost              float64       `json:"cost"` // US dollars
	ContextUsage      *ContextUsage `json:"contextUsage,omitempty"`
}

// Prompt is what a person asks for.
type Prompt struct {
	Text   string
	Images []*message.Image
	// Message, if set, is said in place of the two: a skill that the person calls.
	Message *message.Custom
	// Behavior is what to do while a turn streams: "steer", "followUp", or ""
	// to refuse.
	Behavior string
	// Fail is called at most once if the prompt was accepted and then could
	// not be begun. It may be called from any goroutine; nil ignores.
	Fail func(error)
	// Done is called once when the run of an accepted prompt has ended, behind
	// its agent_end; not for one that was queued into another's run. It may be
	// called from any goroutine; nil ignores.
	Done func(PromptEnd)
	// Local is called once when the prompt was answered and then came to its end
	// without a run, behind all that it gave; as Done.
	Local func()
}

// Accepted says what became of a prompt.
type Accepted struct {
	// AgentInvoked is the payload of the answer: nil leaves it open, false
	// means done without a turn.
	AgentInvoked *bool
	// Release lets the turn begin; it is called once the acceptance is on its
	// way to the host. Nil when nothing waits for it.
	Release func()
}
