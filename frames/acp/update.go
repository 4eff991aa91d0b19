package acp

import (
	"encoding/json"
	"strings"

	"veyyon.dev/veyyon/frames"
)

// UpdateMethod is the name of all updates.
const UpdateMethod = "session/update"

// An Update is the body of a session/update: Update is one of the types below.
// Protocol: facts/acp 7.
type Update struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

// A Progress is the body of a session/update about a call that is running. A newer
// one of the same call supersedes it.
type Progress struct {
	SessionID string   `json:"sessionId"`
	Update    ToolCall `json:"update"`
}

// Supersedes returns what all progress of one call shares.
func (p Progress) Supersedes() string { return p.SessionID + " " + p.Update.ToolCallID }

// A ChunkKind says whose text a chunk is.
type ChunkKind string

// The kinds of chunks.
const (
	UserChunk    ChunkKind = "user_message_chunk"
	AgentChunk   ChunkKind = "agent_message_chunk"
	ThoughtChunk ChunkKind = "agent_thought_chunk"
)

// A TextChunk is the body of a session/update with a piece of a message's text.
// It is the hot frame of the protocol, and a frames.Joiner: when the client is
// slow, pieces of one message become one.
type TextChunk struct {
	SessionID string
	Kind      ChunkKind
	MessageID string
	Text      string
}

// A chunk is a TextChunk or one that has taken in others.
type chunk interface {
	parts() (c *TextChunk, text string)
}

func (c TextChunk) parts() (*TextChunk, string) { return &c, c.Text }

// Join takes in the next piece of the same message.
func (c TextChunk) Join(next any) (frames.Joiner, bool) {
	if !c.takes(next) {
		return nil, false
	}
	joined := &joinedChunk{TextChunk: c}
	joined.text.WriteString(c.Text)
	return joined.Join(next)
}

func (c TextChunk) takes(next any) bool {
	other, ok := next.(TextChunk)
	return ok && other.Kind == c.Kind && other.MessageID == c.MessageID && other.SessionID == c.SessionID
}

// chunkWeight is about what a chunk takes beside its text, in bytes.
const chunkWeight = 260

// Weight is about how many bytes the line takes.
func (c TextChunk) Weight() int { return chunkWeight + len(c.Text) }

// A joinedChunk has taken in others. One goroutine owns it.
type joinedChunk struct {
	TextChunk
	text strings.Builder
}

func (j *joinedChunk) parts() (*TextChunk, string) { return &j.TextChunk, j.text.String() }

// Join takes in the next piece of the same message, in place.
func (j *joinedChunk) Join(next any) (frames.Joiner, bool) {
	if !j.takes(next) {
		return nil, false
	}
	j.text.WriteString(next.(TextChunk).Text)
	return j, true
}

// Weight is about how many bytes the line takes.
func (j *joinedChunk) Weight() int { return chunkWeight + j.text.Len() }

// appendChunk writes a chunk by hand, in one allocation for most.
func appendChunk(c chunk) frames.Line {
	about, text := c.parts()
	line := make([]byte, 0, chunkWeight+len(text)+len(text)/16)
	line = frames.AppendString(append(append(line, head...), `"method":"session/update","params":{"sessionId":`...), about.SessionID)
	line = append(append(append(line, `,"update":{"sessionUpdate":"`...), about.Kind...), `","content":{"type":"text","text":`...)
	line = frames.AppendString(line, text)
	line = frames.AppendString(append(line, `},"messageId":`...), about.MessageID)
	return append(line, `}}}`...)
}

type (
	// BlockChunk is an update with a piece of a message that is no text.
	BlockChunk struct {
		Kind      ChunkKind `json:"sessionUpdate"`
		Content   Content   `json:"content"`
		MessageID string    `json:"messageId"`
	}
	// Content is a content block: Text of a text, Data and MimeType of an image,
	// URI and Name of a resource_link.
	Content struct {
		Type     string  `json:"type"`
		Text     *string `json:"text,omitempty"` // never nil in a text
		Data     string  `json:"data,omitempty"`
		MimeType string  `json:"mimeType,omitempty"`
		URI      string  `json:"uri,omitempty"`
		Name     string  `json:"name,omitempty"`
	}
	// ToolCall announces a call, or changes what is known of one; of what is
	// absent nothing changes, and lists replace.
	ToolCall struct {
		Update     string          `json:"sessionUpdate,omitempty"` // tool_call or tool_call_update; absent in requests
		ToolCallID string          `json:"toolCallId"`
		Title      string          `json:"title,omitempty"`
		Name       string          `json:"name,omitempty"`
		Kind       string          `json:"kind,omitempty"`
		Status     string          `json:"status,omitempty"`
		Content    []ToolContent   `json:"content,omitempty"`
		Locations  []Location      `json:"locations,omitempty"`
		RawInput   json.RawMessage `json:"rawInput,omitempty"`
		RawOutput  any             `json:"rawOutput,omitempty"`
	}
	// ToolContent is one of: a content with Content, a diff with Path, OldText and
	// NewText, a terminal with TerminalID.
	ToolContent struct {
		Type       string   `json:"type"`
		Content    *Content `json:"content,omitempty"`
		Path       string   `json:"path,omitempty"`
		OldText    *string  `json:"oldText,omitempty"` // nil for a file that was not there
		NewText    *string  `json:"newText,omitempty"` // never nil in a diff
		TerminalID string   `json:"terminalId,omitempty"`
	}
	// Location is a place that a call works on. Path is absolute, Line counts from
	// 1 and is 0 when unknown.
	Location struct {
		Path string `json:"path"`
		Line int    `json:"line,omitempty"`
	}
	// Plan is the todo list, always whole.
	Plan struct {
		Update  string      `json:"sessionUpdate"`
		Entries []PlanEntry `json:"entries"` // never nil
	}
	// PlanEntry is a task. Status is pending, in_progress or completed.
	PlanEntry struct {
		Content  string `json:"content"`
		Priority string `json:"priority"`
		Status   string `json:"status"`
	}
	// Commands lists the slash commands.
	Commands struct {
		Update   string         `json:"sessionUpdate"`
		Commands []SlashCommand `json:"availableCommands"` // never nil
	}
	// SlashCommand is one of them; Name has no slash.
	SlashCommand struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Input       *Hint  `json:"input,omitempty"`
	}
	// Hint says what to type after the name.
	Hint struct {
		Hint string `json:"hint"`
	}
	// CurrentMode tells the mode.
	CurrentMode struct {
		Update        string `json:"sessionUpdate"`
		CurrentModeID string `json:"currentModeId"`
	}
	// ConfigOptions tells all options.
	ConfigOptions struct {
		Update  string         `json:"sessionUpdate"`
		Options []ConfigOption `json:"configOptions"`
	}
	// SessionInfo tells the title, and when the session changed, in RFC 3339.
	SessionInfo struct {
		Update    string `json:"sessionUpdate"`
		Title     string `json:"title,omitempty"`
		UpdatedAt string `json:"updatedAt,omitempty"`
	}
	// UsageUpdate tells how full the context is, in tokens.
	UsageUpdate struct {
		Update string `json:"sessionUpdate"`
		Used   int    `json:"used"`
		Size   int    `json:"size"`
		Cost   *Cost  `json:"cost,omitempty"`
	}
	// Cost is what the session has cost so far.
	Cost struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	}
	// Notice tells the person something. Severity is info, warning or error. Only
	// clients that say so take it.
	Notice struct {
		Update   string `json:"sessionUpdate"`
		Severity string `json:"severity"`
		Title    string `json:"title"`
	}
)

// TextContent is a text as a content block.
func TextContent(text string) Content { return Content{Type: "text", Text: &text} }

// ImageContent is an image, in base64, as a content block.
func ImageContent(data, mimeType string) Content {
	return Content{Type: "image", Data: data, MimeType: mimeType}
}
