package approval

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzSentences is FuzzLines over lines that nearly follow the grammar of bash:
// they come closer than bytes do to what bash and the analysis might take for
// different things.
func FuzzSentences(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		choices := make([]byte, 150)
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		f.Add(choices)
	}
	check := checker(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := &sentence{choices: choices}
		mistakes := s.choice(4)
		line := s.list()
		for range mistakes {
			at := s.choice(len(line) + 1)
			if s.choice(3) == 0 && at < len(line) {
				line = line[:at] + line[at+1:]
			} else {
				line = line[:at] + special[s.choice(len(special))] + line[at:]
			}
		}
		check(t, line)
	})
}

// special is what is put into lines by mistake.
var special = []string{
	"\\", "\"", "'", "`", "$", "(", ")", "{", "}", "#", "\n", " ", ";", "&", "|", "<", ">", "[", "]", "=", "!", "~", "*", "\\\n", "\t", "@", "-", "$(", "$((", "))", "<<",
	"/", "%", ":", "^", "+", ",", "1", "touch x", "x",
}

// A sentence is a line in the making.
type sentence struct {
	choices []byte // that are still to be made; then all is simple
	depth   int
}

// choice is one of n.
func (s *sentence) choice(n int) (c int) {
	for limit := 1; limit < n; limit <<= 8 {
		if len(s.choices) == 0 {
			return 0
		}
		c = c<<8 + int(s.choices[0])
		s.choices = s.choices[1:]
	}
	return c % n
}

func (s *sentence) pick(texts ...string) string { return texts[s.choice(len(texts))] }

func (s *sentence) word() string {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > 6 {
		return s.pick("a", "b", "x")
	}
	n := 1 + s.choice(2)
	var b strings.Builder
	for range n {
		switch s.choice(17) {
		case 0, 1:
			b.WriteString(s.pick("a", "b", "x", "-n", "*", "~", "{a,b}", "1"))
		case 2:
			b.WriteString("'" + s.pick("a", "touch x", "$(touch x)", "`touch x`", "\"", "}", ")", "\\", "#") + "'")
		case 3:
			b.WriteString("\"" + s.dq() + "\"")
		case 4:
			b.WriteString("$(" + s.list() + ")")
		case 5:
			b.WriteString("`" + strings.ReplaceAll(strings.ReplaceAll(s.list(), "\\", "\\\\"), "`", "\\`") + "`")
		case 6:
			b.WriteString("${x" + s.pick(":-", ":=", ":+", "#", "%", "/", "//", "^", ":", "@", "[", "?") + s.word() + s.pick("", "", "]", "/b") + "}")
		case 7:
			b.WriteString("$((" + s.arith() + "))")
		case 8:
			b.WriteString(s.pick("$x", "${x}", "$1", "$#", "${#x}", "$?", "$@", "${x[0]}", "$$", "$!"))
		case 9:
			b.WriteString("\\" + s.pick("$", "`", "'", "\"", "\\", "a", "\n", "(", "#", "{", "}"))
		case 10:
			b.WriteString("$'" + s.pick("a", "\\'", "\\x27", "$(touch x)", "\\\\") + "'")
		case 11:
			b.WriteString("<(" + s.list() + ")")
		case 12:
			b.WriteString("$[" + s.arith() + "]")
		default:
			b.WriteString(s.pick("a", "b", "x", "ls"))
		}
	}
	return b.String()
}

func (s *sentence) dq() string {
	switch s.choice(8) {
	case 0:
		return "'" + s.word() + "'"
	case 1:
		return "\\" + s.pick("\"", "$", "`", "\\", "\n", "a") + s.word()
	case 2:
		return "${x:-" + s.pick("'", "\"", "\\", "}", "") + s.word() + s.pick("'", "\"", "", "") + "}"
	}
	return strings.ReplaceAll(s.word(), "\"", s.pick("\"", "\\\"", ""))
}

func (s *sentence) arith() string {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > 6 {
		return "1"
	}
	switch s.choice(8) {
	case 0:
		return s.arith() + s.pick("+", "<", "==", "=", "?", ",", "#", "<<") + s.arith()
	case 1:
		return "(" + s.arith() + ")"
	case 2:
		return "x" + s.pick("", "++", "=1", "[1]")
	case 3:
		return s.word()
	}
	return s.pick("1", "x", "$x", "$#", "0x1", "\"1\"", "'1'")
}

func (s *sentence) cmd() string {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > 5 {
		return s.pick("ls", "cat a", "echo x", "touch x")
	}
	switch s.choice(22) {
	case 0:
		return "{ " + s.list() + "; }"
	case 1:
		return "(" + s.list() + ")"
	case 2:
		return "if " + s.list() + "; then " + s.list() + "; fi"
	case 3:
		return "for x in " + s.word() + "; do " + s.list() + "; done"
	case 4:
		return "case " + s.word() + " in " + s.pick("", "(") + s.word() + ") " + s.list() + s.pick(";;", ";&", ";;&") + " esac"
	case 5:
		return "[[ " + s.word() + s.pick(" == ", " =~ ", " -eq ", " < ", " -nt ") + s.word() + " ]]"
	case 6:
		return s.pick("[ ", "test ") + s.word() + s.pick(" = ", " -eq ", " -v ") + s.word() + " ]"
	case 7:
		return "x=" + s.word() + s.pick("", "; ")
	case 8:
		return "cat <<" + s.pick("E", "'E'", "\"E\"", "\\E", "-E") + "\n" + s.dq() + "\n" + s.pick("", "\\\n", "\t") + "E\n"
	case 9:
		return "((" + s.arith() + "))"
	case 10:
		return s.pick("bash", "sh") + " -c " + s.pick("'", "\"") + s.list() + s.pick("'", "\"")
	case 11:
		return s.pick("timeout 5 ", "env ", "nice ", "xargs ", "command ", "exec ", "time ", "! ", "nohup ", "xargs -I{} ", "find . -exec ") + s.cmd() + s.pick("", " {}", " {} \\;")
	case 12:
		return "sed " + s.pick("", "-n ", "-e ") + "'" + s.pick("s", "y", "/a/s", "") + s.pick("/", ",", "[", ";") + s.pick("a", "[", "[^", "\\/", "[[:a", "]") + s.pick("/", ";", ",") + s.pick("b", "]", "") + s.pick("/", ";", ",") + s.pick("", "e", "w x", "p", ";p", ";e touch x", "g;s;]/b/;e touch x;p") + "' a"
	case 13:
		return "awk '" + s.pick("{print}", "BEGIN{system(\"touch x\")}", "/a/", "$1", "{print $1}") + "' " + s.word()
	case 14:
		return "while read " + s.pick("-r ", "") + s.word() + "; do " + s.list() + "; break; done <a"
	case 15:
		return s.pick("read ", "unset ", "declare ", "set -e", "wait ", "printf ", "export ", "local ", "shift ", "read -r ") + s.word()
	case 16:
		return "touch x"
	}
	return s.pick("ls", "cat", "echo", "ls -l", "git log", "grep a") + " " + s.word() + s.pick("", "", "", " >/dev/null", " 2>&1", " <a", " #c", " <<<"+s.word())
}

func (s *sentence) list() string {
	if s.depth > 5 {
		return "ls"
	}
	line := s.cmd()
	for s.choice(3) == 1 {
		line += s.pick("; ", " && ", " | ", "\n", " & ", " || ") + s.cmd()
	}
	return line
}
