// Package document turns what people read in browsers and word processors into
// text for models.
//
// Documents come from strangers, and a few bytes can make their parsers take any
// amount of time and memory. HTML has a converter here that cannot be made to.
// Those of PDF and DOCX run in a process of their own, which may be killed:
// Converter is our end of it, Serve is the other.
package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/document/pdf"
)

// Kind is a kind of document.
type Kind string

// The kinds that are told apart.
const (
	HTML Kind = "html"
	PDF  Kind = "pdf"
	DOCX Kind = "docx"
)

// The bounds of one document. One that is larger than the first is refused; text
// beyond the second is left out, with a notice.
const (
	MaxBytes = 20 << 20 // bytes
	maxText  = 4 << 20  // bytes
)

const cutNotice = "\n\n[The rest of the document is left out: its text is longer than 4 MiB.]\n"

// TypeDOCX is the media type of DOCX.
const TypeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// Sniff tells what kind of document this is, by how it begins and the media type
// that is claimed of it; "" for none.
func Sniff(raw []byte, mediaType string) Kind {
	switch {
	case bytes.HasPrefix(raw, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		if mediaType == TypeDOCX || bytes.Contains(raw, []byte("word/document.xml")) {
			return DOCX
		}
	case mediaType == "text/html" || mediaType == "application/xhtml+xml":
		return HTML
	}
	return ""
}

// Serve reads a document from in and writes its text to out: what a process that
// a Converter started does.
func Serve(kind Kind, in io.Reader, out io.Writer) (err error) {
	if err := limitProcess(); err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return err
	}
	text, err := convert(kind, raw)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// convert turns a panic of a parser into an error.
func convert(kind Kind, raw []byte) (text string, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			text, err = "", fmt.Errorf("it is damaged (%v)", wrong)
		}
	}()
	if len(raw) > MaxBytes {
		return "", fmt.Errorf("it is larger than %d MiB", MaxBytes>>20)
	}
	switch kind {
	case PDF:
		text, err = pdf.Text(raw)
	case DOCX:
		text, err = docxText(raw)
	default:
		err = fmt.Errorf("documents of kind %q cannot be converted", kind)
	}
	return cut(strings.ToValidUTF8(strings.TrimSpace(text), "\ufffd")), err
}

// cut shortens a text to what a document may have.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cutNotice
}
