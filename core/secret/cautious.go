package secret

import (
	"regexp"
	"strings"
	"sync"
)

// minCautious is how many bytes a configured key must have to be looked for:
// shorter ones would hit ordinary words.
const minCautious = 8

// shapes are keys as well-known services make them, whoever they belong to, where
// no word goes on. They are compiled when they are first needed. Each begins with
// letters that are certain, which makes them quick: all in one took 100 ns a byte.
var shapes = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, expr := range []string{
		`sk-[A-Za-z0-9_-]{20,}`, // OpenAI, Anthropic and those like them
		`ghp_[A-Za-z0-9]{30,}`, `gho_[A-Za-z0-9]{30,}`, `ghu_[A-Za-z0-9]{30,}`, `ghs_[A-Za-z0-9]{30,}`, `ghr_[A-Za-z0-9]{30,}`,
		`github_pat_[A-Za-z0-9_]{30,}`, `glpat-[A-Za-z0-9_-]{20,}`,
		`AKIA[A-Z0-9]{16}\b`, `ASIA[A-Z0-9]{16}\b`, `AIza[A-Za-z0-9_-]{35}`, `xox[abpors]-[A-Za-z0-9-]{10,}`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`,
	} {
		all = append(all, regexp.MustCompile(expr))
	}
	return all
})

// Cautious returns what takes secrets out of a text that is written about a
// conversation: these, which are configured, and all that look like keys. It is
// safe for concurrent use.
func Cautious(secrets []string) func(string) string {
	hide := Hider(secrets, minCautious)
	return func(text string) string {
		text = hide(text)
		for _, shape := range shapes() {
			text = hideShape(text, shape)
		}
		return text
	}
}

func hideShape(text string, shape *regexp.Regexp) string {
	var out strings.Builder
	done := 0
	for _, at := range shape.FindAllStringIndex(text, -1) {
		if at[0] > 0 && isWord(text[at[0]-1]) && isWord(text[at[0]]) {
			continue // it is in the middle of a word, such as task-
		}
		out.WriteString(text[done:at[0]] + Hidden)
		done = at[1]
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
