package patch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"veyyon.dev/veyyon/core/file"
)

// Tag names a version of a file: four hexadecimal digits that another version
// hardly has.
func Tag(raw []byte) string {
	sum := fnv.New32a()
	_, _ = sum.Write(raw) // a hash takes all
	n := sum.Sum32()
	return fmt.Sprintf("%04X", uint16(n>>16^n))
}

// Header is the line that names a file and its version.
func Header(path, tag string) string { return "[" + path + "#" + tag + "]" }

// header is such a line, perhaps without the version.
var header = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[([^\]#]+)(?:#([0-9A-Fa-f]{4}))?\]\s*$`) })

// Span replaces the lines From to To of a file, which count from 1; with To one
// less than From it puts its lines before From.
type Span struct {
	From, To int
	Lines    []string
}

// atTail is before the line that no file has.
const atTail = 1 << 40

var ops = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(SWAP|DEL|INS\.PRE|INS\.POST|INS\.HEAD|INS\.TAIL)(?: +(\d{1,9})(?:(?:\.=|\.\.|-)(\d{1,9}))?)?:?\s*$`)
})

// ParseLines reads changes by line numbers: sections of one file each, which
// begin with its Header, and in these SWAP, DEL and INS with their lines. The
// changes of one file are one, whose Spans are about its lines before all of
// them.
func ParseLines(text string) (changes []Change, err error) {
	var now *Change
	var rows *[]string // of the change that is being read
	for n, line := range split(text) {
		at := func(format string, args ...any) error {
			return fmt.Errorf("line %d: %s", n+1, fmt.Sprintf(format, args...))
		}
		if row, ok := strings.CutPrefix(line, "+"); ok {
			if rows == nil {
				return nil, at("there is no SWAP or INS above %q", line)
			}
			*rows = append(*rows, row)
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if h := header().FindStringSubmatch(line); h != nil {
			path, tag := h[1], strings.ToUpper(h[2])
			if tag == "" {
				return nil, at("Missing hashline snapshot tag for %s; read the file, and copy the line that its text begins with", path)
			}
			i := slices.IndexFunc(changes, func(c Change) bool { return c.Path == path })
			if i < 0 {
				i = len(changes)
				changes = append(changes, Change{Op: Update, Path: path, Tag: tag})
			}
			if now, rows = &changes[i], nil; now.Tag != tag {
				return nil, at("%s has two tags", path)
			}
			continue
		}
		op := ops().FindStringSubmatch(line)
		switch {
		case op == nil:
			return nil, at("expected [path#TAG], SWAP a.=b:, DEL a.=b, INS.PRE n:, INS.POST n:, INS.HEAD:, INS.TAIL: or a row with +, not %q", line)
		case now == nil:
			return nil, at("there is no [path#TAG] above %q", line)
		}
		span, err := spanOf(op[1], op[2], op[3])
		if err != nil {
			return nil, at("%s: %v", line, err)
		}
		now.Spans = append(now.Spans, span)
		rows = nil
		if op[1] != "DEL" {
			rows = &now.Spans[len(now.Spans)-1].Lines
		}
	}
	if len(changes) == 0 {
		return nil, errors.New("there is no section; each begins with [path#TAG]")
	}
	for _, c := range changes {
		if len(c.Spans) == 0 {
			return nil, fmt.Errorf("%s: there is no change", c.Path)
		}
	}
	return changes, nil
}

func spanOf(op, first, last string) (Span, error) {
	from, _ := strconv.Atoi(first) // the pattern lets only digits through
	to := from
	if last != "" {
		to, _ = strconv.Atoi(last)
	}
	placeless := op == "INS.HEAD" || op == "INS.TAIL"
	switch {
	case placeless != (first == ""), last != "" && op != "SWAP" && op != "DEL":
		return Span{}, errors.New("SWAP and DEL take one line or a range, INS.PRE and INS.POST a line, INS.HEAD and INS.TAIL none")
	case !placeless && (from < 1 || to < from):
		return Span{}, errors.New("lines count from 1, and a range goes down")
	}
	switch op {
	case "INS.PRE":
		to = from - 1
	case "INS.POST":
		from, to = from+1, from
	case "INS.HEAD":
		from, to = 1, 0
	case "INS.TAIL":
		from, to = atTail, atTail-1
	}
	return Span{From: from, To: to}, nil
}

// Splice makes the changes to a text. Lines that stay keep all their bytes, and
// new ones end as the others do.
func Splice(raw []byte, spans []Span) ([]byte, error) {
	body, marked := bytes.CutPrefix(raw, []byte(file.BOM))
	t := text{eol: file.EOL(body)}
	for line := range bytes.SplitAfterSeq(body, []byte("\n")) {
		if len(line) > 0 {
			t.lines = append(t.lines, string(line))
		}
	}
	if marked {
		t.out.WriteString(file.BOM)
	}
	sorted := slices.Clone(spans)
	for i, s := range sorted {
		if s.From == atTail {
			sorted[i].From, sorted[i].To = len(t.lines)+1, len(t.lines)
		}
	}
	slices.SortStableFunc(sorted, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) // what comes before a line precedes what takes its place
	})
	for _, s := range sorted {
		switch {
		case s.To > len(t.lines):
			return nil, fmt.Errorf("Line %d does not exist (file has %d lines)", s.To, len(t.lines))
		case s.From-1 < t.at:
			return nil, fmt.Errorf("two changes overlap at line %d", s.From)
		}
		t.keep(s.From - 1)
		for _, line := range s.Lines {
			t.put(line + t.eol)
		}
		t.at = s.To
	}
	t.keep(len(t.lines))
	result := t.out.Bytes()
	if len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) {
		result = bytes.TrimSuffix(result, []byte(t.eol))
	}
	if bytes.Equal(result, raw) {
		return nil, errors.New("the change leaves the file as it is")
	}
	return result, nil
}
