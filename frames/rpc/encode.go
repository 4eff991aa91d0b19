package rpc

import (
	"fmt"

	"veyyon.dev/veyyon/frames"
)

// Encode writes a frame as one line. Keys are in the order of the original:
// id, type, command, success, then data or error.
func (c *Codec) Encode(out frames.Outbound) (line frames.Line, err error) {
	switch out := out.(type) {
	case frames.Response:
		line, err = appendResponse(nil, out)
	case frames.Note:
		if update, ok := out.Body.(delta); ok {
			return c.appendUpdate(update.parts())
		}
		if nested, ok := out.Body.(SubagentEvent); ok {
			return c.appendNested(out.Name, nested)
		}
		line, err = appendFields(frames.AppendString([]byte(`{"type":`), out.Name), out.Body)
	case frames.Ask:
		head := frames.AppendString([]byte(`{"type":`), out.Name)
		line, err = appendFields(frames.AppendString(append(head, `,"id":`...), out.ID), out.Body)
	default:
		err = fmt.Errorf("encoding %T: no frame of this protocol", out)
	}
	if err != nil {
		return nil, err
	}
	return frames.Clean(line), nil
}

// Unencodable turns an answer whose data Encode refused into a failure with the
// same id and command. Other frames have no substitute.
func (c *Codec) Unencodable(out frames.Outbound, err error) frames.Outbound {
	answer, ok := out.(frames.Response)
	if !ok || answer.Fault != nil {
		return nil
	}
	return frames.Response{ID: answer.ID, Command: answer.Command, Fault: &frames.Fault{Text: err.Error(), Code: codeInternal}}
}

// appendResponse writes an answer. Protocol: "Response Schema".
func appendResponse(line []byte, r frames.Response) ([]byte, error) {
	line = append(line, '{')
	if r.ID != nil {
		line = append(append(append(line, `"id":`...), r.ID...), ',')
	}
	line = frames.AppendString(append(line, `"type":"response","command":`...), r.Command)
	if r.Fault != nil {
		line = frames.AppendString(append(line, `,"success":false,"error":`...), r.Fault.Text)
		line = frames.AppendString(append(line, `,"code":`...), r.Fault.Code)
		return append(line, '}'), nil
	}
	line = append(line, `,"success":true`...)
	if r.Data != nil {
		var err error
		line = append(line, `,"data":`...)
		if data, ok := r.Data.(frames.Appender); ok {
			line, err = data.AppendJSON(line)
		} else {
			line, err = frames.Append(line, r.Data)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(line, '}'), nil
}

// appendFields writes the fields of body behind what line holds, and closes the
// object. A nil body has none.
func appendFields(line []byte, body any) ([]byte, error) {
	if body == nil {
		return append(line, '}'), nil
	}
	start := len(line)
	line, err := frames.Append(line, body)
	switch {
	case err != nil:
		return nil, err
	case line[start] != '{':
		return nil, fmt.Errorf("encoding %T: no JSON object", body)
	case line[start+1] == '}':
		return append(line[:start], '}'), nil
	}
	line[start] = ','
	return line, nil
}
