package read

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"veyyon.dev/veyyon/core/fault"
)

// A lineRange is the lines From to To, both included and counted from 1; To is 0
// when it goes on to the end.
type lineRange struct{ From, To int }

func (r lineRange) String() string {
	if r.To == 0 {
		return strconv.Itoa(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// selector is what a path asks for of its file.
type selector struct {
	Ranges []lineRange // none is everything
	Raw    bool        // without line numbers, as it is
	Bare   bool        // without line numbers though not Raw, as nobody can edit it
}

var rangeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^L?(\d{1,9})(?:(-|\.\.|\+)(?:L?(\d{1,9}))?)?$`)
})

// split takes the selectors off the end of a path: :N, :N-, :A-B, :A..B, :A+C
// (C lines from A), lists of those with commas, and :raw. What is no selector
// belongs to the path, and so does what exists: a file may be named "a:1". An
// error says what is wrong with a selector.
func split(path string, exists func(path string) bool) (base string, sel selector, err error) {
	base = path
	for {
		at := strings.LastIndexByte(base, ':')
		if at <= 0 || exists(base) {
			return base, sel, nil
		}
		word := base[at+1:]
		if word == "raw" && !sel.Raw {
			sel.Raw = true
		} else if ranges, ok, err := parseRanges(word); err != nil {
			return "", selector{}, err
		} else if ok && sel.Ranges == nil {
			sel.Ranges = ranges
		} else {
			return base, sel, nil
		}
		base = base[:at]
	}
}

func parseRanges(word string) (ranges []lineRange, ok bool, err error) {
	var wrong error
	for item := range strings.SplitSeq(word, ",") {
		m := rangeForm().FindStringSubmatch(strings.TrimSpace(item))
		if m == nil || m[2] != "" && m[2] != "-" && m[3] == "" {
			return nil, false, nil
		}
		r, err := makeRange(m[1], m[2], m[3])
		if wrong == nil {
			wrong = err
		}
		ranges = append(ranges, r)
	}
	return ranges, wrong == nil, wrong
}

// errZero has words that are agreed on (facts/agent 8.4).
var errZero = fault.New(fault.Invalid, "Line selector 0 is invalid; lines are 1-indexed. Use :1.")

func makeRange(from, sign, to string) (lineRange, error) {
	var r lineRange
	r.From, _ = strconv.Atoi(from) // at most nine digits
	r.To, _ = strconv.Atoi(to)     // 0 when empty
	if r.From == 0 {
		return r, errZero
	}
	if sign == "+" {
		if r.To == 0 {
			return r, fmt.Errorf("line selector %s+%s is invalid; it asks for no lines", from, to)
		}
		r.To += r.From - 1
	}
	if to != "" && r.To < r.From {
		return r, fmt.Errorf("line selector %s%s%s is invalid; it ends before it begins", from, sign, to)
	}
	return r, nil
}

// merged puts ranges in order and joins those that touch.
func merged(ranges []lineRange) []lineRange {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b lineRange) int { return a.From - b.From })
	joined := sorted[:0]
	for _, r := range sorted {
		last := len(joined) - 1
		switch {
		case last < 0 || joined[last].To != 0 && r.From > joined[last].To+1:
			joined = append(joined, r)
		case joined[last].To != 0 && (r.To == 0 || r.To > joined[last].To):
			joined[last].To = r.To
		}
	}
	return joined
}

// widened adds to bounded ranges the lines that show where they stand.
func widened(ranges []lineRange) []lineRange {
	const before, after = 1, 3
	wide := slices.Clone(ranges)
	for i, r := range wide {
		if r.To != 0 {
			wide[i] = lineRange{max(1, r.From-before), r.To + after}
		}
	}
	return wide
}

func selectorText(ranges []lineRange) string {
	items := make([]string, len(ranges))
	for i, r := range ranges {
		items[i] = r.String()
	}
	return ":" + strings.Join(items, ",")
}
