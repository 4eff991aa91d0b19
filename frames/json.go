package frames

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-json"
)

// This file is the only door to goccy/go-json for what crosses the wire. A
// target may be half filled when an error is returned (measured), so a value is
// never read after an error.

// Marshal encodes a value as JSON without HTML escaping.
func Marshal(v any) ([]byte, error) { return Append(nil, v) }

// Append encodes v and appends it to dst.
func Append(dst []byte, v any) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // the library has panicked on odd types before
			out, err = dst, fmt.Errorf("encoding %T: %v", v, p)
		}
	}()
	raw, err := json.MarshalWithOption(v, json.DisableHTMLEscape())
	if err != nil {
		return dst, err
	}
	if dst == nil {
		return raw, nil // it may be large
	}
	return append(dst, raw...), nil
}

// Unmarshal decodes one JSON text into v.
func Unmarshal(raw []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoding into %T: %v", v, p)
		}
	}()
	return json.Unmarshal(raw, v)
}

var (
	lineSeparator      = []byte("\u2028")
	paragraphSeparator = []byte("\u2029")
)

// EscapeSeparators replaces raw U+2028 and U+2029 by their escapes; some line
// readers cut a frame in two at them.
func EscapeSeparators(line []byte) []byte {
	if !bytes.Contains(line, lineSeparator[:2]) {
		return line
	}
	line = bytes.ReplaceAll(line, lineSeparator, []byte(`\u2028`))
	return bytes.ReplaceAll(line, paragraphSeparator, []byte(`\u2029`))
}
