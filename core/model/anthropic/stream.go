package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// event holds what is used of any event of the stream. It is decoded once: the
// other fields of a delta cost nothing.
type event struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Delta struct {
		Type        string   `json:"type"`
		Text        string   `json:"text"`
		Thinking    string   `json:"thinking"`
		Signature   string   `json:"signature"`
		PartialJSON string   `json:"partial_json"`
		StopReason  string   `json:"stop_reason"`
		StopDetails *details `json:"stop_details"`
	} `json:"delta"`
	ContentBlock *contentBlock `json:"content_block"`
	Message      *struct {
		ID    string `json:"id"`
		Usage *usage `json:"usage"`
	} `json:"message"`
	Usage *usage `json:"usage"`
}

type (
	details struct {
		Type        string `json:"type"`
		Category    string `json:"category"`
		Explanation string `json:"explanation"`
	}
	contentBlock struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	}
	usage struct {
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
	}
)

// answer takes one stream of events into a draft.
type answer struct {
	draft *model.Draft
	price model.Price

	e         event // the one at hand
	counts    message.Usage
	input     []byte // arguments that came with the start of a call
	signature []byte // of the open thinking block, in pieces
	unstopped []int  // indexes of the blocks begun and not stopped, the open one last
	stopped   bool   // a stop reason has come
}

func (a *answer) event(data []byte) (wire.State, error) {
	a.e = event{}
	e := &a.e
	if err := wire.Unmarshal(data, e); err != nil {
		return 0, wire.Unreadable(data, err)
	}
	switch e.Type {
	case "content_block_delta":
		if a.overtaken(e.Index) {
			return 0, wire.Failed("its blocks are interleaved")
		}
		a.delta(e)
	case "content_block_start":
		if e.ContentBlock != nil {
			a.unstopped = append(a.unstopped, e.Index)
			a.start(e.ContentBlock)
		}
	case "content_block_stop":
		a.unstopped = slices.DeleteFunc(a.unstopped, func(index int) bool { return index == e.Index })
		a.stop()
	case "message_start":
		if e.Message != nil {
			a.draft.ResponseID(e.Message.ID)
			a.usage(e.Message.Usage)
		}
	case "message_delta":
		a.usage(e.Usage)
		if err := a.reason(e); err != nil {
			return 0, err
		}
	case "message_stop":
		if !a.stopped {
			return 0, wire.Failed("the stream held no stop reason")
		}
		return wire.Finished, nil
	case "error":
		return 0, wire.StreamError(data)
	}
	return a.state(), nil
}

func (a *answer) state() wire.State {
	if a.stopped {
		return wire.Complete
	}
	return wire.Streaming
}

// overtaken tells whether a delta is for a block that another has closed by
// beginning. No block streams while another does, and to add the delta to the
// open one would run a call with the arguments of two.
func (a *answer) overtaken(index int) bool {
	last := len(a.unstopped) - 1
	return last > 0 && a.unstopped[last] != index && slices.Contains(a.unstopped[:last], index)
}

func (a *answer) delta(e *event) {
	switch d := &e.Delta; d.Type {
	case "text_delta":
		a.draft.Text(d.Text)
	case "thinking_delta":
		a.draft.Thinking(d.Thinking)
	case "signature_delta":
		a.signature = append(a.signature, d.Signature...)
	case "input_json_delta":
		if d.PartialJSON != "" {
			a.input = nil
			a.draft.CallArguments(d.PartialJSON)
		}
	}
}

func (a *answer) start(b *contentBlock) {
	a.draft.CloseBlock()
	a.input, a.signature = nil, nil
	switch b.Type {
	case "text":
		a.draft.Text(b.Text)
	case "thinking":
		a.draft.Thinking(b.Thinking)
		a.signature = append(a.signature, b.Signature...)
	case "redacted_thinking":
		a.draft.RedactedThinking(b.Data)
	case "tool_use":
		a.draft.CallStart(b.ID, b.Name)
		if len(b.Input) > 0 && !bytes.Equal(b.Input, []byte("{}")) && !bytes.Equal(b.Input, []byte("null")) {
			a.input = b.Input // some servers send it here, and no deltas
		}
	}
}

func (a *answer) stop() {
	if len(a.signature) > 0 {
		a.draft.ThinkingSignature(string(a.signature), "")
	}
	a.draft.CallArguments(string(a.input))
	a.input, a.signature = nil, nil
	a.draft.CloseBlock()
}

// usage takes counts; those of message_delta are totals, and hold only what has
// changed.
func (a *answer) usage(u *usage) {
	if u == nil {
		return
	}
	set := func(to *int, count int) {
		if count > 0 {
			*to = count
		}
	}
	set(&a.counts.Input, u.Input)
	set(&a.counts.Output, u.Output)
	set(&a.counts.CacheRead, u.CacheRead)
	set(&a.counts.CacheWrite, u.CacheWrite)
	a.draft.Usage(a.counts, a.price)
}

func (a *answer) reason(e *event) error {
	reason, more := e.Delta.StopReason, e.Delta.StopDetails
	switch reason {
	case "":
		return nil
	case "max_tokens":
		a.draft.Stop(message.StopLength)
	case "model_context_window_exceeded":
		return wire.Failed(reason)
	case "refusal":
		refusal := &message.StopDetails{Type: "refusal"}
		text := "refusal"
		if more != nil {
			refusal.Category, refusal.Explanation = more.Category, more.Explanation
			text += " " + more.Explanation
		}
		a.draft.StopDetails(refusal)
		return wire.Blocked(text)
	case "pause_turn":
		a.draft.StopDetails(&message.StopDetails{Type: "pause_turn"})
	default: // end_turn, tool_use, stop_sequence
		a.draft.Stop(message.StopStop)
	}
	a.stopped = true
	return nil
}
