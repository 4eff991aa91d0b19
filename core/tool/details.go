package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Detailed returns the output with details for hosts, which are plain data with
// JSON tags.
func Detailed(out Output, details any) (Output, error) {
	var raw bytes.Buffer
	encoder := json.NewEncoder(&raw)
	encoder.SetEscapeHTML(false) // hosts show these texts; "<" is plain to them
	if err := encoder.Encode(details); err != nil {
		return Output{}, fmt.Errorf("encoding details: %w", err)
	}
	out.Details = bytes.TrimSuffix(raw.Bytes(), []byte("\n"))
	return out, nil
}
