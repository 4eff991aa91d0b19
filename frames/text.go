package frames

import (
	"bytes"
	"unicode/utf8"
)

var byteOrderMark = []byte("\ufeff")

// Text is a line as it is read: without a byte-order mark and white space around
// it, and with U+FFFD for bytes that are not UTF-8.
func Text(line Line) []byte {
	text := bytes.TrimPrefix(line, byteOrderMark)
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	return bytes.Trim(text, " \t\r\n") // what JSON calls white space
}

// Clean makes sure of what is promised for every line that is written: values that
// are passed on as they came may break it.
func Clean(line []byte) []byte {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\ufffd"))
	}
	return EscapeSeparators(line)
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string, byte for byte as encoding/json does
// without HTML escaping: what is not UTF-8 becomes U+FFFD, and U+2028 and U+2029
// stand escaped since some line readers cut a frame in two at them. It exists
// for the deltas of an answer, the only hot strings there are.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0 // s[plain:i] needs no escape
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = appendControl(append(dst, s[plain:i]...), c)
			i++
			plain = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		escape := ""
		switch {
		case r == utf8.RuneError && size == 1:
			escape = `\ufffd`
		case r == '\u2028':
			escape = `\u2028`
		case r == '\u2029':
			escape = `\u2029`
		}
		if escape != "" {
			dst = append(append(dst, s[plain:i]...), escape...)
			plain = i + size
		}
		i += size
	}
	return append(append(dst, s[plain:]...), '"')
}

// appendControl appends the escape of a quote, a backslash or a control character.
func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
