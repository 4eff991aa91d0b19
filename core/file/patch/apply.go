package patch

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/file"
)

// Apply makes the hunks' changes to a text, and returns notes about what did not
// match exactly, unless it must. Lines that stay keep all their bytes; new ones
// end as the text's others do. An error names the hunk by its number, from 1.
func Apply(raw []byte, hunks []Hunk, exact bool) (result []byte, notes []string, err error) {
	body, marked := bytes.CutPrefix(raw, []byte(file.BOM))
	t := text{eol: file.EOL(body), exact: exact}
	for line := range bytes.SplitAfterSeq(body, []byte("\n")) {
		if len(line) > 0 {
			t.lines = append(t.lines, string(line))
		}
	}
	if marked {
		t.out.WriteString(file.BOM)
	}
	for i, h := range hunks {
		note, err := t.change(h)
		if err != nil {
			return nil, nil, fmt.Errorf("hunk %d: %w", i+1, err)
		}
		if note != "" {
			notes = append(notes, fmt.Sprintf("Hunk %d %s", i+1, note))
		}
	}
	t.keep(len(t.lines))
	result = t.out.Bytes()
	if len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) {
		result = bytes.TrimSuffix(result, []byte(t.eol))
	}
	if bytes.Equal(result, raw) {
		return nil, nil, errors.New("the patch changes nothing: it leaves the file as it is")
	}
	return result, notes, nil
}

// text is a text that is being changed from its beginning to its end.
type text struct {
	lines []string // with their ends
	at    int      // the first line that is not done
	out   bytes.Buffer
	eol   string
	exact bool
}

// keep takes the lines up to that one as they are.
func (t *text) keep(until int) {
	for ; t.at < until; t.at++ {
		t.put(t.lines[t.at])
	}
}

// put writes a line, behind the end of the one before it.
func (t *text) put(line string) {
	if b := t.out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' && string(b) != file.BOM {
		t.out.WriteString(t.eol)
	}
	t.out.WriteString(line)
}

// ways are the ways to compare lines, from the strictest.
var ways = []struct {
	note string
	same func(a, b string) bool
}{
	{"", func(a, b string) bool { return a == b }},
	{"matched with blanks at the ends of lines overlooked", func(a, b string) bool { return strings.TrimRight(a, " \t") == strings.TrimRight(b, " \t") }},
	{"matched with indentation overlooked", func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }},
}

func (t *text) change(h Hunk) (note string, err error) {
	from := t.at
	for _, above := range h.Under {
		found, _ := t.find([]string{above}, from, len(t.lines), len(ways)-1)
		if len(found) == 0 {
			return "", fmt.Errorf("there is no line %q after line %d", above, from)
		}
		from = found[0] + 1
	}
	var old []string
	for _, line := range h.Lines {
		if line.Kind != '+' {
			old = append(old, line.Text)
		}
	}
	place := from
	switch {
	case len(old) > 0:
		if place, note, err = t.place(h, old, from); err != nil {
			return "", err
		}
	case h.AtEnd || len(h.Under) == 0:
		place = len(t.lines)
	}
	t.keep(place)
	for _, line := range h.Lines {
		switch line.Kind {
		case ' ':
			t.keep(t.at + 1)
		case '-':
			t.at++
		case '+':
			t.put(line.Text + t.eol)
		}
	}
	return note, nil
}

// place is where the lines of a hunk stand: the only place that there is, or the
// first below the lines that stand above it.
func (t *text) place(h Hunk, old []string, from int) (place int, note string, err error) {
	strict := len(ways) - 1
	if t.exact {
		strict = 0
	}
	found, way := []int(nil), 0
	if last := len(t.lines) - len(old); h.AtEnd && last >= from {
		found, way = t.find(old, last, len(t.lines), strict)
	}
	if len(found) == 0 {
		found, way = t.find(old, from, len(t.lines), strict)
	}
	switch {
	case len(found) == 0:
		return 0, "", fmt.Errorf("its lines were not found after line %d; they begin with %q. Read the file again", from, old[0])
	case len(found) > 1 && len(h.Under) == 0:
		return 0, "", fmt.Errorf("its lines stand at line %d and at line %d; add lines around them, or @@ with a line above", found[0]+1, found[1]+1)
	}
	if note = ways[way].note; note != "" {
		note += fmt.Sprintf(" at line %d.", found[0]+1)
	}
	return found[0], note, nil
}

// find looks for lines between two places, in one way after the other up to the
// last, and returns the first two places where they are.
func (t *text) find(wanted []string, from, to, last int) (found []int, way int) {
	for way = range last + 1 {
		for at := from; at+len(wanted) <= to && len(found) < 2; at++ {
			if t.same(wanted, at, way) {
				found = append(found, at)
			}
		}
		if len(found) > 0 {
			return found, way
		}
	}
	return nil, 0
}

func (t *text) same(wanted []string, at, way int) bool {
	for i, line := range wanted {
		if !ways[way].same(strings.TrimSuffix(strings.TrimSuffix(t.lines[at+i], "\n"), "\r"), line) {
			return false
		}
	}
	return true
}
