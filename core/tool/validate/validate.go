// Package validate checks the arguments of tool calls against the tools' JSON
// Schemas before anything runs, and repairs the slips models make most often.
package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

const (
	maxQuoted   = 200 // bytes of arguments that could not be parsed, shown in an error
	maxFindings = 10  // faults named in one error; the rest are counted
)

// Check tells whether the arguments fit the schema and returns them as they are
// when they do. When they do not, it tries again with the slips repaired that
// have one meaning only: a number or boolean given as a string, a string where
// a list of strings belongs, an object or list given as JSON text, null for an
// optional property. Valid arguments are never changed.
//
// The error's text starts `Validation failed for tool "<name>":` and says what
// is wrong where. A schema that cannot be compiled checks nothing: the tool's
// owner must then look at the arguments himself. Safe for concurrent use.
//
// Protocol: facts/rpc 10.2, facts/agent 1.10.
func Check(schema json.RawMessage, toolName string, args json.RawMessage) (coerced json.RawMessage, err error) {
	value, err := decode(args)
	object, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, failure(toolName, []string{"the arguments must be one JSON object"})
	}
	if reason, failed := object[model.ParseErrorKey].(string); failed {
		raw, _ := object[model.RawArgumentsKey].(string)
		return nil, failure(toolName, []string{reason + "; received: " + quote(raw)})
	}
	compiled := compile(schema)
	if compiled == nil {
		return args, nil
	}
	first := compiled.resolved.Validate(plain(args))
	if first == nil {
		return args, nil
	}
	repaired, err := message.Marshal(coerce(compiled.schema, value))
	if err == nil && compiled.resolved.Validate(plain(repaired)) == nil {
		return repaired, nil
	}
	return nil, failure(toolName, explain(compiled.schema, plain(args), first))
}

func failure(toolName string, findings []string) error {
	if more := len(findings) - maxFindings; more > 0 {
		findings = append(findings[:maxFindings:maxFindings], fmt.Sprintf("and %d more", more))
	}
	text := fmt.Sprintf("Validation failed for tool %q:", toolName)
	if len(findings) == 1 {
		return errors.New(text + " " + findings[0])
	}
	return errors.New(text + "\n- " + strings.Join(findings, "\n- "))
}

func quote(raw string) string {
	short := file.Cut(raw, maxQuoted)
	if short != raw {
		return fmt.Sprintf("%q… (%d bytes)", short, len(raw))
	}
	return fmt.Sprintf("%q", short)
}

// decode keeps numbers as they are written, so that a repair loses no digits.
func decode(raw json.RawMessage) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err = decoder.Decode(&value); err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one JSON value")
		}
	}
	return value, err
}

// plain decodes as the validator wants it, which does not know json.Number.
func plain(raw json.RawMessage) any {
	var value any
	_ = json.Unmarshal(raw, &value) // decode has read it before
	return value
}
