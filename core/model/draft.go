package model

import (
	"encoding/json"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
)

// A Draft is an assistant message while it streams in. A provider calls its
// methods in the order the wire brings things; the draft opens and closes
// blocks, and reports each step. One goroutine only.
type Draft struct {
	shell  message.Assistant // everything but the content
	light  *message.Assistant
	emit   func(event.Part, *message.Assistant)
	flush  func()
	held   bool // the provider says when to flush
	size   int  // bytes of text, thinking and arguments so far
	blocks message.Blocks
	full   bool
	callID func(string) string
	toolOf func(sent string) string // nil when names are sent as they are
	filter Filter                   // nil when the answer is taken as it comes

	open      event.PartKind  // the delta kind of the open block, "" when none is
	text      strings.Builder // the open block's text, thinking or raw arguments
	signature string
	itemID    string
	callName  string
	callKey   string // the provider's id of the open call
	halted    bool   // nothing is added any more
	cut       bool   // a call was dropped since its arguments never ended
}

// DraftOptions are the choices of NewDraft.
type DraftOptions struct {
	// Full puts the answer so far into every step instead of the light shell:
	// N steps then cost N squared bytes.
	Full bool
	// CallID turns the id the provider gave a call ("" when it gave none) into
	// one that no other call of the session has.
	CallID func(providerID string) string
	// Emit takes each step with the message that goes with it.
	Emit func(event.Part, *message.Assistant)
	// Flush, if set, is called when the steps emitted so far are to be passed
	// on, since the next may be long in coming.
	Flush func()
}

// NewDraft begins the answer of the model, now.
func NewDraft(m *Model, opts DraftOptions) *Draft {
	d := &Draft{
		shell: message.Assistant{
			Role: message.RoleAssistant, Content: message.Blocks{}, API: string(m.API), Provider: m.Provider, Model: m.ID,
			StopReason: message.StopStop, Timestamp: message.Now(),
		},
		emit: opts.Emit, flush: opts.Flush, full: opts.Full, callID: opts.CallID,
	}
	light := d.shell
	d.light = &light
	return d
}

// Light is the message without content that goes with message_start and the
// light updates; the same pointer throughout.
func (d *Draft) Light() *message.Assistant { return d.light }

// MaxAnswer is how many bytes of text, thinking and arguments one answer may
// hold. A provider that goes on is left, with an error that is not retried.
const MaxAnswer = 32 << 20

// TooLong tells whether the answer has grown beyond MaxAnswer.
func (d *Draft) TooLong() bool { return d.size > MaxAnswer }

// Halt ends the answer as it stands: what the provider still brings is passed
// over, and the caller of the provider is to Fail it.
func (d *Draft) Halt() { d.halted = true }

// Halted tells whether the answer was ended by Halt.
func (d *Draft) Halted() bool { return d.halted }

// Hold lets steps gather until Flush: the provider promises to call that
// whenever it is about to wait for more.
func (d *Draft) Hold() { d.held = true }

// NameCalls tells which tool is meant by a name that the provider was sent.
func (d *Draft) NameCalls(toolOf func(sent string) string) { d.toolOf = toolOf }

// A Filter changes an answer while it streams in.
type Filter interface {
	// Next is what there is of a block once the delta has come; what hangs on
	// more it keeps back. inJSON tells that the block is the arguments of a call.
	Next(delta string, inJSON bool) string
	// Rest is what was kept back when the block ended.
	Rest() string
}

// Through has text, thinking and arguments go through the filter.
func (d *Draft) Through(f Filter) { d.filter = f }

// Flush passes on the steps that have gathered.
func (d *Draft) Flush() {
	if d.flush != nil {
		d.flush()
	}
}

// Text appends to the open text block, or opens one.
func (d *Draft) Text(delta string) {
	if delta == "" || d.halted {
		return
	}
	d.begin(event.TextDelta, event.TextStart)
	d.delta(delta)
}

// TextSignature sets the signature of the open text block; without one it does
// nothing.
func (d *Draft) TextSignature(signature string) {
	if d.open == event.TextDelta {
		d.signature = signature
	}
}

// Thinking appends to the open thinking block, or opens one.
func (d *Draft) Thinking(delta string) {
	if delta == "" || d.halted {
		return
	}
	d.begin(event.ThinkingDelta, event.ThinkingStart)
	d.delta(delta)
}

// ThinkingSignature sets the signature (and item id, if any) of the open
// thinking block; without one it opens an empty block to carry it.
func (d *Draft) ThinkingSignature(signature, itemID string) {
	if d.halted {
		return
	}
	d.begin(event.ThinkingDelta, event.ThinkingStart)
	d.signature, d.itemID = signature, itemID
}

// RedactedThinking adds a sealed block.
func (d *Draft) RedactedThinking(data string) {
	if d.halted {
		return
	}
	d.CloseBlock()
	d.blocks = append(d.blocks, &message.RedactedThinking{Type: "redactedThinking", Data: data})
}

// CallStart opens a tool call; id is the provider's, or "".
func (d *Draft) CallStart(id, name string) {
	if d.halted {
		return
	}
	d.CloseBlock()
	if d.toolOf != nil {
		name = d.toolOf(name)
	}
	d.callKey, d.callName = id, name
	d.begin(event.CallDelta, event.CallStart)
}

// CallArguments appends a fragment of the open call's argument JSON.
func (d *Draft) CallArguments(delta string) {
	if delta != "" && !d.halted && d.open == event.CallDelta {
		d.delta(delta)
	}
}

// CallSignature sets the thought signature of the open call; without one it
// does nothing.
func (d *Draft) CallSignature(signature string) {
	if d.open == event.CallDelta {
		d.signature = signature
	}
}

// CloseBlock ends the open block, if any. For a call this means that its
// arguments are complete.
func (d *Draft) CloseBlock() {
	if !d.halted {
		d.close()
	}
}

func (d *Draft) close() {
	if d.filter != nil {
		if rest := d.filter.Rest(); rest != "" {
			d.add(rest)
		}
	}
	kind, text := d.open, d.text.String()
	part := event.Part{ContentIndex: len(d.blocks)}
	switch kind {
	case event.TextDelta:
		part.Kind, part.Content = event.TextEnd, text
		d.blocks = append(d.blocks, &message.Text{Type: "text", Text: text, Signature: d.signature})
	case event.ThinkingDelta:
		part.Kind, part.Content = event.ThinkingEnd, text
		d.blocks = append(d.blocks, &message.Thinking{Type: "thinking", Thinking: text, Signature: d.signature, ItemID: d.itemID})
	case event.CallDelta:
		id := d.callKey
		if d.callID != nil {
			id = d.callID(id)
		}
		call := &message.ToolCall{Type: "toolCall", ID: id, Name: d.callName, Arguments: arguments(text), ThoughtSignature: d.signature}
		part.Kind, part.Call = event.CallEnd, call
		d.blocks = append(d.blocks, call)
	default:
		return
	}
	d.reset()
	d.report(part)
}

// Usage replaces the token counts; TotalTokens and Cost are worked out here.
func (d *Draft) Usage(u message.Usage, price Price) {
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	const million = 1e6
	u.Cost = message.Cost{
		Input: float64(u.Input) * price.Input / million, Output: float64(u.Output) * price.Output / million,
		CacheRead: float64(u.CacheRead) * price.CacheRead / million, CacheWrite: float64(u.CacheWrite) * price.CacheWrite / million,
	}
	u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
	d.shell.Usage = u
}

// ResponseID notes the provider's id of the answer.
func (d *Draft) ResponseID(id string) { d.shell.ResponseID = id }

// Stop notes why the model stopped. A stop with tool calls becomes toolUse when
// the message is finished.
func (d *Draft) Stop(reason message.StopReason) { d.shell.StopReason = reason }

// StopDetails notes more about an unusual stop.
func (d *Draft) StopDetails(details *message.StopDetails) { d.shell.StopDetails = details }

// Started tells whether anything has streamed in.
func (d *Draft) Started() bool { return d.open != "" || len(d.blocks) > 0 }

// Hollow tells whether a model seems to have stopped by itself without a word
// and without a token: what proxies make of a model that broke off.
func (d *Draft) Hollow() bool {
	return !d.Started() && d.shell.StopReason == message.StopStop && d.shell.StopDetails == nil && d.shell.Usage.Output == 0
}

// Finish closes what is open and returns the message. A call that the output
// limit cut off stays in it, with arguments that say so; the loop runs none of
// the calls of such a message. The draft must not be used afterwards.
func (d *Draft) Finish() *message.Assistant {
	d.close()
	m := d.shell
	m.Content = nonNil(d.blocks)
	if m.StopReason == message.StopStop && len(m.Content.ToolCalls()) > 0 {
		m.StopReason = message.StopToolUse
	}
	return &m
}

// Fail returns the message of an answer that broke off: what had streamed in
// stays, but for a call whose arguments were not complete.
func (d *Draft) Fail(reason message.StopReason, text string) *message.Assistant {
	if d.open == event.CallDelta {
		d.drop()
	}
	d.close()
	m := d.shell
	m.Content = nonNil(d.blocks)
	m.StopReason, m.ErrorMessage = reason, text
	if d.cut {
		m.StopDetails = &message.StopDetails{Type: "stream_interrupted_after_content"}
	}
	return &m
}

func (d *Draft) begin(delta, start event.PartKind) {
	if d.open == delta {
		return
	}
	d.CloseBlock()
	d.open = delta
	d.report(event.Part{Kind: start, ContentIndex: len(d.blocks), Tool: d.callName})
}

func (d *Draft) delta(text string) {
	if d.filter != nil {
		text = d.filter.Next(text, d.open == event.CallDelta)
	}
	if text != "" {
		d.add(text)
	}
}

func (d *Draft) add(text string) {
	d.size += len(text)
	d.text.WriteString(text)
	d.report(event.Part{Kind: d.open, ContentIndex: len(d.blocks), Delta: text})
}

// drop forgets the open call.
func (d *Draft) drop() {
	if d.filter != nil {
		_ = d.filter.Rest() // it goes too
	}
	d.reset()
	d.cut = true
}

func (d *Draft) reset() {
	d.open, d.signature, d.itemID, d.callName, d.callKey = "", "", "", "", ""
	d.text = strings.Builder{} // the old one's bytes belong to the finished block
}

func (d *Draft) report(part event.Part) {
	if d.emit == nil {
		return
	}
	if d.full {
		d.emit(part, d.snapshot())
	} else {
		d.emit(part, d.light)
	}
	if !d.held {
		d.Flush()
	}
}

// snapshot is the answer so far; text is shared, not copied.
func (d *Draft) snapshot() *message.Assistant {
	m := d.shell
	m.Content = append(make(message.Blocks, 0, len(d.blocks)+1), d.blocks...)
	switch d.open {
	case event.TextDelta:
		m.Content = append(m.Content, message.NewText(d.text.String()))
	case event.ThinkingDelta:
		m.Content = append(m.Content, &message.Thinking{Type: "thinking", Thinking: d.text.String()})
	case event.CallDelta:
		m.Content = append(m.Content, &message.ToolCall{Type: "toolCall", ID: d.callKey, Name: d.callName, Arguments: json.RawMessage("{}")})
	}
	return &m
}

// arguments makes one JSON object of an argument text; "" is {}.
func arguments(text string) json.RawMessage {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return json.RawMessage("{}")
	}
	if trimmed[0] == '{' && json.Valid([]byte(trimmed)) {
		return json.RawMessage(strings.ToValidUTF8(trimmed, "\uFFFD"))
	}
	raw, err := message.Marshal(map[string]string{ParseErrorKey: "the arguments are not one JSON object", RawArgumentsKey: text})
	if err != nil {
		return json.RawMessage("{}") // unreachable: strings always encode
	}
	return raw
}

// The keys under which arguments arrive that are not a JSON object.
const (
	ParseErrorKey   = "__parseError"
	RawArgumentsKey = "__rawJson"
)

func nonNil(blocks message.Blocks) message.Blocks {
	if blocks == nil {
		return message.Blocks{}
	}
	return blocks
}
