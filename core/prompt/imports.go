package prompt

import (
	"strings"
	"unicode"
)

// references are the paths that a text names with an @ before them, outside of
// code, each once and in their order.
func references(text string) (paths []string) {
	if !strings.Contains(text, "@") {
		return nil
	}
	seen := map[string]bool{}
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t>")
		if mark := fenceOf(trimmed); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.TrimSpace(trimmed[len(mark):]) == "":
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		for _, path := range inLine(line) {
			if !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// fenceOf is the mark that begins or ends a block of code, "" for none.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// inLine finds the references of a line of prose.
func inLine(line string) (paths []string) {
	before := ' '
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '`':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			if end := strings.Index(line[i+n:], line[i:i+n]); end >= 0 {
				n += end + n
			}
			i += n
			before = '`'
		case c == '@' && (unicode.IsSpace(before) || strings.ContainsRune("([\"'", before)):
			word := line[i+1:]
			if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
				word = word[:end]
			}
			i += 1 + len(word)
			before = 'x'
			if word = strings.TrimRight(word, ".,;:!?)]}\"'`"); word != "" {
				paths = append(paths, word)
			}
		default:
			before = rune(c)
			i++
		}
	}
	return paths
}
