package file

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// BOM is the byte-order mark of UTF-8.
const BOM = "\ufeff"

// HeadSize is how many bytes from the start of a file tell whether it is text.
const HeadSize = 8 << 10

// Binary tells from the first HeadSize bytes whether a file is no text.
func Binary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), HeadSize)], 0) >= 0
}

// Printable turns bytes into text that models, transcripts and hosts can carry:
// each byte that is not UTF-8 becomes U+FFFD and each NUL becomes U+2400. Lossy
// tells whether there was any.
func Printable(raw []byte) (text string, lossy bool) {
	if utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0 {
		return string(raw), false
	}
	var out strings.Builder
	out.Grow(len(raw))
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == 0 {
			r = '\u2400'
		}
		out.WriteRune(r) // RuneError for a bad byte
		raw = raw[size:]
	}
	return out.String(), true
}

// UTF16 decodes text that starts with a UTF-16 byte-order mark; ok is false when
// it has none.
func UTF16(raw []byte) (text []byte, ok bool) {
	little := bytes.HasPrefix(raw, []byte{0xff, 0xfe})
	if !little && !bytes.HasPrefix(raw, []byte{0xfe, 0xff}) {
		return nil, false
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 2; i+1 < len(raw); i += 2 {
		a, b := uint16(raw[i]), uint16(raw[i+1])
		if little {
			a, b = b, a
		}
		units = append(units, a<<8|b)
	}
	return []byte(string(utf16.Decode(units))), true
}

// Cut returns at most limit bytes of the text, ending between runes.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// EOL is how the lines of a file end: "\r\n" when most do, "\n" otherwise.
func EOL(raw []byte) string {
	if crlf := bytes.Count(raw, []byte("\r\n")); crlf > 0 && 2*crlf > bytes.Count(raw, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}
