package model

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
)

// A Provider speaks one dialect. It is safe for concurrent use.
type Provider interface {
	// Stream asks the model and writes its answer into the draft, on the
	// caller's goroutine, as it comes in. It returns nil when the answer is
	// complete (the draft then has its stop reason), the cause of ctx when that
	// ended first, or an *Error. Waiting and asking again are the session's;
	// a provider itself repeats only a request that was refused for thinking
	// or images in its history, and then without them.
	Stream(ctx context.Context, req *Request, draft *Draft) error
}

// Request is one question to a model. A provider does not change it.
type Request struct {
	Model  *Model
	System []string // blocks, kept apart so that they can be cached
	// Messages holds only *User, *Developer, *Assistant and *ToolResult; each
	// tool call has its one result directly after its assistant message, and
	// no text block is empty.
	Messages []message.Message
	Tools    []ToolSpec
	Thinking Level  // an effective level the model accepts
	Key      string // empty for a keyless provider
	CacheKey string // names the session to the provider, for prompt caches
	Memo     *Memo  // of the conversation that this request goes on with; nil for a request of its own
	// NoTools asks for an answer without tool calls even when Tools is set.
	NoTools bool
	// Force names the one of Tools that the answer must call; "" leaves it to the
	// model.
	Force     string
	MaxTokens int     // of the answer, in tokens; 0 leaves it to the model's own limit
	Tuning    *Tuning // set by Tuned, nil without
}

// Thinks tells whether the model can reason and is asked to.
func (r *Request) Thinks() bool {
	return r.Model.Reasoning && r.Thinking != LevelOff && r.Thinking != ""
}

// ToolSpec is a tool as models are told of it.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}
