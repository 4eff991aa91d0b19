package message

import (
	"bytes"
	"encoding/json"
)

// Marshal encodes a value as messages are written, on the wire and in files:
// without HTML escaping, since "<" is plain to those who read it.
func Marshal(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
