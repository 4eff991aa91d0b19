package skill

import (
	"errors"
	"testing"

	"veyyon.dev/veyyon/core/frontmatter"
)

func TestAPromptCallsASkillByItsName(t *testing.T) {
	set := &Set{Skills: []*Skill{{Name: "a"}, {Name: "a:b"}}, Faults: frontmatter.Faults{{Name: "bad", Err: errors.New("broken")}}}
	for prompt, want := range map[string][2]string{
		"/skill:a": {"a", ""}, " /skill:a  two  words ": {"a", "two  words"}, "/skill:a\nnext": {"a", "next"}, "/skill:a:b c": {"a:b", "c"},
		"use /skill:a here": {"a", "use /skill:a here"}, "use /skill:none or\n/skill:a:b": {"a:b", "use /skill:none or\n/skill:a:b"}, "$5 /skill:a": {"a", "$5 /skill:a"},
		"": {}, "/skill:": {}, "/skill:none": {}, "/skill:A": {}, "skill:a": {}, "/skill: a": {}, "x/skill:a": {}, "use /skill:ab": {},
		"/model /skill:a": {}, "!echo /skill:a": {}, "$ echo /skill:a": {}, "use /skill:bad": {},
	} {
		s, words, err := set.Called(prompt)
		name := ""
		if s != nil {
			name = s.Name
		}
		if name != want[0] || words != want[1] || err != nil {
			t.Errorf("%q calls %q with %q, %v", prompt, name, words, err)
		}
	}
	if s, _, err := set.Called("/skill:bad x"); s != nil || err == nil {
		t.Error(s, err)
	}
}
