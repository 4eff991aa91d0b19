// Package acp is the Agent Client Protocol: JSON-RPC 2.0 over lines. The codec
// knows the envelope; which methods there are, the table in router/acp tells it.
//
// Protocol: "The ACP server"; facts/acp 1 and 2.
package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/frames"
)

// An Object is the params of a method, {} when it has none.
type Object = frames.Object

// A Method is one that clients call. Decode reads its params; a Notification is
// never answered.
type Method struct {
	Decode       func(Object) (any, error)
	Notification bool
}

// A Codec implements frames.Codec.
type Codec struct{ methods map[string]Method }

// NewCodec returns a codec that knows the methods that are keys.
func NewCodec(methods map[string]Method) *Codec { return &Codec{methods: methods} }

// ReplyKind is the Kind of all replies: JSON-RPC has one.
const ReplyKind = "response"

// A Reply is the body of a frames.Reply: a result, or the error that stands in
// its place.
type Reply struct {
	Result json.RawMessage
	Err    error
}

// An AnswerError is the error with which a client answered a request of ours.
type AnswerError struct {
	Code    int
	Message string
}

func (e *AnswerError) Error() string { return e.Message }

var null = frames.ID("null")

// Decode turns one line into a Command, a Reply, a Cancel or a Malformed; and
// into nil a line that is never answered: a blank one, a notification that is
// not known, and what looks like an answer to no request.
func (c *Codec) Decode(line frames.Line) frames.Inbound {
	text := frames.Text(line)
	switch {
	case len(text) == 0:
		return nil
	case !json.Valid(text):
		return refused("Parse error", codeParse, len(line))
	case text[0] == '[':
		return refused("Invalid request: JSON-RPC batches are not supported", codeRequest, len(line))
	case !frames.IsObject(text):
		return refused("Invalid request", codeRequest, len(line))
	}
	o := Object(text)
	method, called := o.Get("method")
	if !called && (has(o, "result") || has(o, "error")) {
		return reply(o, len(line))
	}
	if version, _ := o.Get("jsonrpc"); string(version) != `"2.0"` || !frames.IsString(method) {
		return refused("Invalid request", codeRequest, len(line))
	}
	id, ok := correlation(o)
	if !ok {
		return refused("Invalid request", codeRequest, len(line))
	}
	return c.call(frames.Unquote(method), id, o, len(line))
}

// call is a request, or a notification when there is no id.
func (c *Codec) call(name string, id frames.ID, o Object, size int) frames.Inbound {
	params, err := paramsOf(o)
	if name == cancelMethod && id == nil {
		target, ok := params.Get("requestId")
		if !ok {
			return nil
		}
		return frames.Cancel{ID: frames.ID(bytes.Clone(target)), Len: size}
	}
	known := name
	if rest, ok := strings.CutPrefix(name, "_omp/"); ok {
		known = "_veyyon/" + rest
	}
	method, ok := c.methods[known]
	switch {
	case ok && method.Notification == (id == nil):
	case id == nil:
		return nil
	default:
		return unknown(name, id, size)
	}
	command := frames.Command{ID: id, Name: known, Len: size}
	if err == nil {
		command.Body, err = method.Decode(params)
	}
	if err != nil {
		command.Body, command.Err = nil, err
	}
	return command
}

// paramsOf reads the params. Neovim's clients write an empty object as an empty
// array.
func paramsOf(o Object) (Object, error) {
	raw, _ := o.Get("params")
	switch {
	case frames.IsObject(raw):
		return Object(raw), nil
	case len(raw) == 0, string(raw) == "null", raw[0] == '[' && len(bytes.Trim(raw, "[] \t\r\n")) == 0:
		return Object("{}"), nil
	}
	return Object("{}"), Invalid("params must be an object")
}

// correlation returns the id as it came, nil when there is none; ok is false for
// one that is neither a string, a number nor null. It is copied, so that it does
// not keep the line alive.
func correlation(o Object) (id frames.ID, ok bool) {
	raw, given := o.Get("id")
	if !given {
		return nil, true
	}
	switch raw[0] {
	case '{', '[', 't', 'f':
		return nil, false
	}
	return frames.EscapeSeparators(bytes.Clone(raw)), true
}

func has(o Object, key string) bool { _, ok := o.Get(key); return ok }

// reply reads an answer. Our ids are numbers, and clients may send them as
// strings.
func reply(o Object, size int) frames.Inbound {
	raw, _ := o.Get("id")
	id := strings.Trim(string(raw), `"`)
	if id == "" || id == "null" {
		return nil
	}
	body := Reply{}
	if failure, ok := o.Object("error"); ok {
		e := &AnswerError{Message: "the client refused without a reason"}
		if text, err := failure.String("message"); err == nil && text != "" {
			e.Message = text
		}
		if number, ok := failure.Get("code"); ok {
			_ = json.Unmarshal(number, &e.Code) // 0 will do
		}
		body.Err = e
	} else if result, ok := o.Get("result"); ok {
		body.Result = bytes.Clone(result)
	} else {
		body.Err = &AnswerError{Message: "the client's error is not an object"}
	}
	return frames.Reply{Kind: ReplyKind, ID: id, Body: body, Len: size}
}

// TooLong answers a line of more than limit bytes, which was not read.
func (c *Codec) TooLong(limit int) frames.Malformed {
	return refused(fmt.Sprintf("Invalid request: the line is longer than %d bytes", limit), codeRequest, 0)
}

// refused answers what is no call, so that there is no id to answer with. What
// came is not shown: it may hold secrets.
func refused(text, code string, size int) frames.Malformed {
	return frames.Malformed{Len: size, Answer: frames.Response{ID: null, Fault: &frames.Fault{Text: text, Code: code}}}
}

// unknown refuses a method that is not ours. Protocol: "Extension methods".
func unknown(name string, id frames.ID, size int) frames.Malformed {
	return frames.Malformed{Len: size, Answer: frames.Response{ID: id, Command: name, Fault: &frames.Fault{
		Text: "Unknown ACP ext method: " + name, Code: codeUnknown, About: map[string]string{"method": name},
	}}}
}

// Invalid says what is wrong with params.
func Invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, "Invalid params").About(details, fmt.Sprintf(format, args...))
}
