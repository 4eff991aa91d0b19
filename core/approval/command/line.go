// Package command finds out which commands a line of bash may run.
//
// It is made for rules that allow or deny: what it does not know it says, so
// that an allow rule never holds for a line that could run something else. A
// fuzz target holds it against bash itself.
package command

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sourcegraph/conc/panics"
	"mvdan.cc/sh/v3/syntax"
)

// maxLine is the longest line, in bytes, that is looked at; a longer one counts
// as one of which nothing is known. Its nesting costs stack.
const maxLine = 64 << 10

// maxDepth is how many brackets may be open at a place of a line before nothing
// more is known: the parser goes down into each.
const maxDepth = 500

// maxNested is how deep lines may stand in lines (sh -c, eval) before nothing
// more is known.
const maxNested = 8

// A Line is what is known of a command line.
type Line struct {
	// Calls are the simple commands that may run, also those in substitutions,
	// functions and behind wrappers such as env or xargs.
	Calls []Call
	// Doubts say what the line may do beside its calls. No allow rule holds for a
	// line with doubts.
	Doubts []string
	// Hidden says that the line may run commands that Calls does not have.
	Hidden bool
	// Critical says that the line does what can hardly be made good again.
	Critical bool
}

// A Call is a simple command. The first word is its name.
type Call struct {
	Words []Word
	// Open says that more words may follow, as from the input of xargs.
	Open bool
	Role Role
}

// Role says what rules have to do with a call.
type Role int

// The roles.
const (
	// Plain calls need a rule that allows them.
	Plain Role = iota
	// Harmless calls do nothing by themselves, such as echo, or just run another
	// call of the line, such as timeout.
	Harmless
	// Guess calls are words that a program may take for a command. They count for
	// rules that deny only.
	Guess
	// Hint calls are the words of a program that is not known, which perhaps runs
	// them. Rules that deny ask about them.
	Hint
)

// A Place is where a line runs.
type Place struct {
	Moved   bool     // in another directory than its rules were written for
	Outside bool     // and that is none of the session's
	Env     []string // names of variables that are set for it
}

// Read finds out what a line does when bash runs it.
func Read(line string, place Place) Line {
	r := &reader{moved: place.Moved, tainted: map[string]bool{}}
	for _, name := range place.Env {
		r.environment(name)
	}
	if place.Outside {
		r.doubt("it runs outside of the working directory")
	}
	if caught := panics.Try(func() { r.source(line, syntax.LangBash) }); caught != nil {
		slog.Error("reading a command line panicked", "panic", caught.Value, "stack", string(caught.Stack))
		r.blind("it cannot be analysed")
	}
	if r.moved && r.relative {
		r.doubt("it changes the directory and runs a program by a relative path")
	}
	return r.line
}

// A reader collects what a line does. One goroutine only.
type reader struct {
	line     Line
	text     string          // of the line that is read, or of that within it
	depth    int             // of lines in lines
	tainted  map[string]bool // variables of the line, and whether their values need not be numbers
	moved    bool            // the line changes its directory
	relative bool            // it runs a program by a path that is not absolute
}

// doubt notes what keeps allow rules from holding.
func (r *reader) doubt(format string, args ...any) {
	r.line.Doubts = append(r.line.Doubts, fmt.Sprintf(format, args...))
}

// blind notes that the line may run anything at all.
func (r *reader) blind(format string, args ...any) {
	r.line.Hidden = true
	r.doubt(format, args...)
}

// source reads a whole line, or one within it.
func (r *reader) source(line string, dialect syntax.LangVariant) {
	if r.depth++; r.depth > maxNested {
		r.blind("lines stand too deep in lines")
		return
	}
	defer func() { r.depth-- }()
	if len(line) > maxLine {
		r.blind("it is longer than %d KiB", maxLine>>10)
		return
	}
	if r.deceptive(line) {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(line), "")
	if err != nil {
		r.blind("it cannot be parsed")
		return
	}
	outer := r.text
	r.text = line
	r.taint(file)
	r.statements(file.Stmts)
	r.text = outer
}

// deceptive tells whether the line has characters that people do not see as what
// they are, or that bash and the parser do not read alike, or too many brackets.
func (r *reader) deceptive(line string) bool {
	if !utf8.ValidString(line) {
		r.blind("it is not valid UTF-8")
		return true
	}
	if spliced(line) {
		r.blind("a backslash joins lines where that is not seen")
		return true
	}
	depth := 0
	for _, c := range line {
		switch c {
		case '\n', '\t', ' ':
			continue
		case '(', '{':
			if depth++; depth > maxDepth {
				r.blind("it has more than %d brackets in one another", maxDepth)
				return true
			}
		case ')', '}':
			depth = max(depth-1, 0)
		}
		if unicode.IsControl(c) || unicode.IsSpace(c) || unicode.In(c, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp) || c == utf8.RuneError {
			r.blind("it has the invisible character %U", c)
			return true
		}
	}
	return false
}

// spliced tells whether two lines may be joined in the middle of something: bash
// takes backslash and newline away before it looks for $( and the like, but not in
// a comment, and the parser does neither.
func spliced(line string) bool {
	for {
		before, after, found := strings.Cut(line, "\\\n")
		if !found {
			return false
		}
		before = before[strings.LastIndexByte(before, '\n')+1:]
		if before != "" && strings.IndexByte(" \t", before[len(before)-1]) < 0 || strings.Contains(before, "#") {
			return true
		}
		line = after
	}
}
