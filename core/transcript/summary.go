package transcript

import (
	"bytes"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// A Summary describes a session from the ends of its file.
type Summary struct {
	Path         string
	ID           string
	CWD          string
	Title        string // that of the last compaction near the end when it has none itself
	Parent       string
	Created      time.Time
	Modified     time.Time
	Size         int64  // bytes
	FirstMessage string // how the first user message near the beginning begins, noMessages for none
	Status       Status

	hasSlot bool // Title is that of the slot
}

// Status says how a session was left.
type Status string

// The ways a session can have been left.
const (
	StatusComplete    Status = "complete"    // the model had answered
	StatusInterrupted Status = "interrupted" // in the middle of tool calls
	StatusAborted     Status = "aborted"
	StatusError       Status = "error"
	StatusPending     Status = "pending" // the model had not answered yet
	StatusUnknown     Status = "unknown"
)

// How much of a file is read to describe it, in bytes: its beginning, more of it
// when no message begins there, and its end.
const (
	headSize      = 4 << 10
	longHeadSize  = 64 << 10
	shortTailSize = 4 << 10
	tailSize      = 32 << 10
)

// noMessages is what hosts show then (facts/agent 3.7).
const noMessages = "(no messages)"

// firstMessageLength bounds Summary.FirstMessage, in characters; the rest is
// left out.
const firstMessageLength = 200

// summarize describes the session in a file. buf is scratch memory.
func summarize(c candidate, buf *[]byte) (Summary, error) {
	f, err := openEnds(c.path)
	if err != nil {
		return Summary{}, err
	}
	defer f.close()
	s := Summary{Path: c.path, Modified: c.modified, Size: c.size, FirstMessage: noMessages, Status: StatusUnknown}
	ok := false
	for _, size := range []int64{headSize, longHeadSize} {
		head, err := f.read(0, min(size, s.Size), buf)
		if err != nil {
			return Summary{}, err
		}
		spoken := false
		if ok, spoken = s.fromHead(head); spoken || s.Size <= size {
			break
		}
	}
	if !ok {
		return Summary{}, notSession(c.path)
	}
	tailSizes := []int64{shortTailSize, tailSize}
	if s.Title == "" { // there may be one in more of it
		tailSizes = tailSizes[1:]
	}
	for _, size := range tailSizes {
		tail, err := f.read(max(0, s.Size-size), min(size, s.Size), buf)
		if err != nil {
			return Summary{}, err
		}
		if s.Title == "" {
			s.Title = compactionIn(tail)
		}
		if s.Status = statusFrom(tail); s.Status != StatusUnknown || s.Size <= size {
			break
		}
	}
	return s, nil
}

// compactionBegin is how the lines of compactions begin as we and others write
// them.
var compactionBegin = []byte("\n" + `{"type":"compaction"`)

// compactionIn returns the short summary of the last compaction in the end of a
// file, "" for none.
func compactionIn(tail []byte) (short string) {
	for {
		at := bytes.Index(tail, compactionBegin)
		if at < 0 {
			return short
		}
		tail = tail[at+1:]
		line, _, _ := bytes.Cut(tail, []byte("\n"))
		short, _ = unquote(fieldOf(line, "shortSummary"))
	}
}

// fromHead fills in what head tells, whose last line may be cut off. It tells
// whether a header is in it, and a user message.
func (s *Summary) fromHead(head []byte) (found, spoken bool) {
	for line := range bytes.Lines(head) {
		if !found {
			found = s.fromFirst(line)
			continue
		}
		if raw, _ := lineMessage(line); roleIn(raw) == message.RoleUser {
			s.FirstMessage = messagePreview(raw, firstMessageLength)
			return true, true
		}
	}
	return found, false
}

// fromFirst takes over a title slot or a header, and tells whether it is the
// latter. It is decodeHead without the cost of decoding: most of what a page
// takes beside reading would be that.
func (s *Summary) fromFirst(line []byte) bool {
	kind, id, cwd, title, parent, created := "", "", "", "", "", ""
	fits := true
	take := func(to *string, value []byte) {
		text, ok := unquote(value)
		*to, fits = text, fits && ok
	}
	whole := eachField(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			take(&kind, value)
		case "id":
			take(&id, value)
		case "cwd":
			take(&cwd, value)
		case "title":
			take(&title, value)
		case "parentSession":
			take(&parent, value)
		case "timestamp":
			take(&created, value)
		}
	})
	switch {
	case !whole || !fits:
		return false
	case kind == "title":
		s.Title, s.hasSlot = title, true
		return false
	case kind != "session" || id == "":
		return false
	}
	s.ID, s.CWD, s.Parent, s.Created = id, cwd, parent, parseTime(created)
	if !s.hasSlot {
		s.Title = title
	}
	return true
}

// statusFrom looks for the last message in the end of a file.
func statusFrom(tail []byte) Status {
	for len(tail) > 0 {
		at := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n') + 1
		if raw, whole := lineMessage(tail[at:]); whole {
			if status := statusAfter(raw); status != StatusUnknown {
				return status
			}
		}
		tail = tail[:at]
	}
	return StatusUnknown
}

func statusAfter(raw []byte) Status {
	switch roleIn(raw) {
	case message.RoleUser:
		return StatusPending
	case message.RoleToolResult:
		return StatusInterrupted
	case message.RoleAssistant:
		reason, _ := unquote(fieldOf(raw, "stopReason"))
		switch message.StopReason(reason) {
		case message.StopStop, message.StopLength:
			return StatusComplete
		case message.StopAborted:
			return StatusAborted
		case message.StopError:
			return StatusError
		case message.StopToolUse:
			return StatusInterrupted
		}
	}
	return StatusUnknown
}

// lineMessage returns the message of a line as it stands there, nil when it has
// none, and whether the line is whole.
func lineMessage(line []byte) (raw []byte, whole bool) {
	kind := ""
	whole = eachField(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind, _ = unquote(value)
		case "message":
			raw = value
		}
	})
	if kind != typeMessage {
		return nil, whole
	}
	return raw, whole
}
