package nesting

import (
	"strings"
	"testing"
)

func TestTheLineOnWhichValuesLieTooDeepIsFound(t *testing.T) {
	for text, want := range map[string]int{
		"":                                    0,
		"a: [[[]]]\nb: {c: {d: {}}}\n":        0,
		"a: [[[[]]]]\n":                       1,
		"a:\n  {b: {c:\n {d: {}}}}\n":         3,
		"a: 1\n- - - - x\n":                   2,
		"a: 1\n? ? ? ? x\n":                   2,
		"- - - x\n- - - x\n":                  0,
		"a: ]]]]\nb: [[[[\n":                  2,
		"# [[[[\na: '[[[[' # {{{{\nb: ----\n": 0,
		strings.Repeat("a: [1, {b: 2}]\n", 9): 0,
	} {
		if got := In([]byte(text), 3); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}
