package openai

import (
	"bytes"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// chatChunk is one event. There is at most one choice, since one answer is
// asked for; an array costs no allocation.
type chatChunk struct {
	Choices [1]chatChoice `json:"choices"`
	Usage   *chatUsage    `json:"usage"`
	Error   any           `json:"error"`
}

type chatChoice struct {
	Delta        chatDelta  `json:"delta"`
	FinishReason string     `json:"finish_reason"`
	Usage        *chatUsage `json:"usage"` // Moonshot has it here
}

type chatDelta struct {
	Content          string      `json:"content"`
	Refusal          string      `json:"refusal"`
	ReasoningContent string      `json:"reasoning_content"`
	Reasoning        string      `json:"reasoning"`
	ReasoningText    string      `json:"reasoning_text"`
	ReasoningDetails []detailTag `json:"reasoning_details"`
	ToolCalls        []callDelta `json:"tool_calls"`
}

// detailTag is one of OpenRouter's reasoning details. The encrypted one of a
// call must come back with it.
type detailTag struct {
	Type   string `json:"type"`
	ID     string `json:"id,omitempty"`
	Format string `json:"format,omitempty"`
	Index  int    `json:"index"`
	Data   string `json:"data,omitempty"`
}

type chatUsage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"`
	Total         int `json:"total_tokens"`
	CacheHit      int `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails struct {
		Cached     int `json:"cached_tokens"`
		CacheWrite int `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// chatAnswer takes one stream of chunks into a draft.
type chatAnswer struct {
	draft    *model.Draft
	price    model.Price
	calls    calls
	chunk    chatChunk // the event at hand
	named    bool      // the response's id is known
	complete bool
	held     []byte // text that came while the arguments of a call were open
}

var (
	doneMark    = []byte("[DONE]")
	errorObject = []byte(`{"object":"error"`) // vLLM
)

func (a *chatAnswer) event(data []byte) (wire.State, error) {
	if bytes.Equal(bytes.TrimSpace(data), doneMark) {
		if !a.complete && !a.draft.Started() && len(a.calls.list) == 0 {
			return 0, wire.Failed("the stream held no answer")
		}
		a.finish() // some servers send no finish reason
		return wire.Finished, nil
	}
	a.chunk = chatChunk{}
	if err := wire.Unmarshal(data, &a.chunk); err != nil {
		if a.chunk, err = looseChunk(data); err != nil {
			return 0, wire.Unreadable(data, err)
		}
	}
	if a.chunk.Error != nil || bytes.HasPrefix(data, errorObject) {
		return 0, wire.StreamError(data)
	}
	if !a.named {
		a.named = true
		a.draft.ResponseID(wire.StringField(data, "id"))
	}
	if a.chunk.Usage != nil {
		a.draft.Usage(a.chunk.Usage.counts(), a.price)
	}
	if err := a.choice(&a.chunk.Choices[0]); err != nil {
		return 0, err
	}
	if a.complete {
		return wire.Complete, nil
	}
	return wire.Streaming, nil
}

func (a *chatAnswer) choice(c *chatChoice) error {
	if c.Usage != nil {
		a.draft.Usage(c.Usage.counts(), a.price)
	}
	d := &c.Delta
	switch {
	case d.ReasoningContent != "":
		a.thinking(d.ReasoningContent, "reasoning_content")
	case d.Reasoning != "":
		a.thinking(d.Reasoning, "reasoning")
	case d.ReasoningText != "":
		a.thinking(d.ReasoningText, "reasoning_text")
	}
	a.text(d.Content)
	if d.Refusal != "" {
		a.draft.StopDetails(&message.StopDetails{Type: "refusal"})
		a.text(d.Refusal)
	}
	for i := range d.ReasoningDetails {
		a.calls.sign(&d.ReasoningDetails[i])
	}
	for i := range d.ToolCalls {
		a.calls.add(&d.ToolCalls[i])
	}
	if c.FinishReason == "" {
		return nil
	}
	a.finish()
	return stopFor(a.draft, c.FinishReason)
}

// stopFor notes why the model stopped, or returns the error that it amounts to.
func stopFor(draft *model.Draft, reason string) error {
	switch reason {
	case "length", "max_tokens":
		draft.Stop(message.StopLength)
	case "content_filter", "sensitive":
		return wire.Blocked(reason)
	case "error", "network_error", "insufficient_system_resource", "model_context_window_exceeded":
		return wire.Failed(reason)
	default: // stop, tool_calls, function_call, and whatever else means no trouble
		draft.Stop(message.StopStop)
	}
	return nil
}

// text appends text. While a call's arguments are open it is held back, since
// it would close them.
func (a *chatAnswer) text(delta string) {
	switch {
	case delta == "":
	case a.calls.settled():
		a.draft.Text(delta)
	default:
		a.held = append(a.held, delta...)
	}
}

// thinking appends thinking; the field it came in goes back with it. What comes
// while a call's arguments are open is left out: nobody could tell its place.
func (a *chatAnswer) thinking(delta, field string) {
	if a.calls.settled() {
		a.draft.Thinking(delta)
		a.draft.ThinkingSignature(field, "")
	}
}

// finish puts what is still held back into the draft.
func (a *chatAnswer) finish() {
	a.complete = true
	a.calls.flush()
	if len(bytes.TrimSpace(a.held)) > 0 {
		a.draft.Text(string(a.held))
	}
	a.held = nil
}

func (u *chatUsage) counts() message.Usage {
	cached, written := max(u.PromptDetails.Cached, u.CacheHit), u.PromptDetails.CacheWrite
	out := message.Usage{
		Input: max(u.Prompt-cached-written, 0), CacheRead: cached, CacheWrite: written,
		Output: u.Completion, ReasoningTokens: u.CompletionDetails.Reasoning,
	}
	if u.Total == u.Prompt+u.Completion+out.ReasoningTokens {
		out.Output += out.ReasoningTokens // xAI counts thinking beside the completion
	}
	return out
}
