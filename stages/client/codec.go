package client

import (
	"encoding/json"
	"fmt"

	"veyyon.dev/veyyon/frames"
)

// codec is Veyyon RPC from the host's side. All that it encodes was encoded as
// JSON by whoever sent it, so that a command that cannot be encoded fails in
// its caller.
type codec struct{}

// reply is the answer to a command.
type reply struct {
	ID      string
	Command string
	Fault   *Error
	Data    json.RawMessage
	Raw     frames.Line
}

// Size is the length of the line in bytes.
func (r reply) Size() int { return len(r.Raw) }

// Size is the length of the line in bytes.
func (e Event) Size() int { return len(e.Raw) }

// head is what the dispatcher has to know about a line of the server.
type head struct {
	Type     string          `json:"type"`
	ID       json.RawMessage `json:"id"`
	TargetID string          `json:"targetId"`
	Method   string          `json:"method"`
	Command  string          `json:"command"`
	Success  bool            `json:"success"`
	Error    string          `json:"error"`
	Code     string          `json:"code"`
	Data     json.RawMessage `json:"data"`
}

// Decode returns a reply for a response and an Event for everything else, also
// for what is no frame at all.
func (codec) Decode(line frames.Line) frames.Inbound {
	if len(line) == 0 {
		return nil
	}
	var h head
	if err := frames.Unmarshal(line, &h); err != nil {
		return Event{Type: NotAFrame, Raw: json.RawMessage(line)}
	}
	var id string
	_ = frames.Unmarshal(h.ID, &id) // an id of another kind is not ours
	if h.Type != "response" {
		return Event{Type: h.Type, Raw: json.RawMessage(line), id: id, target: h.TargetID, method: h.Method}
	}
	r := reply{ID: id, Command: h.Command, Data: h.Data, Raw: line}
	if !h.Success {
		r.Fault = &Error{Command: h.Command, Text: h.Error, Code: h.Code}
	}
	return r
}

// TooLong stands for a line of the server that is longer than the pipe allows.
func (codec) TooLong(limit int) frames.Malformed {
	return frames.Malformed{Answer: frames.Response{
		Fault: &frames.Fault{Text: fmt.Sprintf("the server wrote a line of more than %d bytes", limit)},
	}}
}

// Encode writes a command (an Ask), an answer to the server (a Note with a
// name) or a raw line (a Note without one). The fields are a JSON object.
func (codec) Encode(f frames.Outbound) (frames.Line, error) {
	var id, name string
	var fields json.RawMessage
	switch f := f.(type) {
	case frames.Ask:
		id, name, fields = f.ID, f.Name, f.Body.(json.RawMessage)
	case frames.Note:
		name, fields = f.Name, f.Body.(json.RawMessage)
	}
	if name == "" {
		return frames.Line(fields), nil
	}
	line, err := frames.Append(nil, struct {
		ID   string `json:"id,omitempty"`
		Type string `json:"type"`
	}{id, name})
	if err != nil {
		return nil, err
	}
	if len(fields) > len("{}") {
		line = append(line[:len(line)-1], ',')
		line = append(line, fields[1:]...)
	}
	return frames.EscapeSeparators(line), nil
}

// Unencodable is never needed: see codec.
func (codec) Unencodable(frames.Outbound, error) frames.Outbound { return nil }

// encodeFields makes the JSON object that Encode puts beside the name; nil
// means no fields.
func encodeFields(fields any) (json.RawMessage, error) {
	if fields == nil {
		return nil, nil
	}
	raw, err := frames.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if len(raw) < 2 || raw[0] != '{' {
		return nil, fmt.Errorf("the fields of a frame are a JSON object, not %T", fields)
	}
	return raw, nil
}
