package grep

import (
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// The bounds of a page. What is beyond is left out, and the result says so.
const (
	maxFiles      = 20   // files
	maxPerFile    = 20   // matching lines shown of one file among several
	maxSingleFile = 200  // matching lines shown of a file searched alone
	maxMatches    = 2000 // matching lines
	maxLine       = 512  // bytes of a line
)

// Details is what hosts are told of a search. Counts are of what is shown.
type Details struct {
	ScopePath           string      `json:"scopePath"`
	MatchCount          int         `json:"matchCount"`
	FileCount           int         `json:"fileCount"`
	Files               []string    `json:"files"`       // never nil
	FileMatches         []FileMatch `json:"fileMatches"` // never nil
	FileLimitReached    bool        `json:"fileLimitReached,omitempty"`
	PerFileLimitReached bool        `json:"perFileLimitReached,omitempty"`
	LinesTruncated      bool        `json:"linesTruncated,omitempty"`
	Truncated           bool        `json:"truncated,omitempty"`
	MissingPaths        []string    `json:"missingPaths,omitempty"`
	Error               string      `json:"error,omitempty"`
	Meta                *tool.Meta  `json:"meta,omitempty"`
}

// FileMatch counts the matching lines of a file.
type FileMatch struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

// report writes one page. One goroutine only.
type report struct {
	dir           string
	before, after int // lines shown around a match
	skip          int // files still to pass over
	skipped       int
	out           strings.Builder
	details       Details
	timedOut      bool
}

func newReport(dir string, skip int) *report {
	return &report{dir: dir, skip: skip, details: Details{Files: []string{}, FileMatches: []FileMatch{}}}
}

// take adds a file; false means that the page is full.
func (r *report) take(path string, hits fileHits) bool {
	if r.skipped < r.skip {
		r.skipped++
		return true
	}
	d := &r.details
	if d.FileCount >= maxFiles || d.MatchCount >= maxMatches || r.out.Len() >= tool.InlineLimit {
		d.FileLimitReached = true
		return false
	}
	shown, _ := file.Printable([]byte(file.Display(r.dir, path)))
	if d.FileCount > 0 {
		r.out.WriteString("\n")
	}
	fmt.Fprintf(&r.out, "# %s\n", shown)
	count := r.write(hits)
	if hits.more || count < len(hits.matches) {
		d.PerFileLimitReached = true
		fmt.Fprintf(&r.out, "[more matches in this file; search it alone, or for less]\n")
	}
	d.FileCount++
	d.MatchCount += count
	d.Files = append(d.Files, shown)
	d.FileMatches = append(d.FileMatches, FileMatch{shown, count})
	return true
}

// write shows the matching lines with those around them, and "…" between parts
// that do not touch, until the page is full. It returns how many it has shown.
func (r *report) write(hits fileHits) (count int) {
	matched := make(map[int]bool, len(hits.matches))
	for _, i := range hits.matches {
		matched[i] = true
	}
	next := 0 // the first line that was not shown yet
	for count, match := range hits.matches {
		if r.out.Len() >= tool.InlineLimit {
			return count
		}
		from := max(next, match-r.before)
		if from > next && next > 0 {
			r.out.WriteString("…\n")
		}
		for i := from; i < min(len(hits.starts), match+r.after+1); i++ {
			if i > match && matched[i] {
				break // shown in its own turn
			}
			r.line(i, hits.line(i), matched[i])
			next = i + 1
		}
	}
	return len(hits.matches)
}

func (r *report) line(i int, text string, matched bool) {
	mark := " "
	if matched {
		mark = "*"
	}
	if short := file.Cut(text, maxLine); short != text {
		text = short + "…"
		r.details.LinesTruncated = true
	}
	fmt.Fprintf(&r.out, "%s%d:%s\n", mark, i+1, text)
}

// output is the page with its notices.
func (r *report) output() (tool.Output, error) {
	d := &r.details
	d.Truncated = d.FileLimitReached || d.PerFileLimitReached || d.LinesTruncated || r.timedOut
	text := strings.TrimSuffix(r.out.String(), "\n")
	if d.FileCount == 0 {
		text = "No matches found"
	}
	var notices []string
	if d.FileLimitReached {
		notices = append(notices, fmt.Sprintf("[More files match. Use skip=%d for the next page]", r.skip+d.FileCount))
	}
	if r.timedOut {
		d.Error = fmt.Sprintf("Grep timed out after %ds; what it had found is shown. Search a narrower path.", int(timeout.Seconds()))
		notices = append(notices, "["+d.Error+"]")
	}
	if len(d.MissingPaths) > 0 {
		notices = append(notices, "[Path not found: "+strings.Join(d.MissingPaths, ", ")+"]")
	}
	if len(notices) > 0 {
		text += "\n\n" + strings.Join(notices, "\n")
	}
	out := tool.TextOutput(text)
	out.Useless = d.FileCount == 0 && !r.timedOut
	return tool.Detailed(out, d)
}
