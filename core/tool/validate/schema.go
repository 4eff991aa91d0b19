package validate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxCompiled is how many schemas are kept compiled; at that number all are
// forgotten and those in use compiled again.
const maxCompiled = 256

// compiled is a schema ready for use, and never changed.
type compiled struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

var cache = struct {
	mu   sync.Mutex
	byID map[string]*compiled // by the schema's text; nil for one that does not compile
}{byID: map[string]*compiled{}}

// compile returns nil for a schema that cannot be used.
func compile(text json.RawMessage) *compiled {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if found, ok := cache.byID[string(text)]; ok {
		return found
	}
	if len(cache.byID) >= maxCompiled {
		clear(cache.byID)
	}
	made := build(text)
	cache.byID[string(text)] = made
	return made
}

func build(text json.RawMessage) *compiled {
	schema := &jsonschema.Schema{}
	if json.Unmarshal(text, schema) != nil || string(bytes.TrimSpace(text)) == "null" {
		return nil
	}
	// The validator refuses dialects other than draft-07 and 2020-12. Those that
	// hosts use differ from 2020-12 in nothing that tools need.
	if !strings.Contains(schema.Schema, "draft-07/") {
		schema.Schema = ""
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil
	}
	return &compiled{schema: schema, resolved: resolved}
}

// allows tells whether a schema names this type among its own.
func allows(s *jsonschema.Schema, kind string) bool {
	return s.Type == kind || slices.Contains(s.Types, kind)
}

// untyped tells whether a schema says nothing of the type.
func untyped(s *jsonschema.Schema) bool { return s.Type == "" && len(s.Types) == 0 }

// variants are the schemas of which a value must fit at least one.
func variants(s *jsonschema.Schema) []*jsonschema.Schema {
	return append(slices.Clip(s.AnyOf), s.OneOf...)
}
