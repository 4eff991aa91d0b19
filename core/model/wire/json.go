package wire

import (
	"errors"
	"fmt"

	"github.com/goccy/go-json"
)

// This file is the second of the two doors to goccy/go-json (the other is
// frames/json.go). A target may be half filled when an error is returned
// (measured), so a value is never read after an error.

// Marshal encodes a value as JSON without HTML escaping. Bytes that are not
// UTF-8 become U+FFFD.
func Marshal(v any) (raw []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // the library has panicked on odd types before
			raw, err = nil, fmt.Errorf("encoding %T: %v", v, p)
		}
	}()
	return json.MarshalWithOption(v, json.DisableHTMLEscape())
}

// Unmarshal decodes one JSON text into v, which keeps nothing of raw.
func Unmarshal(raw []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoding into %T: %v", v, p)
		}
	}()
	return json.Unmarshal(raw, v)
}

// misfit says what was wrong with a text, without the Go types it was meant for.
func misfit(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err.Error()
	case wrong.Field == "":
		return "unexpected " + wrong.Value
	}
	return "unexpected " + wrong.Value + " as " + wrong.Field
}

// rawJSON is a value left as it came.
type rawJSON = json.RawMessage

// StringField is the string at this key of an object, "" when there is none.
// It serves what one event in thousands is asked for.
func StringField(raw []byte, key string) string {
	var fields map[string]any
	if Unmarshal(raw, &fields) != nil {
		return ""
	}
	text, _ := fields[key].(string)
	return text
}
