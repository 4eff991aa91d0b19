package command

import "strings"

// sed is a language too: its commands e and w, and the flags of s of that name,
// run commands and write files. Only scripts of simple commands are understood.
func sed(r *reader, c Call) Role {
	flags := wordSet("-n -E -r -s -u -z -i --quiet --silent --regexp-extended --in-place --separate --null-data --posix")
	var scripts []Word
	args := c.args()
	for len(args) > 0 {
		w := args[0]
		switch {
		case !w.Known:
		case flags[w.Text], strings.HasPrefix(w.Text, "-i") && !strings.HasPrefix(w.Text, "-in") && !strings.HasPrefix(w.Text, "-ie") && !strings.Contains(w.Text, "/"):
			args = args[1:]
			continue
		case strings.HasPrefix(w.Text, "-") && strings.Trim(w.Text[1:], "nErsuz") == "" && len(w.Text) > 1:
			args = args[1:]
			continue
		case (w.Text == "-e" || w.Text == "--expression" || strings.HasPrefix(w.Text, "-") && len(w.Text) > 2 && strings.Trim(w.Text[1:], "nErsuze") == "" && strings.HasSuffix(w.Text, "e")) && len(args) > 1:
			scripts = append(scripts, args[1])
			args = args[2:]
			continue
		case !strings.HasPrefix(w.Text, "-"):
			if len(scripts) == 0 {
				scripts = append(scripts, w)
			}
			args = args[1:]
			if len(scripts) > 0 && plainFiles(args) && !c.Open && simple(scripts) {
				return Plain
			}
		}
		break
	}
	if len(args) > 0 || c.Open || !simple(scripts) {
		r.guess(c)
	}
	return Plain
}

// plainFiles tells whether the words cannot be options.
func plainFiles(words []Word) bool {
	for _, w := range words {
		if w.Split || w.Text == "" || w.Text[0] == '-' {
			return false
		}
	}
	return true
}

func simple(scripts []Word) bool {
	for _, w := range scripts {
		if !w.Known || !sedScript(w.Text) {
			return false
		}
	}
	return len(scripts) > 0
}

// sedScript tells whether a script only selects, deletes and replaces.
func sedScript(s string) bool {
	for {
		s = strings.TrimLeft(s, " \t\n;")
		if s == "" {
			return true
		}
		var ok bool
		if s, ok = sedCommand(s); !ok {
			return false
		}
		if s = strings.TrimLeft(s, " \t"); s != "" && s[0] != ';' && s[0] != '\n' {
			return false
		}
	}
}

// sedCommand reads one command and returns what follows it.
func sedCommand(s string) (rest string, ok bool) {
	for range 2 {
		after := sedAddress(s)
		if !bracketed(s[:len(s)-len(after)]) {
			return "", false
		}
		s = strings.TrimPrefix(after, ",")
	}
	s = strings.TrimLeft(s, " !")
	if s == "" {
		return "", false
	}
	if s[0] != 's' && s[0] != 'y' {
		return s[1:], strings.IndexByte("pdqQ=nNgGhHxDP", s[0]) >= 0
	}
	if len(s) < 2 || s[1] == '\\' || s[1] == '\n' {
		return "", false
	}
	delimiter, end := s[1], 0
	for at, escaped := 2, false; at < len(s) && end < 2; at++ {
		switch {
		case escaped:
			escaped = false
		case s[at] == '\\':
			escaped = true
		case s[at] == delimiter:
			if end++; end == 2 {
				s = s[at+1:]
			} else if !bracketed(s[2:at]) {
				return "", false
			}
		}
	}
	if end < 2 {
		return "", false
	}
	return strings.TrimLeft(s, "gpIi0123456789"), true
}

// bracketed tells whether each [ of a pattern ends within it. Else only some seds
// take the delimiter that follows for its end.
func bracketed(pattern string) bool {
	for at := 0; at < len(pattern); at++ {
		switch pattern[at] {
		case '\\':
			at++
		case '[':
			end := bracketEnd(pattern[at+1:])
			if end < 0 {
				return false
			}
			at += end
		}
	}
	return true
}

// bracketEnd is the length of what stands behind a [ up to its ], -1 if that
// cannot be told.
func bracketEnd(s string) int {
	at := len(s) - len(strings.TrimPrefix(s, "^"))
	for first := true; at < len(s); first = false {
		rest := s[at:]
		switch {
		case rest[0] == ']' && !first:
			return at + 1
		case strings.HasPrefix(rest, `\]`):
			return -1
		case len(rest) > 1 && rest[0] == '[' && strings.IndexByte(":.=", rest[1]) >= 0:
			end := strings.Index(rest[2:], rest[1:2]+"]")
			if end < 0 {
				return -1
			}
			at += end + 3
		}
		at++
	}
	return -1
}

// sedAddress skips an address: a line number, $, or a pattern between slashes.
func sedAddress(s string) string {
	if s == "" {
		return s
	}
	if s[0] == '$' {
		return s[1:]
	}
	if s[0] != '/' {
		return strings.TrimLeft(s, "0123456789~")
	}
	for at := 1; at < len(s); at++ {
		switch s[at] {
		case '\\':
			at++
		case '/':
			return s[at+1:]
		}
	}
	return s
}
