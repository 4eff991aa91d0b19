package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
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

// commas writes a number with its thousands apart.
func commas(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// money writes US dollars, small sums to a hundredth of a cent.
func money(dollars float64) string {
	if dollars < 1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// took writes how long something was.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// countOf writes a number of things.
func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return commas(n) + " " + thing + "s"
}
