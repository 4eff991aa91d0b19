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
		case flags[w.Text], strings.HasPrefix(w.Text, "-i") && !strings.HasPrefix(w.Text, "-in") && !strings.HasPrefix(w.Text, "-ie"):
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
		s = sedAddress(s)
		s = strings.TrimPrefix(s, ",")
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
			}
		}
	}
	if end < 2 {
		return "", false
	}
	return strings.TrimLeft(s, "gpIi0123456789"), true
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
