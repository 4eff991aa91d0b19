// Package patch reads patches as models write them, and makes their changes to
// texts. It is pure: whoever has the files reads and writes them.
package patch

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Op is what a change does to its file, by the word that models and hosts read.
type Op string

// The kinds of changes.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
)

// Change is what a patch does to one file.
type Change struct {
	Op    Op
	Path  string
	Move  string // where the file goes; "" leaves it there
	Text  string // of a new file
	Hunks []Hunk // of an update, in the order of the file
	// Tag is the version of the file that Spans are about, where an update goes by
	// line numbers.
	Tag   string
	Spans []Span
}

// Hunk is one place of a file. Its lines have no ends.
type Hunk struct {
	Under []string // lines that stand somewhere above it, from the outermost
	Lines []Line
	AtEnd bool // it reaches to the end of the file
}

// Line is a line of a hunk: ' ' stays, '-' goes, '+' comes.
type Line struct {
	Kind byte
	Text string
}

// The words of a patch. Those that are exported begin a line about a file that is
// deleted, and about one that is moved.
const (
	begin      = "*** Begin Patch"
	end        = "*** End Patch"
	endOfFile  = "*** End of File"
	addFile    = "*** Add File: "
	DeleteFile = "*** Delete File: "
	updateFile = "*** Update File: "
	MoveTo     = "*** Move to: "
)

// Paths are the paths that a patch names, or changes by line numbers, in their
// order, also where these are refused.
func Paths(text string) (paths []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, word := range []string{addFile, DeleteFile, updateFile, MoveTo} {
			if path, ok := strings.CutPrefix(line, word); ok {
				paths = append(paths, strings.TrimSpace(path))
			}
		}
		if h := header().FindStringSubmatch(strings.TrimSuffix(line, "\r")); h != nil {
			paths = append(paths, h[1])
		}
	}
	return paths
}

// Parse reads a patch of any number of files.
func Parse(text string) (changes []Change, err error) {
	lines := split(text)
	if len(lines) < 2 || strings.TrimSpace(lines[0]) != begin || strings.TrimSpace(lines[len(lines)-1]) != end {
		return nil, fmt.Errorf("the first line must be %q and the last %q", begin, end)
	}
	lines = lines[1 : len(lines)-1]
	for len(lines) > 0 {
		c, used, err := parseChange(lines)
		if err != nil {
			return nil, err
		}
		lines = lines[used:]
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil, errors.New("it changes no file")
	}
	return changes, nil
}

func parseChange(lines []string) (c Change, used int, err error) {
	body := 1 // lines up to the next change
	for body < len(lines) && !opens(lines[body]) {
		body++
	}
	used = body
	head, rest := lines[0], lines[1:body]
	switch path := ""; {
	case cut(head, addFile, &path):
		c = Change{Op: Create, Path: path}
		if c.Text, err = newText(rest); err != nil {
			return c, 0, fmt.Errorf("%s: %w", path, err)
		}
	case cut(head, DeleteFile, &path):
		c = Change{Op: Delete, Path: path}
		if text := strings.TrimSpace(strings.Join(rest, "\n")); text != "" {
			return c, 0, fmt.Errorf("%s: nothing may follow %q, but there is %q", path, DeleteFile+path, text)
		}
	case cut(head, updateFile, &path):
		c = Change{Op: Update, Path: path}
		if len(rest) > 0 && cut(rest[0], MoveTo, &c.Move) {
			rest = rest[1:]
		}
		if c.Hunks, err = parseHunks(rest); err != nil {
			return c, 0, fmt.Errorf("%s: %w", path, err)
		}
		if len(c.Hunks) == 0 && c.Move == "" {
			return c, 0, fmt.Errorf("%s: there is no change", path)
		}
	default:
		return c, 0, fmt.Errorf("expected %q, %q or %q with a path, not %q", addFile, updateFile, DeleteFile, head)
	}
	if c.Path == "" {
		return c, 0, fmt.Errorf("%q names no file", head)
	}
	return c, used, nil
}

// ParseNew reads the lines of a new file, each with a +, and gives its text.
func ParseNew(diff string) (string, error) {
	lines := split(diff)
	if len(lines) > 1 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ") {
		lines = lines[2:]
	}
	return newText(lines)
}

func newText(lines []string) (string, error) {
	var text strings.Builder
	for _, line := range lines {
		added, ok := strings.CutPrefix(line, "+")
		if ok {
			text.WriteString(added + "\n")
		} else if line != "" && !strings.HasPrefix(line, "@@") {
			return "", fmt.Errorf("each line of a new file must begin with +, not %q", line)
		}
	}
	return text.String(), nil
}

// opens tells whether a change begins with the line.
func opens(line string) bool {
	return strings.HasPrefix(line, addFile) || strings.HasPrefix(line, DeleteFile) || strings.HasPrefix(line, updateFile)
}

func cut(line, word string, rest *string) bool {
	after, ok := strings.CutPrefix(line, word)
	if ok {
		*rest = strings.TrimSpace(after)
	}
	return ok
}

// split makes lines of a text, without the blank ones around it.
func split(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.Trim(text, "\n"), "\n")
}

// ParseHunks reads the changes of one file: hunks as in a patch, or a unified
// diff, whose line numbers are passed over.
func ParseHunks(diff string) ([]Hunk, error) {
	lines := split(diff)
	if len(lines) > 1 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ") {
		lines = lines[2:]
	}
	return parseHunks(lines)
}

// numbers are those of a unified diff, with what may stand behind them.
var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-\d+(,\d+)? \+\d+(,\d+)? @@`) })

func parseHunks(lines []string) (hunks []Hunk, err error) {
	var h Hunk
	blank := 0 // empty lines at the end of h: they may only part it from what follows
	flush := func() {
		h.Lines, blank = h.Lines[:len(h.Lines)-blank], 0
		if len(h.Lines) > 0 {
			hunks = append(hunks, h)
			h = Hunk{}
		}
	}
	for _, line := range lines {
		under, isHead := strings.CutPrefix(line, "@@")
		switch {
		case isHead:
			flush()
			if under = strings.TrimSpace(under); under != "" && !numbers().MatchString(under) {
				h.Under = append(h.Under, under)
			}
		case line == endOfFile:
			h.AtEnd = true
			flush()
		case strings.HasPrefix(line, `\ No newline`):
		case line == "":
			h.Lines = append(h.Lines, Line{' ', ""}) // models leave out the blank
			blank++
		case strings.IndexByte(" -+", line[0]) >= 0:
			h.Lines = append(h.Lines, Line{line[0], line[1:]})
			blank = 0
		default:
			return nil, fmt.Errorf("a line must begin with a blank, + or -, or with @@, but there is %q", line)
		}
	}
	flush()
	for i, h := range hunks {
		if !changes(h) {
			return nil, fmt.Errorf("hunk %d has no line with + or -", i+1)
		}
	}
	return hunks, nil
}

func changes(h Hunk) bool {
	for _, line := range h.Lines {
		if line.Kind != ' ' {
			return true
		}
	}
	return false
}
