package google

import (
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// chunk is one event. There is at most one candidate, since one answer is asked
// for; an array costs no allocation.
type chunk struct {
	Candidates [1]candidate `json:"candidates"`
	Feedback   *struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage *usage `json:"usageMetadata"`
	Error any    `json:"error"`
}

type (
	candidate struct {
		Content struct {
			Parts []answerPart `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"`
	}
	answerPart struct {
		Text             string        `json:"text"`
		Thought          bool          `json:"thought"`
		ThoughtSignature string        `json:"thoughtSignature"`
		FunctionCall     *functionCall `json:"functionCall"`
	}
	usage struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
	}
)

// answer takes one stream of chunks into a draft.
type answer struct {
	draft    *model.Draft
	price    model.Price
	chunk    chunk // the event at hand
	named    bool  // the response's id is known
	complete bool
}

func (a *answer) event(data []byte) (wire.State, error) {
	a.chunk = chunk{}
	c := &a.chunk
	if err := wire.Unmarshal(data, c); err != nil {
		return 0, wire.Unreadable(data, err)
	}
	if c.Error != nil {
		return 0, wire.StreamError(data)
	}
	if !a.named {
		a.named = true
		a.draft.ResponseID(wire.StringField(data, "responseId"))
	}
	if u := c.Usage; u != nil {
		a.draft.Usage(message.Usage{
			Input: max(u.Prompt-u.Cached, 0), CacheRead: u.Cached,
			Output: u.Candidates + u.Thoughts, ReasoningTokens: u.Thoughts,
		}, a.price)
	}
	if c.Feedback != nil && c.Feedback.BlockReason != "" {
		return 0, wire.Blocked(c.Feedback.BlockReason + " " + c.Feedback.BlockReasonMessage)
	}
	if err := a.candidate(&c.Candidates[0]); err != nil {
		return 0, err
	}
	if a.complete {
		return wire.Complete, nil
	}
	return wire.Streaming, nil
}

func (a *answer) candidate(c *candidate) error {
	for i := range c.Content.Parts {
		a.part(&c.Content.Parts[i])
	}
	switch c.FinishReason {
	case "", "FINISH_REASON_UNSPECIFIED":
		return nil
	case "STOP":
		a.draft.Stop(message.StopStop)
	case "MAX_TOKENS":
		a.draft.Stop(message.StopLength)
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT":
		return wire.Blocked(c.FinishReason + " " + c.FinishMessage)
	default: // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER, …
		return wire.Failed(c.FinishReason + " " + c.FinishMessage)
	}
	a.complete = true
	return nil
}

func (a *answer) part(p *answerPart) {
	switch {
	case p.FunctionCall != nil: // always whole
		a.draft.CallStart(p.FunctionCall.ID, p.FunctionCall.Name)
		if args := string(p.FunctionCall.Args); args != "null" {
			a.draft.CallArguments(args)
		}
		a.draft.CallSignature(p.ThoughtSignature)
		a.draft.CloseBlock()
	case p.Thought:
		a.draft.Thinking(p.Text)
		if p.ThoughtSignature != "" && p.Text != "" {
			a.draft.ThinkingSignature(p.ThoughtSignature, "")
		}
	default:
		a.draft.Text(p.Text)
		if p.ThoughtSignature != "" { // also alone, after the text it signs
			a.draft.TextSignature(p.ThoughtSignature)
		}
	}
}
