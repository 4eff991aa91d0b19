package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWordsArePartedIntoArguments(t *testing.T) {
	for words, want := range map[string][]string{
		"": nil, " \t ": nil, "a b\tc": {"a", "b", "c"}, `'a b' "c d"`: {"a b", "c d"}, `"a 'b' c"`: {"a 'b' c"},
		`"open to the end`: {"open to the end"}, `'' a ""`: {"a"}, "don't 'do it'": {"don't", "do it"}, `"a"b`: {"a", "b"}, "two\nlines here": {"two\nlines", "here"},
		"ä 'ö ü'": {"ä", "ö ü"}, "'": nil,
	} {
		if diff := cmp.Diff(want, parse(words)); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
}

func TestArgumentsAreFilledIn(t *testing.T) {
	const words = " one 'two b' three"
	for text, want := range map[string]string{
		"$1, $2, $3, $4.": "one, two b, three, .", "$10|$1": "|one", "$0 $x $ $1": "$0 $x $ one", "$@": "one two b three", "$ARGUMENTS": "one two b three",
		"$@[2]": "two b three", "$@[2:1]": "two b", "$@[0:1]": "one", "$@[9]": "", "$@[2:99]": "two b three", "$@[x]": "one two b three[x]",
		"$99999999999999999999": "", "$@[99999999999999999999:99999999999999999999]": "",
		"{{args}} {{ ARGUMENTS }} {{arguments}} {{other}}": "one two b three one two b three one two b three {{other}}",
		"no place": "no place\n\none 'two b' three",
	} {
		if got, err := fill(text, words); got != want || err != nil {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"no place": "no place", "[$1] [$@]": "[] []"} {
		if got, err := fill(text, " "); got != want || err != nil {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
}

func TestWhatArgumentsHoldIsNotFilledIn(t *testing.T) {
	if got, _ := fill("$1 $@", "$2 $ARGUMENTS"); got != "$2 $2 $ARGUMENTS" {
		t.Error(got)
	}
}

func TestATemplateStaysBounded(t *testing.T) {
	if _, err := fill(strings.Repeat("$@", 1<<19), strings.Repeat("x", 1<<19)); err == nil || err.Error() != "with these arguments it has more than 256 KiB" {
		t.Error(err)
	}
	if _, err := fill("x", strings.Repeat("x", maxText)); err == nil {
		t.Error("no error")
	}
}

// FuzzFill looks for texts that grow beyond their bound or end the program.
func FuzzFill(f *testing.F) {
	f.Add("$1 $@[2:3] {{args}}", "a 'b c' \"d")
	f.Add("$@[0:99999999999999999999]$10$", "")
	f.Fuzz(func(t *testing.T, text, words string) {
		if got, err := fill(text, words); err == nil && len(got) > maxText {
			t.Errorf("%d bytes", len(got))
		}
	})
}
