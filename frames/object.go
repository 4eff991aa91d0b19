package frames

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// An Object is the text of a JSON object that is known to be valid. It is read
// in place, so a field costs nothing until it is asked for. Keys are compared
// exactly (unlike encoding/json does), and of equal keys the last counts.
type Object []byte

// Get returns the text of a field's value; it shares the object's memory.
func (o Object) Get(key string) (value json.RawMessage, ok bool) {
	for c := (cursor{text: o}); c.next(); {
		name := c.value()
		c.next()
		found := c.value()
		if isKey(name, key) {
			value, ok = found, true
		}
	}
	return value, ok
}

// String returns a field that must be there as a string.
func (o Object) String(key string) (string, error) {
	value, _ := o.Get(key)
	if !IsString(value) {
		return "", fmt.Errorf("%s must be a string", key)
	}
	return Unquote(value), nil
}

// OptString is String, but "" for a field that is absent or null.
func (o Object) OptString(key string) (string, error) {
	if !o.Set(key) {
		return "", nil
	}
	return o.String(key)
}

// Bool returns a field that must be there as a boolean.
func (o Object) Bool(key string) (bool, error) {
	switch value, _ := o.Get(key); string(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%s must be a boolean", key)
}

// Array returns the texts of the items of a field that must be there as an
// array; they share the object's memory.
func (o Object) Array(key string) ([]json.RawMessage, error) {
	value, _ := o.Get(key)
	if len(value) == 0 || value[0] != '[' {
		return nil, fmt.Errorf("%s must be an array", key)
	}
	var items []json.RawMessage
	for c := (cursor{text: value}); c.next(); {
		items = append(items, c.value())
	}
	return items, nil
}

// Objects is Array for an array of objects.
func (o Object) Objects(key string) ([]Object, error) {
	items, err := o.Array(key)
	if err != nil {
		return nil, err
	}
	objects := make([]Object, len(items))
	for i, item := range items {
		if !IsObject(item) {
			return nil, fmt.Errorf("%s[%d] must be an object", key, i)
		}
		objects[i] = Object(item)
	}
	return objects, nil
}

// Object returns a field that is an object; for anything else ok is false and
// the Object has no fields.
func (o Object) Object(key string) (field Object, ok bool) {
	value, _ := o.Get(key)
	if !IsObject(value) {
		return nil, false
	}
	return Object(value), true
}

// IsTrue tells whether a field is there and true.
func (o Object) IsTrue(key string) bool {
	value, _ := o.Get(key)
	return string(value) == "true"
}

// Truthy tells whether JavaScript would take the field for true, as the
// protocol's original does where it does not check types.
func (o Object) Truthy(key string) bool {
	value, _ := o.Get(key)
	switch string(value) {
	case "", "null", "false", `""`:
		return false
	}
	number, err := strconv.ParseFloat(string(value), 64)
	return err != nil || number != 0
}

// Shown returns a field as an error text shows it: a string without its
// quotes, "undefined" for an absent one.
func (o Object) Shown(key string) string {
	value, ok := o.Get(key)
	switch {
	case !ok:
		return "undefined"
	case IsString(value):
		return Unquote(value)
	}
	return string(value)
}

// Set tells whether a field is there and not null.
func (o Object) Set(key string) bool {
	value, ok := o.Get(key)
	return ok && string(value) != "null"
}

// A cursor walks through a valid JSON object or array, value by value; a key
// counts as a value.
type cursor struct {
	text []byte
	at   int
}

// next moves to the next value; it is false after the last.
func (c *cursor) next() bool {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			c.at++
		case ']', '}':
			return false
		default:
			if c.at > 0 {
				return true
			}
			c.at++ // the bracket that opens it all
		}
	}
	return false
}

// value returns the text of the value at the cursor and moves behind it.
func (c *cursor) value() []byte {
	from := c.at
	switch c.text[from] {
	case '"':
		c.at = stringEnd(c.text, from)
	case '{', '[':
		c.at = nestEnd(c.text, from)
	default:
		c.at += bytes.IndexAny(c.text[from:], ",]} \t\r\n") // at the latest the bracket that closes it all
	}
	return c.text[from:c.at:c.at]
}

// stringEnd returns the index behind the string that begins at from.
func stringEnd(text []byte, from int) int {
	at := from + 1
	for {
		quote := at + bytes.IndexByte(text[at:], '"')
		escapes := 0
		for text[quote-1-escapes] == '\\' {
			escapes++
		}
		at = quote + 1
		if escapes%2 == 0 {
			return at
		}
	}
}

// nestEnd returns the index behind the object or array that begins at from.
func nestEnd(text []byte, from int) int {
	depth := 0
	for at := from; ; {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

// IsString tells whether the text of a value is that of a string.
func IsString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// IsObject tells whether the text of a value is that of an object.
func IsObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// isKey compares the text of a key with a name.
func isKey(text []byte, name string) bool {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1:len(text)-1]) == name
	}
	return Unquote(text) == name
}

// Unquote returns the value of a valid string text. Most strings have no
// escapes, and large ones (images) never do.
func Unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	value := ""
	_ = json.Unmarshal(text, &value) // cannot fail: the text is valid
	return value
}
