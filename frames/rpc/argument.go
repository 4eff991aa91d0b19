package rpc

import (
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/frames"
)

// The decoders of commands with at most one argument. Each is named for what it
// makes of it; key is the argument's name on the wire.

// Nothing reads a command without arguments.
func Nothing(Object) (struct{}, error) { return struct{}{}, nil }

// String reads an argument that must be a string.
func String(key string) func(Object) (string, error) {
	return func(o Object) (string, error) { return o.String(key) }
}

// OptString reads an argument that may be absent, which is as good as "".
func OptString(key string) func(Object) (string, error) {
	return func(o Object) (string, error) { return o.OptString(key) }
}

// Bool reads an argument that must be a boolean.
func Bool(key string) func(Object) (bool, error) {
	return func(o Object) (bool, error) { return o.Bool(key) }
}

// OneOf reads an argument that must be one of these words; what names it in
// the error text "Invalid <what>: <value>".
func OneOf[W ~string](key, what string, words ...W) func(Object) (W, error) {
	return func(o Object) (W, error) {
		value, _ := o.Get(key)
		if word := W(o.Shown(key)); frames.IsString(value) && slices.Contains(words, word) {
			return word, nil
		}
		return "", wrong("Invalid %s: %s", what, clip(o.Shown(key)))
	}
}

// maxShown is how much of a wrong value an error text shows, in bytes.
const maxShown = 200

// clip shortens a value for an error text.
func clip(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// An argumentError has a text that the protocol fixes, capitals and all.
type argumentError string

func (e argumentError) Error() string { return string(e) }

func wrong(format string, args ...any) error { return argumentError(fmt.Sprintf(format, args...)) }
