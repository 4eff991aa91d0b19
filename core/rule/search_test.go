package rule

import (
	"regexp"
	"testing"
	"unicode/utf8"
)

// FuzzSearch compares a search piece by piece with package regexp's of the
// whole.
func FuzzSearch(f *testing.F) {
	for _, pattern := range []string{`a|b`, `^a.*b$`, `\bfoo\b`, `(?i)straße`, `(?m)^x$`, `(a+)+c`, `[^\n]{3}é`, ``, `$`, `\Bx`, `(?s).*y`, `[[:^alpha:]]\z`} {
		f.Add(pattern, "the foo is\nx\nabc é STRASSE", 3)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, size int) {
		whole, err := regexp.Compile(pattern)
		if err != nil || len(pattern) > 200 || len(text) > 500 || !utf8.ValidString(text) {
			return
		}
		c, err := compile(pattern)
		if err != nil || translate(pattern) != pattern {
			return
		}
		size = max(size%16, 1)
		s, found := newSearch(c.prog), false
		for rest := []byte(text); len(rest) > 0 && !found; {
			n := min(size, len(rest))
			found = s.feed(rest[:n])
			rest = rest[n:]
		}
		if found = found || s.end(); found != whole.MatchString(text) {
			t.Errorf("%q in %q in pieces of %d: %t", pattern, text, size, found)
		}
	})
}
