package skill

import (
	"strings"
	"unicode"
)

// prefix begins the call of a skill, before its name.
const prefix = "/skill:"

// Called finds the skill that a prompt calls, and the words of the person. A
// call stands at the beginning, with the words behind it, or, in a prompt that
// begins with neither / nor ! nor $ and a blank, anywhere between blanks; then
// all of the prompt are the words. s is nil when none is called: a name that
// nothing has is text as any other. The error is that of a skill which cannot be
// used.
func (set *Set) Called(prompt string) (s *Skill, words string, err error) {
	text := strings.TrimSpace(prompt)
	if call, ok := strings.CutPrefix(text, prefix); ok {
		name, rest := call, ""
		if i := strings.IndexFunc(call, unicode.IsSpace); i >= 0 {
			name, rest = call[:i], strings.TrimSpace(call[i:])
		}
		if s = set.Find(name); s == nil {
			return nil, "", set.Faults.Of(name)
		}
		return s, rest, nil
	}
	if !strings.Contains(text, prefix) || command(text) {
		return nil, "", nil
	}
	for word := range strings.FieldsSeq(text) {
		if name, ok := strings.CutPrefix(word, prefix); ok {
			if s = set.Find(name); s != nil {
				return s, text, nil
			}
		}
	}
	return nil, "", nil
}

// command tells whether a text is for something else than a model.
func command(text string) bool {
	rest, dollar := strings.CutPrefix(text, "$")
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") || dollar && strings.TrimLeftFunc(rest, unicode.IsSpace) != rest
}
