package document

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// UTF8 decodes a text by its byte-order mark, by what its Content-Type or, in
// HTML, a meta element says, or else as UTF-8 if that is what it is.
func UTF8(raw []byte, contentType string) []byte {
	encoding, _, certain := charset.DetermineEncoding(raw, contentType)
	if !certain && utf8.Valid(raw) {
		return raw
	}
	text, err := encoding.NewDecoder().Bytes(raw)
	if err != nil {
		return raw
	}
	return bytes.TrimPrefix(text, []byte("\ufeff"))
}
