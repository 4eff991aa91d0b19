package frontmatter

import (
	"fmt"
	"maps"
	"slices"
)

// Keys lists the keys of the head, sorted.
func (m Meta) Keys() []string { return slices.Sorted(maps.Keys(m.values)) }

// Has tells whether the head has the key with a value other than null.
func (m Meta) Has(key string) bool { return m.values[key] != nil }

// Value is what the YAML says, nil for a key that is missing. The caller must
// not change it.
func (m Meta) Value(key string) any { return m.values[key] }

// Errorf is an error at the line of the key.
func (m Meta) Errorf(key, format string, args ...any) *Error {
	return &Error{File: m.file, Line: m.lines[key], Problem: key + ": " + fmt.Sprintf(format, args...)}
}

// Text is the value of a key that holds text, "" when it is missing. A number
// or a truth value is taken as it prints. Errors are of type *Error.
func (m Meta) Text(key string) (string, error) {
	switch v := m.values[key].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []any, map[string]any:
		return "", m.Errorf(key, "expected text")
	default:
		return fmt.Sprint(v), nil
	}
}

// Texts is the value of a key that holds a list of texts, or one text; nil when
// it is missing. Errors are of type *Error.
func (m Meta) Texts(key string) ([]string, error) {
	switch v := m.values[key].(type) {
	case nil:
		return nil, nil
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			text, ok := item.(string)
			if !ok {
				return nil, m.Errorf(key, "expected texts, entry %d is none", i+1)
			}
			texts[i] = text
		}
		return texts, nil
	default:
		text, err := m.Text(key)
		if err != nil {
			return nil, m.Errorf(key, "expected text or a list of texts")
		}
		return []string{text}, nil
	}
}

// Bool is the value of a key that is true or false; false when it is missing.
// Errors are of type *Error.
func (m Meta) Bool(key string) (bool, error) {
	switch v := m.values[key].(type) {
	case nil:
		return false, nil
	case bool:
		return v, nil
	default:
		return false, m.Errorf(key, "expected true or false, got %v", v)
	}
}
