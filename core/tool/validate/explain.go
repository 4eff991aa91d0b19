package validate

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/message"
)

// explain says in plain words what does not fit. It knows the faults models
// make; for any other it gives the validator's own words.
func explain(s *jsonschema.Schema, value any, own error) []string {
	var findings []string
	inspect(s, value, "", &findings)
	if len(findings) == 0 {
		findings = []string{cleaned(own)}
	}
	return findings
}

func inspect(s *jsonschema.Schema, value any, where string, findings *[]string) {
	if s == nil {
		return
	}
	note := func(format string, args ...any) {
		*findings = append(*findings, label(where)+fmt.Sprintf(format, args...))
	}
	got := typeOf(value)
	if !untyped(s) && !allows(s, got) && (got != "integer" || !allows(s, "number")) {
		note("must be %s, not %s", oneOf(s), article(got))
		return
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return text(e) == text(value) }) {
		choices := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			choices[i] = text(e)
		}
		note("must be one of %s, not %s", strings.Join(choices, ", "), file.Cut(text(value), maxQuoted))
		return
	}
	switch v := value.(type) {
	case map[string]any:
		inspectObject(s, v, where, findings)
	case []any:
		if s.MinItems != nil && len(v) < *s.MinItems {
			note("must have at least %d items, not %d", *s.MinItems, len(v))
		}
		for i, item := range v {
			inspect(s.Items, item, fmt.Sprintf("%s[%d]", where, i), findings)
		}
	}
}

func inspectObject(s *jsonschema.Schema, object map[string]any, where string, findings *[]string) {
	join := func(name string) string {
		if where == "" {
			return name
		}
		return where + "." + name
	}
	for _, name := range s.Required {
		if _, given := object[name]; !given {
			*findings = append(*findings, label(join(name))+"is required and missing")
		}
	}
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil && len(s.PatternProperties) == 0
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property, known := s.Properties[name]
		switch {
		case known:
			inspect(property, object[name], join(name), findings)
		case closed:
			*findings = append(*findings, label(join(name))+"is not a known property; known are "+
				strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
		}
	}
}

func label(where string) string {
	if where == "" {
		return "the arguments "
	}
	return where + " "
}

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

func oneOf(s *jsonschema.Schema) string {
	names := s.Types
	if s.Type != "" {
		names = []string{s.Type}
	}
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = article(name)
	}
	return strings.Join(words, " or ")
}

func article(name string) string {
	switch name {
	case "null":
		return "null"
	case "array", "object", "integer":
		return "an " + name
	default:
		return "a " + name
	}
}

func text(value any) string {
	raw, err := message.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}

// steps are the names of the schemas the validator went through.
var steps = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`validating [^:]*: `) })

func cleaned(err error) string { return steps().ReplaceAllString(err.Error(), "") }
