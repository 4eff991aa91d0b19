package tool

import (
	"fmt"

	"veyyon.dev/veyyon/core/message"
)

// Detailed returns the output with details for hosts, which are plain data with
// JSON tags.
func Detailed(out Output, details any) (Output, error) {
	raw, err := message.Marshal(details)
	if err != nil {
		return Output{}, fmt.Errorf("encoding details: %w", err)
	}
	out.Details = raw
	return out, nil
}
