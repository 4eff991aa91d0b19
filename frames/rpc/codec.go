// Package rpc is the Veyyon RPC dialect: flat JSON objects told apart by their
// type. The codec knows how frames are built; which commands there are, the
// table in router/rpc tells it.
//
// Protocol: "Transport and Framing"; facts/rpc 2 and 4.
package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
)

// Codes of the codec's own refusals; those of commands are in core/fault.
const (
	codeParse    = "parse"
	codeUnknown  = "unknown_command"
	codeInternal = "internal"
)

// Object is the text of a command.
type Object = frames.Object

// A BodyDecoder reads the arguments of one command. Its error's text goes to
// the host.
type BodyDecoder func(Object) (any, error)

// A Codec implements frames.Codec.
type Codec struct {
	bodies map[string]BodyDecoder

	// Only Encode touches these: the message that updates share, and its text.
	shared     *message.Assistant
	sharedText []byte
}

// NewCodec returns a codec that knows the commands that are keys of bodies.
func NewCodec(bodies map[string]BodyDecoder) *Codec { return &Codec{bodies: bodies} }

// Decode turns one line into a Command, a Reply or a Malformed, and a blank
// line into nil. Bytes that are not UTF-8 become U+FFFD, and a byte-order mark
// is dropped.
func (c *Codec) Decode(line frames.Line) frames.Inbound {
	text := frames.Text(line)
	switch {
	case len(text) == 0:
		return nil
	case !json.Valid(text):
		return unparsed(syntaxError(text), len(line))
	case string(text) == "null":
		return unparsed("null is no command", len(line))
	case !frames.IsObject(text):
		return unknown("undefined", len(line))
	}
	o := Object(text)
	kind, _ := o.Get("type")
	if !frames.IsString(kind) {
		return unknown(o.Shown("type"), len(line))
	}
	name := frames.Unquote(kind)
	if reply, ok := decodeReply(name, o); ok {
		reply.Len = len(line)
		return reply
	}
	decode, ok := c.bodies[name]
	if !ok {
		return unknown(name, len(line))
	}
	command := frames.Command{ID: correlation(o), Name: name, Len: len(line)}
	body, err := decode(o)
	if err != nil {
		command.Err = err
	} else {
		command.Body = body
	}
	return command
}

// TooLong answers a line of more than limit bytes, which was not read.
func (c *Codec) TooLong(limit int) frames.Malformed {
	return unparsed(fmt.Sprintf("the line is longer than %d bytes", limit), 0)
}

// correlation returns the id as it came, nil when there is none. It is copied,
// so that it does not keep the whole line alive.
func correlation(o Object) frames.ID {
	raw, ok := o.Get("id")
	if !ok {
		return nil
	}
	if raw[0] != '{' && raw[0] != '[' {
		return frames.EscapeSeparators(bytes.Clone(raw))
	}
	id := new(bytes.Buffer)
	_ = json.Compact(id, raw) // cannot fail: the text is valid
	return frames.EscapeSeparators(id.Bytes())
}

// unparsed refuses what is no JSON. Protocol: "Edge behavior from runtime".
func unparsed(reason string, size int) frames.Malformed {
	return frames.Malformed{Len: size, Answer: frames.Response{
		Command: "parse", Fault: &frames.Fault{Text: "Failed to parse command: " + reason, Code: codeParse},
	}}
}

// unknown refuses a command that is not ours, without its id. Protocol: "Edge
// behavior from runtime".
func unknown(name string, size int) frames.Malformed {
	return frames.Malformed{Len: size, Answer: frames.Response{
		Command: name, Fault: &frames.Fault{Text: "Unknown command: " + name, Code: codeUnknown},
	}}
}

// syntaxError says what is wrong with a text, and where.
func syntaxError(text []byte) string {
	var raw json.RawMessage
	err := json.Unmarshal(text, &raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v at byte %d", err, syntax.Offset)
	}
	return fmt.Sprint(err)
}
