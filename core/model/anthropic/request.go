package anthropic

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
)

// compat says in what an endpoint differs from Anthropic's own.
type compat struct {
	Interleaved  bool `json:"supportsInterleavedThinking"` // the beta of that name is asked for
	CacheControl bool `json:"supportsCacheControl"`
}

func compatOf(m *model.Model) (compat, error) {
	c := compat{Interleaved: true, CacheControl: true}
	err := wire.ReadCompat(m, &c)
	return c, err
}

type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       []*block      `json:"system,omitempty"`
	Messages     []*turn       `json:"messages"`
	Tools        []*tool       `json:"tools,omitempty"`
	ToolChoice   *typed        `json:"tool_choice,omitempty"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
	TopP         *float64      `json:"top_p,omitempty"`
	TopK         *int          `json:"top_k,omitempty"`
	Stream       bool          `json:"stream"`
}

type (
	typed struct {
		Type string `json:"type"`
		Name string `json:"name,omitempty"` // of the tool that must be called
	}
	thinking struct {
		Type         string `json:"type"` // adaptive, enabled or disabled
		BudgetTokens int    `json:"budget_tokens,omitempty"`
		Display      string `json:"display,omitempty"`
	}
	outputConfig struct {
		Effort string `json:"effort"`
	}
	tool struct {
		Name         string          `json:"name"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"input_schema"`
		CacheControl *typed          `json:"cache_control,omitempty"`
	}
	turn struct {
		Role    string   `json:"role"`
		Content []*block `json:"content"`
	}
	// block is any content block; which fields it has depends on its type.
	block struct {
		Type         string          `json:"type"`
		Text         string          `json:"text,omitempty"`
		Thinking     *string         `json:"thinking,omitempty"` // may be empty, but not absent
		Signature    string          `json:"signature,omitempty"`
		Data         string          `json:"data,omitempty"`
		Source       *source         `json:"source,omitempty"`
		ID           string          `json:"id,omitempty"`
		Name         string          `json:"name,omitempty"`
		Input        json.RawMessage `json:"input,omitempty"`
		ToolUseID    string          `json:"tool_use_id,omitempty"`
		Content      []*block        `json:"content,omitempty"`
		IsError      bool            `json:"is_error,omitempty"`
		CacheControl *typed          `json:"cache_control,omitempty"`
	}
	source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
)

var ephemeral = &typed{Type: "ephemeral"}

func requestOf(req *model.Request, c compat, rules replay.Rules) *request {
	out := &request{Model: req.Model.ID, Stream: true, Messages: turns(replay.Conversation(req, rules))}
	for _, text := range replay.System(req) {
		out.System = append(out.System, &block{Type: "text", Text: text})
	}
	for _, spec := range req.Tools {
		out.Tools = append(out.Tools, &tool{Name: replay.ToolName(spec.Name), Description: spec.Description, InputSchema: replay.Parameters(spec)})
	}
	switch {
	case len(out.Tools) == 0:
	case req.NoTools:
		out.ToolChoice = &typed{Type: "none"}
	case req.Force != "":
		out.ToolChoice = &typed{Type: "tool", Name: replay.ToolName(req.Force)}
		unthinking := *req // a model that thinks chooses for itself, or refuses
		unthinking.Thinking = model.LevelOff
		req = &unthinking
	}
	out.think(req)
	out.sample(req)
	if c.CacheControl {
		out.markForCache()
	}
	return out
}

// sample sets how words are chosen. A model that thinks refuses all of it, and
// newer ones refuse the temperature and top_p together.
func (r *request) sample(req *model.Request) {
	if req.Thinks() {
		return
	}
	t := req.Tuned()
	r.Temperature, r.TopK = t.Temperature, t.TopK
	if t.Temperature == nil {
		r.TopP = t.TopP
	}
}

// turns joins what one side says in a row: all results of a batch must stand in
// one turn, before anything else the user says.
func turns(conversation []message.Message) []*turn {
	var out []*turn
	add := func(role string, blocks ...*block) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
			return
		}
		out = append(out, &turn{Role: role, Content: blocks})
	}
	for _, m := range conversation {
		switch m := m.(type) {
		case *message.User:
			add("user", blocks(m.Content)...)
		case *message.Developer:
			add("user", blocks(m.Content)...)
		case *message.Assistant:
			add("assistant", blocks(m.Content)...)
		case *message.ToolResult:
			add("user", &block{Type: "tool_result", ToolUseID: m.ToolCallID, Content: blocks(m.Content), IsError: m.IsError})
		}
	}
	return out
}

func blocks(content message.Blocks) []*block {
	var out []*block
	for _, b := range content {
		switch b := b.(type) {
		case *message.Text:
			out = append(out, &block{Type: "text", Text: b.Text})
		case *message.Thinking:
			out = append(out, &block{Type: "thinking", Thinking: &b.Thinking, Signature: b.Signature})
		case *message.RedactedThinking:
			out = append(out, &block{Type: "redacted_thinking", Data: b.Data})
		case *message.Image:
			out = append(out, &block{Type: "image", Source: &source{"base64", b.MimeType, b.Data}})
		case *message.ToolCall:
			out = append(out, &block{Type: "tool_use", ID: b.ID, Name: b.Name, Input: b.Arguments})
		}
	}
	return out
}

// cachedTurns is how many of the user's last turns are marked: the last, for
// the next request to begin from, and the one before, which this one begins
// from.
const cachedTurns = 2

// markForCache sets the four marks a request may have: the tools, the system
// prompt, and the last turns of the user.
func (r *request) markForCache() {
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].CacheControl = ephemeral
	}
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = ephemeral
	}
	left := cachedTurns
	for i := len(r.Messages) - 1; i >= 0 && left > 0; i-- {
		if turn := r.Messages[i]; turn.Role == "user" {
			turn.Content[len(turn.Content)-1].CacheControl = ephemeral
			left--
		}
	}
}
