package edit

import (
	"bytes"
	"context"
	"strings"
)

// match is where an old text stands in a file, and how it was recognised.
type match struct {
	spans []span
	note  string // empty for an exact match
}

// maxSpans is how many occurrences are looked at; with more the edit is refused.
const maxSpans = 200_000

// find looks for the old text: as it is, but for its line ends, then with
// typography and trailing blanks overlooked, then line by line with blanks and
// small misspellings overlooked. The first way that finds anything counts. With
// all set the last way only overlooks blanks.
func (d document) find(ctx context.Context, body []byte, e Edit) (match, error) {
	for _, old := range []string{withEOL(e.Old, d.eol), e.Old, withEOL(e.Old, "\n")} {
		if spans := occurrences(body, old, e.New); len(spans) > 0 {
			return match{spans: spans}, nil
		}
	}
	if d.like.Exact {
		return match{}, nil
	}
	if spans := foldedOccurrences(body, e); len(spans) > 0 {
		return match{spans: spans, note: "matched with differences in quotes, dashes or blanks overlooked"}, nil
	}
	return windows(ctx, body, e, d.like.Misspelt)
}

// occurrences finds every place, also those that overlap: all of them count
// when old text has to be unique.
func occurrences(body []byte, old, replacement string) []span {
	var spans []span
	for from := 0; ; {
		at := bytes.Index(body[from:], []byte(old))
		if at < 0 {
			return spans
		}
		start := from + at
		from = start + 1
		s := span{start, start + len(old), replacement}
		if body[start] == '\n' && start > 0 && body[start-1] == '\r' {
			s.start-- // a line end is replaced whole
		}
		if spans = append(spans, s); len(spans) > maxSpans {
			return spans
		}
	}
}

func foldedOccurrences(body []byte, e Edit) []span {
	old := fold([]byte(e.Old)).text
	if strings.TrimSpace(string(old)) == "" || len(body) > maxTolerant {
		return nil
	}
	view := fold(body)
	spans := occurrences(view.text, string(old), e.New)
	for i, s := range spans {
		spans[i].start, spans[i].end = view.from[s.start], view.to[s.end-1]
	}
	return spans
}
