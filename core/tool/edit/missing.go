package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// The bounds of an error about text that was not found.
const (
	maxNear     = 3     // lines shown
	maxNearLine = 160   // bytes of each
	maxSearched = 50000 // lines of the file looked at
	maxCompared = 500   // lines of the old text
)

// missing says that the old text is not there, and what comes near it.
func missing(body []byte, old string) error {
	if len(body) > maxTolerant {
		return errors.New("old_text was not found; in a file of this size it has to match exactly")
	}
	there, wanted := lines(body), lines([]byte(old))
	there, wanted = there[:min(len(there), maxSearched)], wanted[:min(len(wanted), maxCompared)]
	show := func(text []byte, l line) string {
		shown, _ := file.Printable(text[l.start:l.end])
		return fmt.Sprintf("%q", file.Cut(shown, maxNearLine))
	}
	if at, same := longestStart(there, wanted); same > 0 {
		lacks := "the file ends there"
		if at+same < len(there) {
			lacks = fmt.Sprintf("line %d of the file is %s", at+same+1, show(body, there[at+same]))
		}
		if same == len(wanted) {
			return fmt.Errorf("old_text was not found; line %d comes nearest: %s", at+1, show(body, there[at]))
		}
		return fmt.Errorf("old_text was not found; its first %s at line %d, but then %s and old_text has %s",
			tool.Count(same, "line")+" matched", at+1, lacks, show([]byte(old), wanted[same]))
	}
	var near []string
	for _, i := range similar(there, wanted) {
		near = append(near, fmt.Sprintf("line %d: %s", i+1, show(body, there[i])))
	}
	if len(near) == 0 {
		return errors.New("old_text was not found, nor anything like it; read the file again")
	}
	return fmt.Errorf("old_text was not found; the nearest to its first line are\n%s", strings.Join(near, "\n"))
}

// longestStart finds where most of the first wanted lines stand in a row.
func longestStart(there, wanted []line) (at, same int) {
	for i := range there {
		n := 0
		for n < len(wanted) && i+n < len(there) && there[i+n].key == wanted[n].key {
			n++
		}
		if n > same && wanted[0].key != "" {
			at, same = i, n
		}
	}
	return at, same
}

// similar lists the lines that share at least half of the words of the first
// wanted line that has any, the best first.
func similar(there, wanted []line) []int {
	first := slices.IndexFunc(wanted, func(l line) bool { return l.key != "" })
	if first < 0 {
		return nil
	}
	words := strings.Fields(wanted[first].key)
	shared := map[int]int{}
	for i, l := range there {
		n := 0
		for _, word := range strings.Fields(l.key) {
			if slices.Contains(words, word) {
				n++
			}
		}
		if 2*n >= len(words) && n > 0 {
			shared[i] = n
		}
	}
	var best []int
	for i := range shared {
		best = append(best, i)
	}
	slices.SortFunc(best, func(a, b int) int {
		if shared[a] != shared[b] {
			return shared[b] - shared[a]
		}
		return a - b
	})
	return best[:min(len(best), maxNear)]
}
