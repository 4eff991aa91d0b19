package secret

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
)

// InJSON has the strings of a JSON text hidden as they are meant, however they are
// escaped. Without a change it returns raw itself.
func InJSON(raw json.RawMessage, hide func(string) string) json.RawMessage {
	var out []byte
	done := 0 // up to here raw is in out
	for at := 0; at < len(raw); at++ {
		if raw[at] != '"' {
			continue
		}
		end := at + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(raw) {
			break // no JSON
		}
		literal := raw[at : end+1]
		var meant string
		if json.Unmarshal(literal, &meant) == nil {
			if text := hide(meant); text != meant {
				out = append(out, raw[done:at]...)
				out = append(out, Quoted(text)...)
				done = end + 1
			}
		}
		at = end
	}
	if out == nil {
		return raw
	}
	return append(out, raw[done:]...)
}

// Quoted is the text as a JSON string.
func Quoted(text string) []byte {
	raw, err := message.Marshal(text)
	if err != nil {
		return []byte(`""`) // unreachable: strings always encode
	}
	return raw
}
