package pdf

import (
	"bytes"
	"strconv"
)

// The objects of a PDF are float64, bool, str, name, array, dict, ref, *stream,
// and nil for null; keyword is what else is read.
type (
	str     string // bytes
	name    string
	array   []any
	dict    map[name]any
	ref     int // the number of an object; generations do not matter when the last one counts
	keyword string
)

// stream is a stream as the file has it.
type stream struct {
	dict
	packed []byte
}

// maxDepth is how deep arrays and dictionaries may be nested; what is deeper is
// read as if it were not.
const maxDepth = 64

// A lexer reads objects. It never goes back but for the three words of a
// reference, so that it takes time in proportion to the text.
type lexer struct {
	text []byte
	at   int
}

func space(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

// skip passes over white space and comments.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case space(c):
			l.at++
		case c == '%':
			for l.at < len(l.text) && l.text[l.at] != '\n' && l.text[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// next reads an object or keyword; ok is false at the end.
func (l *lexer) next() (object any, ok bool) { return l.read(0) }

func (l *lexer) read(depth int) (any, bool) {
	l.skip()
	if l.at >= len(l.text) {
		return nil, false
	}
	rest := l.text[l.at:]
	switch c := rest[0]; {
	case c == '/':
		l.at++
		return l.name(), true
	case c == '(':
		l.at++
		return l.literal(), true
	case bytes.HasPrefix(rest, []byte("<<")) && depth < maxDepth:
		l.at += 2
		return l.dict(depth + 1), true
	case c == '<':
		l.at++
		return l.hex(), true
	case c == '[' && depth < maxDepth:
		l.at++
		return l.array(depth + 1), true
	case bytes.HasPrefix(rest, []byte(">>")):
		l.at += 2
		return keyword(">>"), true
	case delimiter(c):
		l.at++
		return keyword(rest[:1]), true
	}
	return l.word(), true
}

// word is a number, a reference, true, false, null or a keyword.
func (l *lexer) word() any {
	text := l.plain()
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && n >= 0 && n == float64(int(n)) && l.reference():
		return ref(n)
	case err == nil:
		return n
	case text == "true" || text == "false":
		return text == "true"
	case text == "null":
		return nil
	}
	return keyword(text)
}

// reference reads the rest of a reference, if that comes next: "0 R".
func (l *lexer) reference() bool {
	const room = 12 // bytes that it may take
	rest := l.text[l.at:min(l.at+room, len(l.text))]
	i := 0
	for i < len(rest) && space(rest[i]) {
		i++
	}
	digits := i
	for i < len(rest) && '0' <= rest[i] && rest[i] <= '9' {
		i++
	}
	blank := i
	for i < len(rest) && space(rest[i]) {
		i++
	}
	if digits == 0 || blank == digits || i == blank || i >= len(rest) || rest[i] != 'R' || i+1 < len(rest) && !space(rest[i+1]) && !delimiter(rest[i+1]) {
		return false
	}
	l.at += i + 1
	return true
}

func (l *lexer) plain() string {
	from := l.at
	for l.at < len(l.text) && !space(l.text[l.at]) && !delimiter(l.text[l.at]) {
		l.at++
	}
	return string(l.text[from:l.at])
}

func (l *lexer) name() name {
	text := l.plain()
	if !bytes.Contains([]byte(text), []byte("#")) {
		return name(text)
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '#' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return name(out)
}

func (l *lexer) literal() str {
	var out []byte
	for depth := 1; l.at < len(l.text); {
		c := l.text[l.at]
		l.at++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return str(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return str(out)
}

// escape reads what comes after a backslash.
func (l *lexer) escape(out []byte) []byte {
	if l.at >= len(l.text) {
		return out
	}
	c := l.text[l.at]
	l.at++
	if i := bytes.IndexByte([]byte("nrtbf"), c); i >= 0 {
		return append(out, "\n\r\t\b\f"[i])
	}
	switch {
	case c == '\r':
		if l.at < len(l.text) && l.text[l.at] == '\n' {
			l.at++
		}
		return out
	case c == '\n':
		return out
	case c < '0' || c > '7':
		return append(out, c)
	}
	n := int(c - '0')
	for range 2 {
		if l.at < len(l.text) && '0' <= l.text[l.at] && l.text[l.at] <= '7' {
			n = n*8 + int(l.text[l.at]-'0')
			l.at++
		}
	}
	return append(out, byte(n))
}

func (l *lexer) hex() str {
	var out []byte
	high := -1
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		n := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		switch {
		case c == '>':
			if high >= 0 {
				out = append(out, byte(high<<4))
			}
			return str(out)
		case n < 0 || c < '0':
		case high < 0:
			high = n
		default:
			out, high = append(out, byte(high<<4|n)), -1
		}
	}
	return str(out)
}

func (l *lexer) array(depth int) any {
	var out array
	for {
		object, ok := l.read(depth)
		if !ok || object == keyword("]") {
			break
		}
		if _, odd := object.(keyword); !odd {
			out = append(out, object)
		}
	}
	return out
}

func (l *lexer) dict(depth int) any {
	out := dict{}
	for {
		key, ok := l.read(depth)
		if !ok || key == keyword(">>") || key == keyword("endobj") {
			break
		}
		if key, ok := key.(name); ok {
			value, _ := l.read(depth)
			if value == keyword(">>") {
				break
			}
			out[key] = value
		}
	}
	return out
}
