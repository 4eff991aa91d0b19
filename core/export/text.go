package export

import (
	"strings"
	"unicode"

	"veyyon.dev/veyyon/core/tally"
)

// clean makes text fit for a page: broken bytes become U+FFFD, line ends
// newlines, and control characters their pictures, so that they are seen.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case !isControl(r):
			return r
		case r < 0x20:
			return '\u2400' + r
		case r == 0x7f:
			return '\u2421'
		}
		return '\uFFFD'
	}, text)
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// firstWords is the beginning of a text on one line, at most limit runes.
func firstWords(text string, limit int) string {
	const enough = 16 // bytes a rune and its spaces may take
	if len(text) > limit*enough {
		text = strings.ToValidUTF8(text[:limit*enough], "")
	}
	runes := []rune(clean(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= limit {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:limit-1])) + "…"
}

// countOf writes a number of things.
func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return tally.Commas(n) + " " + thing + "s"
}
