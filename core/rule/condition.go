package rule

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// condition is a pattern for what models write. Its time grows with the length
// of the text, whatever the pattern: a project's file must not stop the program.
type condition struct{ prog *syntax.Prog }

// maxProgram bounds a condition, and all of one rule, in steps; what is larger
// is an error.
const maxProgram = 4096

// steps is what a condition costs: an instruction may take a step for each
// character of an answer, and classes of characters take memory.
func (c condition) steps() int {
	const ranges = 64 // numbers, two for each range of a class, that count as a step
	n := 0
	for _, inst := range c.prog.Inst {
		n += 1 + len(inst.Rune)/ranges
	}
	return n
}

// anything is found in every text, even in none.
var anything = condition{must(syntax.Compile(must(syntax.Parse("", syntax.Perl))))}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // of a pattern in this file
	}
	return v
}

// compile reads a pattern in the syntax of JavaScript. What looks around itself
// or back at what it has found is an error.
func compile(pattern string) (condition, error) {
	own := translate(pattern)
	tree, err := syntax.Parse(own, syntax.Perl)
	if err != nil {
		if looksAround().MatchString(pattern) {
			err = fmt.Errorf("%s: looking ahead, behind or back at a group is not supported", pattern)
		}
		return condition{}, err
	}
	if size(tree) > maxProgram { // to write its repeats out would take long
		return condition{}, errTooLarge
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return condition{}, err
	}
	c := condition{prog}
	if c.steps() > maxProgram {
		return condition{}, errTooLarge
	}
	return c, nil
}

var errTooLarge = errors.New("the pattern is too large")

// size is how many instructions a pattern has at the least.
func size(tree *syntax.Regexp) int {
	n := 0
	switch {
	case tree.Op == syntax.OpLiteral:
		n = len(tree.Rune)
	case len(tree.Sub) == 0:
		n = 1
	}
	for _, sub := range tree.Sub {
		n += size(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(1, tree.Min, tree.Max)
	}
	return n
}

// looksAround is what JavaScript can and a search in linear time cannot.
var looksAround = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\?<?[=!]|\\[1-9]|\\k<`) })

// translate writes in our syntax what JavaScript writes differently: characters
// by their number, and the classes of nothing and of everything.
func translate(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, `\u{`):
			b.WriteString(`\x{`)
			i += 2
		case strings.HasPrefix(rest, `\u`) && len(rest) >= 6:
			b.WriteString(`\x{` + rest[2:6] + `}`)
			i += 5
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(rest[:2])
			i++
		case strings.HasPrefix(rest, "[^]"):
			b.WriteString(`(?s:.)`)
			i += 2
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

// globLike is what a condition looks like that names files: the star at its
// beginning or behind a slash is nothing that a pattern of text has.
var globLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\w.{},-]+/)*\*{1,2}(?:/[\w.{},*-]+|\.[\w{},*]+)+$`)
})

func isGlob(pattern string) bool { return globLike().MatchString(pattern) && validGlob(pattern) }
