package read

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// The bounds of one result. Where one is met, a notice says how to read on.
const (
	maxLines     = 3000             // lines
	maxBytes     = tool.InlineLimit // bytes
	defaultLimit = 300              // lines, when no end is asked for
	maxAhead     = 8 << 20          // bytes read after the page to count the lines, and of one line to find its end
)

// A page is a part of a text as the model sees it.
type page struct {
	out         strings.Builder
	first, last int         // numbers of the first and last line shown, 0 when none is
	lines       int         // how many are shown
	total       int         // lines of the text, as far as it was read
	bytes       int64       // of the text, as far as it was read
	complete    bool        // the text was read to its end
	rest        []lineRange // what was asked for and is not shown
	byBytes     bool        // the rest is missing since the page is full, not the count
	cut         int64       // size in bytes of a line that is shown in part, 0 when none is
	endless     bool        // that line has more bytes than were read of it
	lossy       bool        // bytes were replaced
	raw         bool
	plain       bool // without line numbers
}

// newPage reads the ranges of a text; limit is how many lines an open range
// gives, and a plain page has no line numbers. It stops reading soon after the last line it needs.
func newPage(ctx context.Context, text io.Reader, sel selector, limit int, plain bool) (*page, error) {
	p := &page{raw: sel.Raw, plain: plain}
	ranges := sel.Ranges
	if len(ranges) == 0 {
		ranges = []lineRange{{From: 1}}
	}
	if !sel.Raw {
		ranges = widened(ranges)
	}
	ranges = merged(ranges)
	in := lineReader{r: bufio.NewReaderSize(text, 64<<10)}
	shown := int64(0) // bytes up to the end of the last line shown
	for number := 1; ; number++ {
		p.bytes = in.read
		for len(ranges) > 0 && ranges[0].To != 0 && number > ranges[0].To {
			ranges = ranges[1:]
		}
		wanted := len(p.rest) == 0 && len(ranges) > 0 && number >= ranges[0].From
		if wanted && p.full(ranges[0], limit) {
			p.leave(ranges, number)
			wanted = false
		}
		keep, most := 0, int64(math.MaxInt64)
		done := len(ranges) == 0 || len(p.rest) > 0
		if wanted {
			keep, most = maxBytes+utf8.UTFMax, maxAhead
		}
		if done {
			if most = shown + maxAhead - in.read; most < 0 {
				return p, nil
			}
		}
		line, err := in.next(ctx, keep, most)
		switch {
		case errors.Is(err, io.EOF):
			p.complete = true
			p.rest = slices.DeleteFunc(p.rest, func(r lineRange) bool { return r.From > p.total })
			return p, nil
		case err != nil && !errors.Is(err, errFar):
			return nil, err
		}
		p.total = number
		if wanted && !p.add(number, line) {
			p.byBytes = true
			p.leave(ranges, number)
		}
		if err != nil { // nobody knows where the next line is
			p.endless = p.cut > 0
			return p, nil
		}
		if !done {
			shown = in.read
		}
	}
}

// full tells whether the page may take no more lines of this range.
func (p *page) full(r lineRange, limit int) bool {
	return p.lines >= maxLines || r.To == 0 && p.lines >= limit
}

// leave notes what is not shown, from this line on.
func (p *page) leave(ranges []lineRange, number int) {
	p.rest = append([]lineRange{{From: number, To: ranges[0].To}}, ranges[1:]...)
}

// add shows a line if there is room; a line that is longer than a whole page is
// shown in part when it comes first.
func (p *page) add(number int, line textLine) bool {
	raw := line.kept
	if line.size > int64(len(raw)) {
		raw = wholeRunes(raw)
	}
	if number == 1 {
		raw = bytes.TrimPrefix(raw, []byte(file.BOM))
	}
	if !p.raw {
		raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
	}
	shown, lossy := file.Printable(raw)
	if room := maxBytes - p.out.Len(); len(shown) > room {
		if p.lines > 0 {
			return false
		}
		shown = file.Cut(shown, room)
		p.cut = line.size
	}
	p.lossy = p.lossy || lossy
	switch {
	case p.raw:
		p.out.WriteString(shown)
	default:
		if p.last != 0 && number > p.last+1 {
			p.out.WriteString("…\n")
		}
		if !p.plain {
			fmt.Fprintf(&p.out, "%d:", number)
		}
		p.out.WriteString(shown + "\n")
	}
	if p.first == 0 {
		p.first = number
	}
	p.last = number
	p.lines++
	return true
}

// wholeRunes leaves out a last rune that was cut.
func wholeRunes(raw []byte) []byte {
	for back := 1; back < min(utf8.UTFMax, len(raw)); back++ {
		if start := len(raw) - back; utf8.RuneStart(raw[start]) {
			if !utf8.FullRune(raw[start:]) {
				return raw[:start]
			}
			break
		}
	}
	return raw
}

// text is the page with its notices.
func (p *page) text() string {
	switch {
	case p.complete && p.total == 0:
		return "(empty file)"
	case p.lines == 0:
		return fmt.Sprintf("There is no such line: the text has %s. Use :1 to read it from its beginning.", tool.Count(p.total, "line"))
	}
	var notices []string
	if p.cut > 0 {
		least := ""
		if p.endless {
			least = "more than "
		}
		notices = append(notices, fmt.Sprintf("[Line %d has %s%d bytes; only its beginning is shown. Use bash (cut -c, head -c) for the rest.]", p.first, least, p.cut))
	}
	if len(p.rest) > 0 {
		notices = append(notices, p.continued())
	}
	if p.lossy {
		notices = append(notices, "[Bytes that are not UTF-8 are shown as U+FFFD, and NUL as U+2400.]")
	}
	text := strings.TrimSuffix(p.out.String(), "\n")
	if len(notices) > 0 {
		text += "\n\n" + strings.Join(notices, "\n")
	}
	return text
}

func (p *page) continued() string {
	of := ""
	if p.complete {
		of = fmt.Sprintf(" of %d", p.total)
	}
	limit := ""
	if p.byBytes {
		limit = fmt.Sprintf(" (%.1fKB limit)", float64(maxBytes)/1024)
	}
	raw := ""
	if p.raw {
		raw = ":raw"
	}
	return fmt.Sprintf("[Showing lines %d-%d%s%s. Use %s%s to continue.]", p.first, p.last, of, limit, raw, selectorText(p.rest))
}

// meta is nil when everything asked for is shown.
func (p *page) meta() *tool.Meta {
	if len(p.rest) == 0 && p.cut == 0 {
		return nil
	}
	by := "lines"
	if p.byBytes || p.cut > 0 {
		by = "bytes"
	}
	t := &tool.Truncation{
		Direction: "head", TruncatedBy: by, TotalLines: p.total, TotalBytes: int(p.bytes),
		OutputLines: p.lines, OutputBytes: p.out.Len(), MaxBytes: maxBytes,
	}
	if len(p.rest) > 0 {
		t.NextOffset = p.rest[0].From
	}
	return &tool.Meta{Truncation: t}
}
