package openai

import (
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// responsesDelta is what the many events need, responsesEvent what the few do.
type responsesDelta struct {
	Type         string `json:"type"`
	OutputIndex  int    `json:"output_index"`
	SummaryIndex int    `json:"summary_index"`
	Delta        string `json:"delta"`
}

type responsesEvent struct {
	Item     responsesItem `json:"item"`
	Response struct {
		ID         string          `json:"id"`
		Usage      *responsesUsage `json:"usage"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
	} `json:"response"`
}

type responsesItem struct {
	Type             string     `json:"type"`
	ID               string     `json:"id"`
	CallID           string     `json:"call_id"`
	Name             string     `json:"name"`
	Arguments        string     `json:"arguments"`
	EncryptedContent string     `json:"encrypted_content"`
	Summary          []itemPart `json:"summary"`
	Content          []itemPart `json:"content"`
}

type itemPart struct {
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

type responsesUsage struct {
	Input        int `json:"input_tokens"`
	Output       int `json:"output_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// responsesAnswer takes one stream of events into a draft. One item streams at
// a time; an item that begins meanwhile is taken whole when it is done.
type responsesAnswer struct {
	draft *model.Draft
	price model.Price

	delta   responsesDelta // the event at hand
	open    bool           // an item streams
	index   int            // its place in the output
	fed     bool           // some of it has streamed
	waiting []responsesItem
}

func (a *responsesAnswer) event(data []byte) (wire.State, error) {
	a.delta = responsesDelta{}
	e := &a.delta
	if err := wire.Unmarshal(data, e); err != nil {
		return 0, wire.Unreadable(data, err)
	}
	switch e.Type {
	case "response.output_text.delta":
		if a.streams(e) {
			a.draft.Text(e.Delta)
		}
	case "response.refusal.delta":
		if a.streams(e) {
			a.refused(e.Delta)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if a.streams(e) {
			a.draft.Thinking(e.Delta)
		}
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 && a.streams(e) {
			a.draft.Thinking("\n\n")
		}
	case "response.function_call_arguments.delta":
		if a.streams(e) {
			a.draft.CallArguments(e.Delta)
		}
	case "error", "response.error":
		return 0, wire.StreamError(data)
	case "response.created", "response.output_item.added", "response.output_item.done",
		"response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return a.milestone(e, data)
	}
	return wire.Streaming, nil
}

// streams tells whether the delta is of the item that streams.
func (a *responsesAnswer) streams(e *responsesDelta) bool {
	if !a.open { // some servers do not announce items
		a.open, a.index = true, e.OutputIndex
	}
	if a.index != e.OutputIndex {
		return false
	}
	a.fed = true
	return true
}

func (a *responsesAnswer) milestone(d *responsesDelta, data []byte) (wire.State, error) {
	var e responsesEvent
	if err := wire.Unmarshal(data, &e); err != nil {
		return 0, wire.Unreadable(data, err)
	}
	switch d.Type {
	case "response.created":
		a.draft.ResponseID(e.Response.ID)
	case "response.output_item.added":
		if !a.open {
			a.begin(&e.Item, d.OutputIndex)
		}
	case "response.output_item.done":
		a.done(&e.Item, d.OutputIndex)
	default:
		return a.final(d.Type, &e, data)
	}
	return wire.Streaming, nil
}

func (a *responsesAnswer) begin(item *responsesItem, index int) {
	a.open, a.index, a.fed = true, index, false
	if item.Type == "function_call" {
		a.draft.CallStart(item.CallID, item.Name)
	}
}

func (a *responsesAnswer) done(item *responsesItem, index int) {
	if a.open && a.index != index {
		a.waiting = append(a.waiting, *item)
		return
	}
	if !a.open {
		a.begin(item, index)
	}
	a.finish(item)
	a.release()
}

// release takes the items that were done while another streamed.
func (a *responsesAnswer) release() {
	for i := range a.waiting {
		a.begin(&a.waiting[i], a.index)
		a.finish(&a.waiting[i])
	}
	a.waiting = nil
}

// finish closes the item that streams, with what only its end tells.
func (a *responsesAnswer) finish(item *responsesItem) {
	switch item.Type {
	case "message":
		for _, part := range item.Content {
			if !a.fed {
				a.draft.Text(part.Text)
				a.refused(part.Refusal)
			}
		}
		a.draft.TextSignature(item.ID)
	case "reasoning":
		if !a.fed {
			a.draft.Thinking(item.thoughts())
		}
		if item.EncryptedContent != "" {
			a.draft.ThinkingSignature(item.EncryptedContent, item.ID)
		}
	case "function_call":
		if !a.fed {
			a.draft.CallArguments(item.Arguments)
		}
		a.draft.CallSignature(item.ID)
	}
	a.draft.CloseBlock()
	a.open = false
}

func (i *responsesItem) thoughts() string {
	parts := i.Summary
	if len(parts) == 0 {
		parts = i.Content
	}
	var texts []string
	for _, part := range parts {
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n\n")
}

func (a *responsesAnswer) refused(text string) {
	if text != "" {
		a.draft.StopDetails(&message.StopDetails{Type: "refusal"})
		a.draft.Text(text)
	}
}

// final ends the answer.
func (a *responsesAnswer) final(kind string, e *responsesEvent, data []byte) (wire.State, error) {
	if u := e.Response.Usage; u != nil {
		a.draft.Usage(message.Usage{
			Input: max(u.Input-u.InputDetails.Cached, 0), CacheRead: u.InputDetails.Cached,
			Output: u.Output, ReasoningTokens: u.OutputDetails.Reasoning,
		}, a.price)
	}
	if e.Response.ID != "" {
		a.draft.ResponseID(e.Response.ID)
	}
	switch reason := e.Response.Incomplete.Reason; {
	case kind == "response.failed":
		return 0, wire.StreamError(data)
	case kind == "response.cancelled":
		return 0, wire.Failed("cancelled")
	case kind == "response.incomplete" && reason == "content_filter":
		return 0, wire.Blocked(reason)
	case kind == "response.incomplete":
		a.draft.Stop(message.StopLength)
	default:
		a.draft.Stop(message.StopStop)
	}
	if len(a.waiting) > 0 {
		a.draft.CloseBlock()
		a.release()
	}
	return wire.Finished, nil
}
