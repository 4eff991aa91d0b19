package replay

import (
	"bytes"
	"encoding/json"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// System returns the system blocks to send; none is empty.
func System(req *model.Request) []string {
	var out []string
	for _, text := range req.System {
		if text = clean(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// anyObject is the schema of arguments of which nothing is known.
const anyObject = `{"type":"object","properties":{}}`

// Parameters is the JSON Schema of a tool's arguments, as every provider takes
// it: of an object, and with properties. A host's schema may be of anything, and
// one that a provider does not take would make it refuse every request.
func Parameters(tool model.ToolSpec) json.RawMessage {
	var schema map[string]json.RawMessage
	if json.Unmarshal(tool.Parameters, &schema) != nil || schema == nil {
		return json.RawMessage(anyObject)
	}
	kind, properties := string(schema["type"]), schema["properties"]
	if kind == `"object"` && (properties == nil || properties[0] == '{') {
		return tool.Parameters
	}
	if kind != "" && kind != `"object"` || properties != nil && properties[0] != '{' {
		return json.RawMessage(anyObject)
	}
	schema["type"] = json.RawMessage(`"object"`)
	raw, err := message.Marshal(schema)
	if err != nil {
		return json.RawMessage(anyObject) // unreachable: its parts were valid
	}
	return raw
}

// clean makes a text that every provider can read: valid UTF-8 without NUL,
// and "" when it is only white space, which providers refuse as a block.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.ReplaceAll(text, "\x00", "\ufffd")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// cleanArguments returns one JSON object. Half a surrogate pair, which some
// providers refuse in an escape, becomes U+FFFD; then, and only then, the keys
// are put in order.
func cleanArguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || !json.Valid(raw) {
		return json.RawMessage("{}")
	}
	if !bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) {
		return bytes.ToValidUTF8(raw, []byte("\ufffd"))
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return json.RawMessage("{}")
	}
	out, err := message.Marshal(value)
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}
