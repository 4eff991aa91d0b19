package export

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxHighlight bounds the code that is coloured, in bytes: each word of it gets
// markup of its own, which makes a page several times as large.
const maxHighlight = 128 << 10

// highlight marks comments, strings, numbers and words of code. It knows the
// shape of languages, not their grammar: one pass over the text without going
// back, so that no code takes long. (The usual library has 5 ms of set-up in
// every start of the program, and regular expressions that hostile code can
// keep busy.)
//
// language is a name or the extension of a file, in any case; code in one that
// is not known is only escaped.
func highlight(code, language string) template.HTML {
	code = clean(code)
	var out strings.Builder
	l := languages()[strings.ToLower(language)]
	switch {
	case len(code) > maxHighlight || l == nil:
		template.HTMLEscape(&out, []byte(code))
	case l.diff:
		for line := range strings.Lines(code) {
			text := strings.TrimSuffix(line, "\n")
			span(&out, classOf(text), text)
			out.WriteString(line[len(text):])
		}
	default:
		(&colourer{language: l, rest: code, out: &out, start: true}).run()
	}
	return template.HTML(out.String())
}

// The classes of what is marked; page.css gives them colours.
const (
	isComment = "c"
	isString  = "s"
	isNumber  = "n"
	isKeyword = "k"
	isName    = "f" // of a function, a key or a tag
)

type colourer struct {
	*language
	rest  string
	out   *strings.Builder
	start bool // nothing but space is before rest on its line
	last  rune // the rune before rest
}

func (c *colourer) run() {
	for c.rest != "" {
		n, class := c.next()
		text := c.rest[:n]
		span(c.out, class, text)
		if nl := strings.LastIndexByte(text, '\n'); nl >= 0 {
			c.start = strings.TrimSpace(text[nl:]) == ""
		} else if strings.TrimSpace(text) != "" {
			c.start = false
		}
		c.last, _ = utf8.DecodeLastRuneInString(text)
		c.rest = c.rest[n:]
	}
}

// next tells how many bytes come next and what they are, at least one.
func (c *colourer) next() (n int, class string) {
	if n := c.comment(); n > 0 {
		return n, isComment
	}
	for _, s := range c.strings {
		if strings.HasPrefix(c.rest, s.open) && (s.open != "'" || !isWord(c.last)) {
			n = s.end(c.rest)
			if c.keys && isKey(c.rest[n:]) {
				return n, isName
			}
			return n, isString
		}
	}
	r, size := utf8.DecodeRuneInString(c.rest)
	switch {
	case unicode.IsDigit(r):
		return wordEnd(c.rest, true), isNumber
	case isWord(r):
		n = wordEnd(c.rest, false)
		return n, c.word(c.rest[:n], c.rest[n:])
	case c.markup && r == '<':
		return c.tag()
	case unicode.IsSpace(r):
		return max(size, len(c.rest)-len(strings.TrimLeftFunc(c.rest, unicode.IsSpace))), ""
	}
	return size, ""
}

func (c *colourer) comment() int {
	for _, open := range c.lines {
		if !strings.HasPrefix(c.rest, open) || open == "#" && !c.start && !unicode.IsSpace(c.last) {
			continue // a # in the middle of a shell's word begins no comment
		}
		if end := strings.IndexByte(c.rest, '\n'); end >= 0 {
			return end
		}
		return len(c.rest)
	}
	for _, block := range c.blocks {
		if !strings.HasPrefix(c.rest, block[0]) {
			continue
		}
		from := len(block[0])
		if end := strings.Index(c.rest[from:], block[1]); end >= 0 {
			return from + end + len(block[1])
		}
		return len(c.rest)
	}
	return 0
}

func (c *colourer) word(word, after string) string {
	known := word
	if c.anyCase {
		known = strings.ToLower(word)
	}
	switch {
	case c.last == '.' || c.last == '$' || c.last == '-':
		return nameIf(strings.HasPrefix(after, "("))
	case c.words[known]:
		return isKeyword
	case c.keys && isKey(after):
		return nameIf(c.start || c.last == '{' || c.last == ',')
	}
	return nameIf(strings.HasPrefix(after, "("))
}

func nameIf(ok bool) string {
	if ok {
		return isName
	}
	return ""
}

// isKey tells whether what stands before was the key of a record.
func isKey(after string) bool {
	after = strings.TrimLeft(after, " \t")
	return strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=")
}

// tag is the beginning of one, up to its name.
func (c *colourer) tag() (int, string) {
	rest := strings.TrimPrefix(c.rest[1:], "/")
	n := len(c.rest) - len(rest)
	name := wordEnd(rest, false)
	if name == 0 {
		return n, ""
	}
	return n + name, isName
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordEnd is where the word at the beginning of text ends; one of digits may
// have a point and a fraction.
func wordEnd(text string, number bool) int {
	for i, r := range text {
		fraction := number && r == '.' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9'
		if !isWord(r) && !fraction {
			return i
		}
	}
	return len(text)
}
