package secret

import (
	"regexp"
	"strings"
	"sync"
)

var (
	quote = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*"|'[^']*'|\x60[^\x60]*\x60`) })
	name  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`) })
)

// Quoteless is what a YAML package says of a file without what it quotes of it,
// but for names of keys and marks of a few characters: files of people hold keys
// of providers, which must not get into messages.
func Quoteless(said string) string {
	said, _, _ = strings.Cut(said, "\n") // it may go on with a piece of the file
	ofKey := strings.HasPrefix(said, "unknown field ") || strings.Contains(said, " key ")
	return quote().ReplaceAllStringFunc(said, func(quoted string) string {
		const marks = 3 // characters
		if text := quoted[1 : len(quoted)-1]; len(text) <= marks || ofKey && name().MatchString(text) {
			return quoted
		}
		return "…"
	})
}
