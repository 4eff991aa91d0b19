package validate

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// coerce repairs what has one meaning only. It changes value, which is the
// caller's own, and returns it.
func coerce(s *jsonschema.Schema, value any) any {
	if s == nil {
		return value
	}
	if text, ok := value.(string); ok && !allows(s, "string") {
		value = coerceText(s, text)
	}
	switch v := value.(type) {
	case map[string]any:
		coerceObject(s, v)
	case []any:
		for i := range v {
			v[i] = coerce(s.Items, v[i])
		}
	case json.Number:
		if allows(s, "string") && !allows(s, "number") && !allows(s, "integer") {
			return v.String()
		}
	}
	return value
}

func coerceObject(s *jsonschema.Schema, object map[string]any) {
	for name, property := range s.Properties {
		value, given := object[name]
		if !given {
			continue
		}
		if value == nil && !untyped(property) && !allows(property, "null") && !slices.Contains(s.Required, name) {
			delete(object, name)
			continue
		}
		object[name] = coerce(property, value)
	}
}

// coerceText makes of a string what the schema asks for, if it can.
func coerceText(s *jsonschema.Schema, text string) any {
	trimmed := strings.TrimSpace(text)
	switch {
	case allows(s, "array") || allows(s, "object"):
		parsed, err := decode(json.RawMessage(trimmed))
		_, isList := parsed.([]any)
		_, isObject := parsed.(map[string]any)
		if err == nil && (isList && allows(s, "array") || isObject && allows(s, "object")) {
			return parsed
		}
		if allows(s, "array") && s.Items != nil && allows(s.Items, "string") {
			return []any{text}
		}
	case allows(s, "number") || allows(s, "integer"):
		if number := json.Number(trimmed); json.Valid([]byte(trimmed)) {
			if _, err := number.Float64(); err == nil {
				return number
			}
		}
	case allows(s, "boolean"):
		if on, err := strconv.ParseBool(strings.ToLower(trimmed)); err == nil && len(trimmed) > 1 {
			return on
		}
	case untyped(s):
		for _, variant := range variants(s) {
			if variant != nil && allows(variant, "string") {
				return text
			}
		}
		for _, variant := range variants(s) {
			if variant != nil && !untyped(variant) {
				if changed := coerceText(variant, text); changed != any(text) {
					return changed
				}
			}
		}
	}
	return text
}
