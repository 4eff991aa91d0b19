package command

import (
	"errors"
	"path"
	"strings"
	"unicode"
)

// A Pattern says which calls a rule is about: a word for each of theirs, in
// which * stands for any text. A * alone at the end stands for any words, or
// none.
type Pattern struct{ words []string }

// ErrPattern is what ParsePattern returns for a text that is no pattern.
var ErrPattern = errors.New("a pattern has one word for each word of a command, * for any text, and no quotes or operators")

// ParsePattern reads a pattern. Words stand apart by spaces and are never
// quoted.
func ParsePattern(text string) (Pattern, error) {
	p := Pattern{strings.Fields(text)}
	if len(p.words) == 0 || strings.ContainsAny(text, "|&;<>\"'`$\\\n") || strings.IndexFunc(text, unicode.IsControl) >= 0 {
		return Pattern{}, ErrPattern
	}
	return p, nil
}

func (p Pattern) String() string { return strings.Join(p.words, " ") }

// Covers tells whether the pattern is certain to describe the call as a whole.
// The name must be written as in the pattern.
func (p Pattern) Covers(c Call) bool {
	words := c.Words
	for i, want := range p.words {
		if want == "*" && i == len(p.words)-1 {
			return true
		}
		if len(words) == 0 {
			return false
		}
		w := words[0]
		if w.Many || w.Split || !w.Known && want != "*" || w.Known && !glob(want, w.Text) {
			return false
		}
		words = words[1:]
	}
	return len(words) == 0 && !c.Open
}

// Finding is whether a pattern describes the beginning of a call.
type Finding int

// The findings.
const (
	No Finding = iota
	Maybe
	Yes
)

// Finds tells whether the pattern describes the call, or its beginning: for
// rules that forbid. A name may be written with its directory.
func (p Pattern) Finds(c Call) Finding {
	words := p.words
	if words[len(words)-1] == "*" && len(words) > 1 {
		words = words[:len(words)-1]
	}
	found := finds(words, c.Words, c.Open, true)
	if found != Yes {
		found = max(found, findsBehindOptions(words, c))
	}
	if c.Role == Hint {
		return min(found, Maybe)
	}
	return found
}

// maxOptions is how many words may stand before the one that a pattern has next;
// behind more of them it may stand.
const maxOptions = 32

// findsBehindOptions is Finds for a call such as git -C dir push, whose options
// stand before the word that the pattern has next. Which of them take a value is
// not known.
func findsBehindOptions(want []string, c Call) (found Finding) {
	if len(want) < 2 || strings.HasPrefix(want[1], "-") || len(c.Words) == 0 || finds(want[:1], c.Words[:1], false, true) == No {
		return No
	}
	value, sure := false, true // the word may be that of the option before; none was so far
	for i, w := range c.args() {
		if i == maxOptions {
			return max(found, Maybe)
		}
		option := w.Text != "" && w.Text[0] == '-'
		if !option {
			here := finds(want[1:], c.args()[i:], c.Open, false)
			if sure = sure && !value; !sure {
				here = min(here, Maybe)
			}
			if found = max(found, here); !value {
				break
			}
		}
		value = option && !strings.Contains(w.Text, "=")
	}
	return found
}

func finds(want []string, words []Word, open, name bool) Finding {
	if len(want) == 0 {
		return Yes
	}
	if len(words) == 0 {
		if open {
			return Maybe
		}
		return No
	}
	w := words[0]
	if w.Known {
		text := w.Text
		if name && !strings.ContainsRune(want[0], '/') {
			text = path.Base(text)
		}
		if !glob(want[0], text) {
			return No
		}
		return finds(want[1:], words[1:], open, false)
	}
	if !w.Split && !name && !begins(want[0], w.Text) {
		return No
	}
	if w.Split || w.Many {
		return Maybe // what follows may stand anywhere
	}
	return min(finds(want[1:], words[1:], open, false), Maybe)
}

// begins tells whether a text that begins so can fit the pattern.
func begins(pattern, text string) bool {
	fixed, _, wild := strings.Cut(pattern, "*")
	if wild {
		n := min(len(fixed), len(text))
		return fixed[:n] == text[:n]
	}
	return strings.HasPrefix(pattern, text)
}

// glob tells whether a text fits a pattern in which * stands for any text.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}
