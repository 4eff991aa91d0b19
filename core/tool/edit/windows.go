package edit

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// The bounds of the search by likeness.
const (
	// lineTolerance is the part of one line that may be misspelt, as 1/n. A line
	// that differs more is another line, which somebody else may have written.
	lineTolerance = 5
	// maxLikeness is how long an old text may be for this search, in bytes; a
	// longer one has to match exactly.
	maxLikeness = 64 << 10
	// maxTolerant is how large a file may be for any search that is not exact,
	// in bytes; such a search needs many times as much memory.
	maxTolerant = 4 << 20
	// maxEffort is how many lines, and cells of the distance of two lines, are
	// compared before the search ends without a match: about a second.
	maxEffort = 200_000_000
)

// line is a line of a text: raw without its end, where it stands, and its key,
// which is equal for lines that differ in blanks and typography only.
type line struct {
	start, end int // end is before the line end
	next       int // where the next line starts
	indent     string
	key        string
}

func lines(raw []byte) []line {
	var all []line
	for at := 0; at < len(raw); {
		l := line{start: at, end: len(raw), next: len(raw)}
		if end := bytes.IndexByte(raw[at:], '\n'); end >= 0 {
			l.end, l.next = at+end, at+end+1
		}
		if l.end > at && raw[l.end-1] == '\r' && l.next > l.end {
			l.end--
		}
		text := string(raw[l.start:l.end])
		l.indent = text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		l.key = strings.Join(strings.Fields(string(fold([]byte(text)).text)), " ")
		all = append(all, l)
		at = l.next
	}
	return all
}

// windows compares the old text with every run of as many whole lines.
func windows(ctx context.Context, body []byte, e Edit, misspelt float64) (match, error) {
	old := lines([]byte(e.Old))
	size := 0
	for _, l := range old {
		size += len(l.key)
	}
	if size == 0 || size > maxLikeness || len(body) > maxTolerant {
		return match{}, nil
	}
	budget := int(float64(size) * misspelt / 100)
	if e.All {
		budget = 0
	}
	there := lines(body)
	var same, like []span
	effort := 0
	for i := 0; i+len(old) <= len(there) && effort < maxEffort; i++ {
		if ctx.Err() != nil {
			return match{}, context.Cause(ctx)
		}
		window := there[i : i+len(old)]
		off, ok := unlikeness(window, old, budget, &effort)
		if !ok {
			continue
		}
		s := place(window, old, e)
		if off == 0 {
			same = append(same, s)
		} else {
			like = append(like, s)
		}
	}
	if effort >= maxEffort {
		return match{}, nil // what was found may not be the only one
	}
	if len(same) > 0 {
		return match{spans: same, note: "matched with differences in blanks and indentation overlooked"}, nil
	}
	return match{spans: like, note: "matched text that is not quite old_text"}, nil
}

// place is the span of a window, with the new text indented as the window is.
func place(window, old []line, e Edit) span {
	last := window[len(window)-1]
	s := span{start: window[0].start, end: last.end, new: reindent(e.New, window, old)}
	if strings.HasSuffix(e.Old, "\n") {
		s.end = last.next
	}
	return s
}

// reindent carries the new text over to the file's way of indenting: what stands
// in the old text for an indentation of the file stands for it in the new, too.
func reindent(text string, window, old []line) string {
	inFile := map[string]string{}
	for i, l := range old {
		if _, seen := inFile[l.indent]; l.key != "" && !seen {
			inFile[l.indent] = window[i].indent
		}
	}
	known := make([]string, 0, len(inFile))
	for indent := range inFile {
		known = append(known, indent)
	}
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // the longest counts
	var out strings.Builder
	for l := range strings.Lines(text) {
		for _, indent := range known {
			if rest, ok := strings.CutPrefix(l, indent); ok && strings.TrimSpace(l) != "" {
				l = inFile[indent] + rest
				break
			}
		}
		out.WriteString(l)
	}
	return out.String()
}

// unlikeness is by how many single-byte changes two runs of lines differ; ok is
// false when by more than the budget.
func unlikeness(a, b []line, budget int, effort *int) (total int, ok bool) {
	for i := range b {
		*effort++
		if a[i].key == b[i].key {
			continue
		}
		limit := min(budget-total, len(b[i].key)/lineTolerance)
		*effort += len(b[i].key) * limit
		off, ok := distance(a[i].key, b[i].key, limit)
		if !ok {
			return 0, false
		}
		total += off
	}
	return total, true
}

// distance is the Levenshtein distance of two strings; ok is false when it is
// greater than limit. It takes O(len × limit) steps.
func distance(a, b string, limit int) (d int, ok bool) {
	if limit <= 0 || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return 0, false
	}
	beyond := limit + 1
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = min(j, beyond)
	}
	for i := 1; i <= len(a); i++ {
		low, high := max(1, i-limit), min(len(b), i+limit)
		diagonal, best := row[low-1], beyond
		if row[low-1] = beyond; low == 1 {
			row[0], best = min(i, beyond), min(i, beyond)
		}
		for j := low; j <= high; j++ {
			step := diagonal
			if a[i-1] != b[j-1] {
				step = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], min(step, beyond)
			best = min(best, row[j])
		}
		if best > limit {
			return 0, false
		}
	}
	return row[len(b)], row[len(b)] <= limit
}
