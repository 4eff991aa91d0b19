package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
	wire "veyyon.dev/veyyon/frames/acp"
)

// replayAtOnce is how many entries of a file are in memory while they are told.
const replayAtOnce = 64

// replay tells all that was said on the way to where the session stands, also
// what a compaction has taken out of the context.
//
// Protocol: facts/acp 4.3.
func (one *session) replay(ctx context.Context) error {
	now, file, err := one.agent.Transcript(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // nothing was written
	var path []*transcript.Entry
	for e := now.Leaf(); e != nil; e = e.Parent {
		path = append(path, e)
	}
	slices.Reverse(path)
	r := replayer{session: one, calls: map[string]*call{}}
	for part := range slices.Chunk(path, replayAtOnce) {
		for _, e := range part {
			body, err := now.Body(e)
			if err != nil {
				return err
			}
			r.entry(body)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// A replayer tells what a transcript holds.
type replayer struct {
	session *session
	calls   map[string]*call // whose results have not come
}

func (r *replayer) entry(body transcript.Body) {
	switch b := body.(type) {
	case *transcript.Message:
		r.message(b.Message)
	case *transcript.CustomMessage:
		if b.Display {
			r.blocks(b.Content)
		}
	case *transcript.Compaction:
		r.session.sink.tellText(wire.UserChunk, b.Summary)
	case *transcript.BranchSummary:
		r.session.sink.tellText(wire.UserChunk, b.Summary)
	}
}

func (r *replayer) message(m message.Message) {
	switch m := m.(type) {
	case *message.User:
		r.blocks(m.Content)
	case *message.Developer:
		r.blocks(m.Content)
	case *message.Assistant:
		r.answer(m)
	case *message.ToolResult:
		r.result(m)
	case *message.BashExecution:
		r.session.sink.tellText(wire.UserChunk, "$ "+m.Command+"\n"+m.Output)
	}
}

// blocks tells what the person said, under one id.
func (r *replayer) blocks(content message.Blocks) {
	id := uuid.NewString()
	for _, block := range content {
		switch b := block.(type) {
		case *message.Text:
			if b.Text != "" {
				r.session.sink.tellChunk(wire.UserChunk, id, b.Text)
			}
		case *message.Image:
			r.session.sink.send(wire.BlockChunk{Kind: wire.UserChunk, Content: wire.ImageContent(b.Data, b.MimeType), MessageID: id})
		}
	}
}

// answer tells an answer, and why it failed when it holds nothing else.
func (r *replayer) answer(m *message.Assistant) {
	id, told := uuid.NewString(), false
	for _, block := range m.Content {
		switch b := block.(type) {
		case *message.Text:
			if b.Text == "" {
				continue
			}
			r.session.sink.tellChunk(wire.AgentChunk, id, b.Text)
		case *message.Thinking:
			if strings.TrimSpace(b.Thinking) == "" {
				continue
			}
			r.session.sink.tellChunk(wire.ThoughtChunk, id, b.Thinking)
		case *message.ToolCall:
			c := newCall(b.Name, argumentsOf(b.Arguments))
			r.calls[b.ID] = c
			r.session.sink.send(c.announced(b.ID, statusCompleted, r.session.dir))
		default:
			continue
		}
		told = true
	}
	if !told && m.StopReason == message.StopError {
		r.session.sink.tellChunk(wire.AgentChunk, id, m.ErrorMessage)
	}
}

// argumentsOf are arguments as an object; some files have them as its text.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return json.RawMessage(text)
	}
	return raw
}

// result tells what a call gave; of a call that is not in the file, that too.
func (r *replayer) result(m *message.ToolResult) {
	c, sink := r.calls[m.ToolCallID], r.session.sink
	if c == nil {
		c = newCall(m.ToolName, nil)
		sink.send(c.announced(m.ToolCallID, statusCompleted, r.session.dir))
	}
	delete(r.calls, m.ToolCallID)
	status := statusCompleted
	if m.IsError {
		status = statusFailed
	}
	output := event.ToolOutput{Content: m.Content, Details: m.Details, IsError: m.IsError}
	sink.send(wire.ToolCall{
		Update: updateCall, ToolCallID: m.ToolCallID, Status: status, Content: c.shown(output), Locations: places(output), RawOutput: output,
	})
	if todos, ok := todosOf(m.ToolName, m.Details); ok {
		sink.tellPlan(todos)
	}
}
