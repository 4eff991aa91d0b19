package acp

import (
	"fmt"
	"strconv"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/frames"
)

// The words of the codec's own refusals; those of methods are in core/fault.
const (
	codeParse   = "parse"
	codeRequest = "invalid_request"
	codeUnknown = "unknown_method"
)

// numbers are the codes of JSON-RPC and of the protocol for our words; any other
// word is an internal error. Decisions 26; facts/acp 2.
var numbers = map[string]int{
	codeParse: -32700, codeRequest: -32600, codeUnknown: -32601, string(fault.Invalid): -32602,
	string(fault.NotFound): -32002, string(fault.NoCredentials): -32000, string(fault.Cancelled): -32800,
}

const internalError = -32603

// cancelMethod takes a request back, in both directions.
const cancelMethod = "$/cancel_request"

// details is where clients of the family look for the text of an error.
const details = "details"

const head = `{"jsonrpc":"2.0",`

// Encode writes a frame as one line.
func (c *Codec) Encode(out frames.Outbound) (line frames.Line, err error) {
	switch out := out.(type) {
	case frames.Response:
		if out.ID == nil {
			return nil, nil // a notification is never answered
		}
		line, err = appendResponse([]byte(head), out)
	case frames.Note:
		if chunk, ok := out.Body.(chunk); ok {
			return appendChunk(chunk), nil
		}
		line = frames.AppendString(append([]byte(head), `"method":`...), out.Name)
		line, err = appendValue(append(line, `,"params":`...), out.Body)
	case frames.Ask:
		line = append(append(append([]byte(head), `"id":`...), out.ID...), `,"method":`...)
		line = frames.AppendString(line, out.Name)
		line, err = appendValue(append(line, `,"params":`...), out.Body)
	default:
		err = fmt.Errorf("encoding %T: no frame of this protocol", out)
	}
	if err != nil {
		return nil, err
	}
	return frames.Clean(append(line, '}')), nil
}

// Unencodable turns a result that Encode refused into an error. Other frames have
// no substitute.
func (c *Codec) Unencodable(out frames.Outbound, err error) frames.Outbound {
	answer, ok := out.(frames.Response)
	if !ok || answer.Fault != nil {
		return nil
	}
	return frames.Response{ID: answer.ID, Command: answer.Command, Fault: &frames.Fault{Text: err.Error(), Code: string(fault.Internal)}}
}

// empty is the result of a method that has none; never null, which clients take
// for a failure.
var empty = struct{}{}

func appendResponse(line []byte, r frames.Response) ([]byte, error) {
	line = append(append(line, `"id":`...), r.ID...)
	if r.Fault != nil {
		return appendError(append(line, `,"error":`...), r.Fault)
	}
	if r.Data == nil {
		r.Data = empty
	}
	return appendValue(append(line, `,"result":`...), r.Data)
}

// appendError writes an error. Its text stands in the data too, where clients of
// the family read it.
func appendError(line []byte, f *frames.Fault) ([]byte, error) {
	number, ok := numbers[f.Code]
	if !ok {
		number = internalError
	}
	data := map[string]string{details: f.Text}
	for name, value := range f.About {
		data[name] = value
	}
	line = strconv.AppendInt(append(line, `{"code":`...), int64(number), 10)
	line = frames.AppendString(append(line, `,"message":`...), f.Text)
	line, err := appendValue(append(line, `,"data":`...), data)
	return append(line, '}'), err
}

func appendValue(line []byte, v any) ([]byte, error) {
	if a, ok := v.(frames.Appender); ok {
		return a.AppendJSON(line)
	}
	return frames.Append(line, v)
}
