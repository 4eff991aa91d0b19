package rpc

import (
	"strconv"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
)

// A delta is the body of a message_update.
type delta interface {
	// parts returns the event and the text it adds, if it is one that adds text.
	parts() (u *event.MessageUpdate, text string)
}

// Update is the body of a message_update as the session sent it. It is a
// frames.Joiner: when the host is slow, the deltas of one block become one.
type Update struct{ Event *event.MessageUpdate }

func (u Update) parts() (*event.MessageUpdate, string) { return u.Event, u.Event.Part.Delta }

// Join takes in the next delta of the same block.
func (u Update) Join(next any) (frames.Joiner, bool) {
	if !u.takes(next) {
		return nil, false
	}
	joined := &joinedUpdate{Update: u}
	joined.text.WriteString(u.Event.Part.Delta)
	return joined.Join(next)
}

// takes tells whether next is another delta of the same block.
func (u Update) takes(next any) bool {
	other, ok := next.(Update)
	return ok && isDelta(u.Event.Part.Kind) && other.Event.Part.Kind == u.Event.Part.Kind &&
		other.Event.Message == u.Event.Message && other.Event.Part.ContentIndex == u.Event.Part.ContentIndex
}

// updateWeight is about what a message_update takes beside its text, in bytes.
const updateWeight = 700

// Weight is about how many bytes the line takes.
func (u Update) Weight() int { return updateWeight + len(u.Event.Part.Delta) }

// A joinedUpdate is an update that has taken in others. One goroutine owns it.
type joinedUpdate struct {
	Update
	text strings.Builder
}

func (j *joinedUpdate) parts() (*event.MessageUpdate, string) { return j.Event, j.text.String() }

// Join takes in the next delta of the same block, in place.
func (j *joinedUpdate) Join(next any) (frames.Joiner, bool) {
	if !j.takes(next) {
		return nil, false
	}
	j.text.WriteString(next.(Update).Event.Part.Delta)
	return j, true
}

// Weight is about how many bytes the line takes.
func (j *joinedUpdate) Weight() int { return updateWeight + j.text.Len() }

// Progress is the body of a tool_execution_update. A newer one of the same call
// supersedes it.
type Progress event.ToolUpdate

// Supersedes returns what all updates of one call share.
func (p Progress) Supersedes() string { return "tool_execution_update " + p.ToolCallID }

func isDelta(kind event.PartKind) bool {
	return kind == event.TextDelta || kind == event.ThinkingDelta || kind == event.CallDelta
}

// lightPartial is the partial of a light update: clients want one with a role.
// All that does not change stands in the message beside it.
var lightPartial = []byte(`{"role":"assistant","content":[]}`)

// appendUpdate writes a message_update. It is the hot frame of the protocol (one
// for every few characters of an answer), so it is written by hand and takes one
// allocation: the text of the message is kept for as long as updates share it.
func (c *Codec) appendUpdate(u *event.MessageUpdate, text string) (frames.Line, error) {
	light, err := c.messageText(u.Message)
	if err != nil {
		return nil, err
	}
	partial := lightPartial
	if len(u.Message.Content) > 0 {
		partial = light // --message-updates full: both hold the answer so far
	}
	const room = 160 // for the keys and a few escapes
	part := &u.Part
	line := make([]byte, 0, room+len(partial)+len(light)+len(text)+len(text)/16+len(part.Content))
	line = append(line, `{"type":"message_update","assistantMessageEvent":{"type":"`...)
	line = append(line, part.Kind...)
	line = strconv.AppendInt(append(line, `","contentIndex":`...), int64(part.ContentIndex), 10)
	switch part.Kind {
	case event.TextDelta, event.ThinkingDelta, event.CallDelta:
		line = frames.AppendString(append(line, `,"delta":`...), text)
	case event.TextEnd, event.ThinkingEnd:
		line = frames.AppendString(append(line, `,"content":`...), part.Content)
	case event.CallEnd:
		call, err := marshal(part.Call)
		if err != nil {
			return nil, err
		}
		line = append(append(line, `,"toolCall":`...), call...)
	}
	line = append(append(line, `,"partial":`...), partial...)
	line = append(append(line, `},"message":`...), light...)
	return append(line, '}'), nil
}

// messageText returns the JSON of a message, and keeps that of the last one. The
// pointer kept keeps the message alive, so no other can get its address.
func (c *Codec) messageText(m *message.Assistant) ([]byte, error) {
	if c.sharedText == nil || c.shared != m {
		text, err := marshal(m)
		if err != nil {
			return nil, err
		}
		c.shared, c.sharedText = m, text
	}
	return c.sharedText, nil
}

func marshal(v any) ([]byte, error) {
	raw, err := frames.Marshal(v)
	return frames.Clean(raw), err
}
