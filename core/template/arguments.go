package template

import "strings"

// parse parts the words behind a name at blanks and tabs. What begins with a
// quotation mark goes on to the next one of its kind, or to the end; inside of a
// word it is an apostrophe. Empty arguments do not count.
func parse(words string) []string {
	var args []string
	for {
		words = strings.TrimLeft(words, " \t")
		if words == "" {
			return args
		}
		arg := ""
		if mark := words[:1]; mark == `"` || mark == "'" {
			arg, words, _ = strings.Cut(words[1:], mark)
		} else if end := strings.IndexAny(words, " \t"); end >= 0 {
			arg, words = words[:end], words[end:]
		} else {
			arg, words = words, ""
		}
		if arg != "" {
			args = append(args, arg)
		}
	}
}
