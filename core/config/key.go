package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// Kind is the type of a setting, by the name that users read.
type Kind string

// The kinds of settings.
const (
	KindBool   Kind = "boolean"
	KindInt    Kind = "integer"
	KindNumber Kind = "number"
	KindString Kind = "string"
	KindEnum   Kind = "enum"
	KindList   Kind = "array"
	KindRecord Kind = "record"
)

// A Key is a known setting whose value is a T: bool, int, float64, string,
// []any or map[string]any.
type Key[T any] struct{ *spec }

// spec is what is known about a setting.
type spec struct {
	name   string   // dotted, as users write it
	path   []string // where it stands in the tree
	kind   Kind
	preset any // the default
	enum   []string
	min    float64 // smallest number allowed
	max    float64 // largest number allowed
	member []Kind  // what a list or record may hold; nil for anything
	hosted bool    // RPC pins the default when it is set nowhere
	guards bool    // it guards the person, so a project's files do not set it
	doc    string
}

// table holds all keys in the order of their declaration. It is complete before
// main begins, and read only from then on.
var table []*spec

var byName = sync.OnceValue(func() map[string]*spec {
	m := make(map[string]*spec, len(table))
	for _, s := range table {
		m[s.name] = s
	}
	return m
})

func add[T any](kind Kind, name string, preset T, doc string) Key[T] {
	s := &spec{name: name, path: strings.Split(name, "."), kind: kind, preset: preset, min: math.Inf(-1), max: math.Inf(1), doc: doc}
	table = append(table, s)
	return Key[T]{s}
}

func boolean(name string, preset bool, doc string) Key[bool] { return add(KindBool, name, preset, doc) }

func text(name, doc string) Key[string] { return add(KindString, name, "", doc) }

func list(name, doc string, preset ...any) Key[[]any] {
	return add(KindList, name, append([]any{}, preset...), doc)
}

func record(name, doc string) Key[map[string]any] {
	return add(KindRecord, name, map[string]any{}, doc)
}

func integer(name string, preset, least int, doc string) Key[int] {
	k := add(KindInt, name, preset, doc)
	k.min = float64(least)
	return k
}

func number(name string, preset, least float64, doc string) Key[float64] {
	k := add(KindNumber, name, preset, doc)
	k.min = least
	return k
}

func enum(name, doc, preset string, others ...string) Key[string] {
	k := add(KindEnum, name, preset, doc)
	k.enum = append([]string{preset}, others...)
	return k
}

// maxSpill bounds what settings let into one result, in KiB; hosts get as much
// of a running command with each update.
const maxSpill = 1 << 10

func hosted[T any](k Key[T]) Key[T] {
	k.hosted = true
	return k
}

// guard keeps a setting from the files of a project, which may be anybody's: it
// says what runs or is told without a question.
func guard[T any](k Key[T]) Key[T] {
	k.guards = true
	return k
}

// upTo bounds a number from above.
func upTo[T any](k Key[T], most float64) Key[T] {
	k.max = most
	return k
}

// atLeast bounds the numbers of a record from below.
func atLeast[T any](k Key[T], least float64) Key[T] {
	k.min = least
	return k
}

// of says what the entries of a list or the members of a record may be.
func of[T any](k Key[T], kinds ...Kind) Key[T] {
	k.member = kinds
	return k
}

func at[T any](k Key[T], path ...string) Key[T] {
	k.path = path
	return k
}

// Name is the dotted name of the key.
func (k Key[T]) Name() string { return k.name }

// Of returns the value of the key, its default when it is not set. Lists and
// records must not be changed.
func (k Key[T]) Of(s *Settings) T {
	if v, ok := s.values[k.name]; ok {
		return v.(T) // check made it
	}
	return k.preset.(T) // add made it
}

// Given is the value of the key if any file or flag sets it.
func (k Key[T]) Given(s *Settings) (value T, ok bool) {
	if v, ok := s.values[k.name]; ok {
		return v.(T), true // check made it
	}
	return value, false
}

// check returns a decoded value as the key's type, or what is wrong with it.
func (s *spec) check(raw any) (value any, problem string) {
	switch s.kind {
	case KindBool:
		switch v := raw.(type) {
		case bool:
			return v, ""
		case string:
			if b, ok := parseBool(v); ok {
				return b, ""
			}
		}
	case KindInt, KindNumber:
		n, ok := toFloat(raw)
		switch {
		case !ok:
		case n < s.min:
			return nil, fmt.Sprintf("expected at least %v, got %v", s.min, raw)
		case n > s.max:
			return nil, fmt.Sprintf("expected at most %v, got %v", s.max, raw)
		case s.kind == KindNumber:
			return n, ""
		case n == math.Trunc(n) && math.Abs(n) < 1<<53:
			return int(n), ""
		}
	case KindString:
		if v, ok := raw.(string); ok {
			return v, ""
		}
	case KindEnum:
		if v, ok := raw.(string); ok && slices.Contains(s.enum, v) {
			return v, ""
		}
		return nil, fmt.Sprintf("expected one of %s, got %s", strings.Join(s.enum, ", "), show(raw))
	case KindList:
		if v, ok := raw.([]any); ok {
			return v, ""
		}
	case KindRecord:
		if v, ok := raw.(map[string]any); ok {
			return v, ""
		}
	}
	return nil, fmt.Sprintf("expected %s, got %s", s.kind.phrase(), show(raw))
}

// checkMember returns an entry of the list or a member of the record as one of
// its kinds, or what is wrong with it.
func (s *spec) checkMember(raw any) (value any, problem string) {
	var phrases []string
	for _, kind := range s.member {
		value, problem := (&spec{kind: kind, min: s.min, max: s.max}).check(raw)
		if problem == "" {
			return value, ""
		}
		phrases = append(phrases, kind.phrase())
	}
	if s.member == nil {
		return raw, ""
	}
	if s.min > math.Inf(-1) {
		phrases[0] += fmt.Sprintf(" of at least %v", s.min)
	}
	return nil, fmt.Sprintf("expected %s, got %s", strings.Join(phrases, " or "), show(raw))
}

// checkMembers tells what is wrong with what a value holds, or with the value of
// one member.
func (s *spec) checkMembers(member string, value any) (problem string) {
	var all []any
	switch v := value.(type) {
	case []any:
		all = v
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, v[name])
		}
	}
	if member != "" {
		all = []any{value}
	}
	for _, one := range all {
		if _, problem = s.checkMember(one); problem != "" {
			break
		}
	}
	return problem
}

func (k Kind) phrase() string {
	switch k {
	case KindInt:
		return "a whole number"
	case KindList:
		return "a list"
	case KindRecord:
		return "a mapping"
	default:
		return "a " + string(k)
	}
}

func toFloat(raw any) (float64, bool) {
	var f float64
	switch n := raw.(type) {
	case int:
		f = float64(n)
	case int64:
		f = float64(n)
	case uint64:
		f = float64(n)
	case float64:
		f = n
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// show is a value in a message, never longer than a line.
func show(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		const most = 60 // runes
		if r := []rune(v); len(r) > most {
			v = string(r[:most]) + "…"
		}
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}
