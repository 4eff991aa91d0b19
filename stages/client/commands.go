package client

import "context"

// An Image goes with a prompt.
type Image struct {
	Type     string `json:"type"`     // "image"
	Data     string `json:"data"`     // base64
	MimeType string `json:"mimeType"` // image/png …
}

// Streaming says what becomes of a prompt while a turn streams.
type Streaming string

// The behaviours of a prompt. Protocol: "While streaming".
const (
	Refuse   Streaming = ""
	Steer    Streaming = "steer"
	FollowUp Streaming = "followUp"
)

type promptFields struct {
	Message           string    `json:"message"`
	Images            []Image   `json:"images,omitempty"`
	StreamingBehavior Streaming `json:"streamingBehavior,omitempty"`
}

// Prompted tells what became of a prompt: AgentInvoked false means that it is
// done, true that events follow, nil that only events will tell.
type Prompted struct {
	AgentInvoked *bool `json:"agentInvoked"`
}

// Prompt returns when the prompt is accepted; its turn ends with an agent_end
// event. It may fail later still: then a response with its id is an event.
func (c *Client) Prompt(ctx context.Context, message string, during Streaming, images ...Image) (Prompted, error) {
	return Call[Prompted](ctx, c, "prompt", promptFields{message, images, during})
}

// Steer puts a message before the running turn.
func (c *Client) Steer(ctx context.Context, message string, images ...Image) error {
	return c.Call(ctx, "steer", promptFields{Message: message, Images: images}, nil)
}

// FollowUp queues a message behind the running turn.
func (c *Client) FollowUp(ctx context.Context, message string, images ...Image) error {
	return c.Call(ctx, "follow_up", promptFields{Message: message, Images: images}, nil)
}

// Abort ends the running turn.
func (c *Client) Abort(ctx context.Context) error { return c.Call(ctx, "abort", nil, nil) }

// AbortAndPrompt ends the running turn and begins another.
func (c *Client) AbortAndPrompt(ctx context.Context, message string, images ...Image) error {
	return c.Call(ctx, "abort_and_prompt", promptFields{Message: message, Images: images}, nil)
}

// State is what get_state tells, in part; Call gets the rest.
type State struct {
	Model                 *Model  `json:"model"`
	ThinkingLevel         string  `json:"thinkingLevel"`
	IsStreaming           bool    `json:"isStreaming"`
	IsCompacting          bool    `json:"isCompacting"`
	SteeringMode          string  `json:"steeringMode"`
	FollowUpMode          string  `json:"followUpMode"`
	InterruptMode         string  `json:"interruptMode"`
	SessionFile           string  `json:"sessionFile"`
	SessionID             string  `json:"sessionId"`
	SessionName           string  `json:"sessionName"`
	AutoCompactionEnabled bool    `json:"autoCompactionEnabled"`
	MessageCount          int     `json:"messageCount"`
	QueuedMessageCount    int     `json:"queuedMessageCount"`
	TodoPhases            []Phase `json:"todoPhases"`
}

// Model is a model, in part.
type Model struct {
	Provider      string `json:"provider"`
	ID            string `json:"id"`
	Name          string `json:"name"`
	Reasoning     bool   `json:"reasoning"`
	ContextWindow int    `json:"contextWindow"`
}

// State asks for the state of the session.
func (c *Client) State(ctx context.Context) (State, error) {
	return Call[State](ctx, c, "get_state", nil)
}

// SetModel chooses the model.
func (c *Client) SetModel(ctx context.Context, provider, id string) (Model, error) {
	return Call[Model](ctx, c, "set_model", map[string]string{"provider": provider, "modelId": id})
}

// AvailableModels lists the models that can be chosen.
func (c *Client) AvailableModels(ctx context.Context) ([]Model, error) {
	all, err := Call[struct{ Models []Model }](ctx, c, "get_available_models", nil)
	return all.Models, err
}

// SetThinkingLevel sets how much the model thinks (off, minimal … max).
func (c *Client) SetThinkingLevel(ctx context.Context, level string) error {
	return c.Call(ctx, "set_thinking_level", map[string]string{"level": level}, nil)
}

// SetSteeringMode takes "all" or "one-at-a-time".
func (c *Client) SetSteeringMode(ctx context.Context, mode string) error {
	return c.Call(ctx, "set_steering_mode", map[string]string{"mode": mode}, nil)
}

// SetFollowUpMode takes "all" or "one-at-a-time".
func (c *Client) SetFollowUpMode(ctx context.Context, mode string) error {
	return c.Call(ctx, "set_follow_up_mode", map[string]string{"mode": mode}, nil)
}

// SetInterruptMode takes "immediate" or "wait".
func (c *Client) SetInterruptMode(ctx context.Context, mode string) error {
	return c.Call(ctx, "set_interrupt_mode", map[string]string{"mode": mode}, nil)
}

// SetAutoRetry says whether failed model calls are tried again.
func (c *Client) SetAutoRetry(ctx context.Context, enabled bool) error {
	return c.Call(ctx, "set_auto_retry", map[string]bool{"enabled": enabled}, nil)
}

// AbortRetry gives up the retry that waits.
func (c *Client) AbortRetry(ctx context.Context) error { return c.Call(ctx, "abort_retry", nil, nil) }

// A Phase is a part of the todo list.
type Phase struct {
	Name  string `json:"name"`
	Tasks []Task `json:"tasks"`
}

// A Task is pending, in_progress, completed or abandoned.
type Task struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// SetTodos replaces the todo list and returns it as the server keeps it.
func (c *Client) SetTodos(ctx context.Context, phases []Phase) ([]Phase, error) {
	kept, err := Call[struct {
		TodoPhases []Phase `json:"todoPhases"`
	}](ctx, c, "set_todos", map[string]any{"phases": orEmpty(phases)})
	return kept.TodoPhases, err
}

// BashResult is what a command gave; ExitCode is nil when it was cancelled.
type BashResult struct {
	Output     string `json:"output"`
	ExitCode   *int   `json:"exitCode"`
	Cancelled  bool   `json:"cancelled"`
	Truncated  bool   `json:"truncated"`
	TotalBytes int    `json:"totalBytes"`
	TotalLines int    `json:"totalLines"`
}

// Bash runs a shell command on the server and waits for its end.
func (c *Client) Bash(ctx context.Context, command string) (BashResult, error) {
	return Call[BashResult](ctx, c, "bash", map[string]string{"command": command})
}

// AbortBash ends all commands of Bash.
func (c *Client) AbortBash(ctx context.Context) error { return c.Call(ctx, "abort_bash", nil, nil) }
