package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/file"
)

// Likeness says how far an old text may differ from what it replaces.
type Likeness struct {
	Exact bool // not at all
	// Misspelt is the share of it that may be misspelt, in percent of its bytes,
	// blanks not counted.
	Misspelt float64
}

// Edit is one replacement.
type Edit struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
	All bool   `json:"all"`
}

// Apply makes the edits, in order, each on the result of the one before. It
// returns the new content and notes for the model about what did not match
// exactly; raw is not changed. An error names the edit by its number, from 1.
//
// Bytes outside what the edits replace stay as they are, whatever they are.
func Apply(ctx context.Context, raw []byte, edits []Edit, like Likeness) (result []byte, notes []string, err error) {
	body, marked := bytes.CutPrefix(raw, []byte(file.BOM))
	doc := document{eol: file.EOL(body), utf8: utf8.Valid(body), like: like}
	for i, e := range edits {
		next, note, err := doc.apply(ctx, body, e)
		if err != nil {
			return nil, nil, fmt.Errorf("edit %d: %w", i+1, err)
		}
		if note != "" {
			notes = append(notes, fmt.Sprintf("Edit %d %s", i+1, note))
		}
		body = next
	}
	if marked {
		body = append([]byte(file.BOM), body...)
	}
	if bytes.Equal(body, raw) {
		return nil, nil, errors.New("the edits change nothing: together they leave the file as it is")
	}
	return body, notes, nil
}

// document is what holds for the whole file.
type document struct {
	eol  string
	utf8 bool
	like Likeness
}

// span is a part of the file, from the byte start to before end. New is what
// takes its place.
type span struct {
	start, end int
	new        string
}

func (d document) apply(ctx context.Context, body []byte, e Edit) (next []byte, note string, err error) {
	if err := d.check(e); err != nil {
		return nil, "", err
	}
	found, err := d.find(ctx, body, e)
	if err != nil {
		return nil, "", err
	}
	if len(found.spans) == 0 {
		return nil, "", missing(body, e.Old)
	}
	if err := single(body, found.spans, e.All); err != nil {
		return nil, "", err
	}
	if note = found.note; note != "" {
		note += " at line " + lineNumbers(body, found.spans) + "."
	}
	next = d.splice(body, found.spans)
	if bytes.Equal(next, body) {
		return nil, "", errors.New("it changes nothing: old_text and new_text are the same in the file")
	}
	return next, note, nil
}

// check refuses what can have no good outcome.
func (d document) check(e Edit) error {
	switch {
	case e.Old == "":
		return errors.New("old_text is empty; use write to fill a file")
	case d.utf8:
		return nil
	case strings.ContainsRune(e.Old, utf8.RuneError):
		return errors.New("old_text holds U+FFFD, which stands for bytes that are not UTF-8; choose a part without them")
	case strings.IndexFunc(e.New, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0:
		return errors.New("the file is not UTF-8, so only ASCII text can be put into it without harm")
	}
	return nil
}

// single makes sure that the places to change are the ones that were meant.
func single(body []byte, spans []span, all bool) error {
	if len(spans) > 1 && !all {
		return fmt.Errorf("old_text occurs %d times, at lines %s; add lines around it so that it occurs once, or set all",
			len(spans), lineNumbers(body, spans))
	}
	if len(spans) > maxSpans {
		return fmt.Errorf("old_text occurs more than %d times; choose a longer one", maxSpans)
	}
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return fmt.Errorf("the occurrences of old_text at line %d overlap; choose a longer old_text", lineAt(body, spans[i].start))
		}
	}
	return nil
}

// splice puts the new texts in, with the line ends of what they replace, or of
// the file where that has none.
func (d document) splice(body []byte, spans []span) []byte {
	var out bytes.Buffer
	from := 0
	for _, s := range spans {
		eol := d.eol
		if first, _, ok := bytes.Cut(body[s.start:s.end], []byte("\n")); ok {
			eol = "\n"
			if bytes.HasSuffix(first, []byte("\r")) {
				eol = "\r\n"
			}
		}
		out.Write(body[from:s.start])
		out.WriteString(withEOL(s.new, eol))
		from = s.end
	}
	out.Write(body[from:])
	return out.Bytes()
}

func withEOL(text, eol string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if eol == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", eol)
}

// lineNumbers lists where the spans begin.
func lineNumbers(body []byte, spans []span) string {
	const most = 10
	var numbers []string
	line, from := 1, 0
	for _, s := range spans[:min(len(spans), most)] {
		line += bytes.Count(body[from:s.start], []byte("\n"))
		from = s.start
		numbers = append(numbers, fmt.Sprint(line))
	}
	if len(spans) > most {
		numbers = append(numbers, "…")
	}
	return strings.Join(numbers, ", ")
}
