package export

import "strings"

const (
	// foldAbove is how many lines of output stand open; a longer one shows
	// foldHead of them, and the rest on demand.
	foldAbove = 30
	foldHead  = 12
)

// output is text that is folded when it is long.
type output struct {
	Head, Rest string
	More       string // says how much Rest is
}

func fold(text string) output {
	text = strings.TrimSuffix(clean(text), "\n")
	head, rest, more := cutLines(text)
	if more == 0 {
		return output{Head: text}
	}
	return output{head, rest, countOf(more, "more line")}
}

// cutLines parts the lines that stand open from the rest, and counts that.
func cutLines(text string) (head, rest string, more int) {
	lines := strings.Count(text, "\n") + 1
	if lines <= foldAbove {
		return text, "", 0
	}
	at := 0
	for range foldHead {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return text[:at], text[at:], lines - foldHead
}
