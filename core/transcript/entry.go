// Package transcript keeps sessions in files: one JSON line an entry, the
// entries forming a tree that only grows. It reads what crashes, full disks and
// other programs have left behind, and it never rewrites a line.
//
// Format: facts/agent 3.
package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// An Entry is one line of a session file and one node of its tree. Its fields
// are never changed once it is in a Log.
type Entry struct {
	Type   string
	ID     string
	Parent *Entry    // nil for a root; always earlier in the file
	Time   time.Time // zero when the line has none that can be read

	body Body
	raw  []byte // the whole line, until body is decoded from it
}

// A Body is what an entry says beside its place in the tree: one of *Message,
// *CustomMessage, *Custom, *ModelChange, *ThinkingChange, *TitleChange,
// *Compaction, *BranchSummary, *Label or *Unknown.
type Body interface{ kind() string }

type (
	// Message is a message of the conversation.
	Message struct {
		Message message.Message `json:"message"`
	}
	// CustomMessage is a message of an extension or of the program; models see
	// it.
	CustomMessage struct {
		CustomType  string          `json:"customType"`
		Content     message.Blocks  `json:"content"`
		Display     bool            `json:"display"`
		Details     json.RawMessage `json:"details,omitempty"`
		Attribution string          `json:"attribution,omitempty"`
	}
	// Custom is a note of an extension or of the program; models never see it.
	Custom struct {
		CustomType string          `json:"customType"`
		Data       json.RawMessage `json:"data,omitempty"`
	}
	// ModelChange notes the model ("provider/id") for a role; no role means
	// "default".
	ModelChange struct {
		Model string `json:"model"`
		Role  string `json:"role,omitempty"`
	}
	// ThinkingChange notes the effective thinking level and the one asked for.
	ThinkingChange struct {
		ThinkingLevel *string `json:"thinkingLevel"`
		Configured    *string `json:"configured,omitempty"`
	}
	// TitleChange notes a new title.
	TitleChange struct {
		Title         string      `json:"title"`
		PreviousTitle string      `json:"previousTitle,omitempty"`
		Source        TitleSource `json:"source"`
		Trigger       string      `json:"trigger,omitempty"`
	}
	// Compaction replaces the path up to FirstKeptEntryID by a summary.
	Compaction struct {
		Summary          string          `json:"summary"`
		ShortSummary     string          `json:"shortSummary,omitempty"`
		FirstKeptEntryID string          `json:"firstKeptEntryId"`
		TokensBefore     int             `json:"tokensBefore"`
		Details          json.RawMessage `json:"details,omitempty"`
		PreserveData     json.RawMessage `json:"preserveData,omitempty"`
		FromExtension    bool            `json:"fromExtension,omitempty"`
		Warning          string          `json:"warning,omitempty"`

		// FirstKeptEntryIndex is how version 1 named the entry: its place in
		// the file, the header being 0. It is read, never written.
		FirstKeptEntryIndex int `json:"firstKeptEntryIndex,omitempty"`
	}
	// BranchSummary stands for the branch that was left at FromID.
	BranchSummary struct {
		FromID        string          `json:"fromId"`
		Summary       string          `json:"summary"`
		Details       json.RawMessage `json:"details,omitempty"`
		FromExtension bool            `json:"fromExtension,omitempty"`
	}
	// Label names an entry; an empty one takes the name away.
	Label struct {
		TargetID string `json:"targetId"`
		Label    string `json:"label,omitempty"`
	}
	// Unknown is an entry of a type that is not ours, or one whose contents do
	// not fit its type. Raw is the line as it was read, nil when it is not JSON.
	Unknown struct{ Raw json.RawMessage }
)

// The entry types that are told apart.
const (
	typeMessage        = "message"
	typeCustomMessage  = "custom_message"
	typeCustom         = "custom"
	typeModelChange    = "model_change"
	typeThinkingChange = "thinking_level_change"
	typeTitleChange    = "title_change"
	typeCompaction     = "compaction"
	typeBranchSummary  = "branch_summary"
	typeLabel          = "label"
)

func (*Message) kind() string        { return typeMessage }
func (*CustomMessage) kind() string  { return typeCustomMessage }
func (*Custom) kind() string         { return typeCustom }
func (*ModelChange) kind() string    { return typeModelChange }
func (*ThinkingChange) kind() string { return typeThinkingChange }
func (*TitleChange) kind() string    { return typeTitleChange }
func (*Compaction) kind() string     { return typeCompaction }
func (*BranchSummary) kind() string  { return typeBranchSummary }
func (*Label) kind() string          { return typeLabel }
func (*Unknown) kind() string        { return "" }

// emptyBody returns a body to decode a line of that type into, nil when the
// type is not ours.
func emptyBody(kind string) Body {
	switch kind {
	case typeMessage:
		return &Message{}
	case typeCustomMessage:
		return &CustomMessage{}
	case typeCustom:
		return &Custom{}
	case typeModelChange:
		return &ModelChange{}
	case typeThinkingChange:
		return &ThinkingChange{}
	case typeTitleChange:
		return &TitleChange{}
	case typeCompaction:
		return &Compaction{}
	case typeBranchSummary:
		return &BranchSummary{}
	case typeLabel:
		return &Label{}
	}
	return nil
}

// decodeBody reads the contents of a line. An error means that they do not fit
// the type.
func decodeBody(kind string, line []byte) (Body, error) {
	body := emptyBody(kind)
	m, ok := body.(*Message)
	if !ok {
		return body, json.Unmarshal(line, body)
	}
	var raw []byte
	eachField(line, func(key, value []byte) {
		if string(key) == "message" {
			raw = value
		}
	})
	if raw == nil {
		return nil, errors.New("there is no message")
	}
	var err error
	m.Message, err = message.Decode(raw)
	return m, err
}

// base is what every entry's line begins with.
type base struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"`
	Timestamp string  `json:"timestamp"`
}

// encode returns the entry's line with its newline.
func (e *Entry) encode(body Body) ([]byte, error) {
	head := base{Type: e.Type, ID: e.ID, Timestamp: stamp(e.Time)}
	if e.Parent != nil {
		head.ParentID = &e.Parent.ID
	}
	line, err := marshal(head)
	if err != nil {
		return nil, err
	}
	rest, err := marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s entry: %w", e.Type, err)
	}
	line[len(line)-2] = ',' // in place of the brace; a newline follows it
	return append(line[:len(line)-1], rest[1:]...), nil
}

// stamp is how times are written: UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
