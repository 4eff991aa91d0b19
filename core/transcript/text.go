package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the text of a JSON string, and whether value is one.
func unquote(value []byte) (string, bool) {
	if text, ok := quickString(value); ok {
		return text, true
	}
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	text := ""
	err := json.Unmarshal(value, &text)
	return text, err == nil
}

// quickString is unquote for what most strings are: valid UTF-8 and no escapes
// by number. It is not ok for others.
func quickString(value []byte) (string, bool) {
	end := len(value) - 1
	if end < 1 || value[0] != '"' || value[end] != '"' {
		return "", false
	}
	plain := value[1:end]
	for _, c := range plain {
		if c < ' ' {
			return "", false
		}
	}
	if !utf8.Valid(plain) {
		return "", false
	}
	at := bytes.IndexByte(plain, '\\')
	if at < 0 {
		return string(plain), bytes.IndexByte(plain, '"') < 0
	}
	var text strings.Builder
	text.Grow(len(plain))
	for at >= 0 {
		if at+1 == len(plain) || bytes.IndexByte(plain[:at], '"') >= 0 {
			return "", false
		}
		c, ok := unescape(plain[at+1])
		if !ok {
			return "", false
		}
		text.Write(plain[:at])
		text.WriteByte(c)
		plain = plain[at+2:]
		at = bytes.IndexByte(plain, '\\')
	}
	if bytes.IndexByte(plain, '"') >= 0 {
		return "", false
	}
	text.Write(plain)
	return text.String(), true
}

// plainText tells whether what stands between the quotes of a JSON string is right
// there, and has no escapes by number.
func plainText(inside []byte) bool {
	for _, c := range inside {
		if c < ' ' {
			return false
		}
	}
	for {
		at := bytes.IndexByte(inside, '\\')
		if at < 0 {
			return true
		}
		if at+1 == len(inside) {
			return false
		}
		if _, ok := unescape(inside[at+1]); !ok {
			return false
		}
		inside = inside[at+2:]
	}
}

// unescape returns what stands for a backslash and c in a JSON string.
func unescape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// textPrefix returns the first characters of a JSON string that may be cut off
// anywhere, as a piece of a file is; limit counts them.
func textPrefix(value []byte, limit int) string {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	var text strings.Builder
	for value = value[1:]; limit > 0; limit-- {
		if n := plainRun(value, limit); n > 0 {
			text.Write(value[:n])
			value, limit = value[n:], limit-n
			if limit == 0 {
				break
			}
		}
		r, size := firstRune(value)
		if size == 0 {
			break
		}
		text.WriteRune(r)
		value = value[size:]
	}
	return text.String()
}

// plainRun is how many bytes, up to limit, stand for themselves and one character
// each: that is most of most texts.
func plainRun(value []byte, limit int) int {
	value = value[:min(limit, len(value))]
	for i, c := range value {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return i
		}
	}
	return len(value)
}

// firstRune returns the first character of the inside of a JSON string and how
// many bytes it takes there, 0 at the end of the string or of what there is.
func firstRune(value []byte) (r rune, size int) {
	switch {
	case len(value) == 0 || value[0] == '"' || value[0] < ' ' || !utf8.FullRune(value):
		return 0, 0
	case value[0] != '\\':
		return utf8.DecodeRune(value)
	case len(value) == 1:
		return 0, 0
	}
	if value[1] != 'u' {
		c, ok := unescape(value[1])
		if !ok {
			return 0, 0
		}
		return rune(c), 2
	}
	r, ok := hexRune(value)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	rest := value[6:]
	if low, ok := hexRune(rest); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	} else if len(rest) < 6 && bytes.HasPrefix([]byte(`\u`), rest[:min(2, len(rest))]) {
		return 0, 0 // the other half may be cut off
	}
	return utf8.RuneError, 6
}

// hexRune reads an escape by number.
func hexRune(value []byte) (rune, bool) {
	if len(value) < 6 || value[0] != '\\' || value[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(value[2:6]), 16, 16)
	return rune(n), err == nil
}
