package document

import (
	"bytes"
	"html"
	"strings"
)

type tokenKind int

const (
	textToken tokenKind = iota
	startTag
	endTag
)

// A token is a piece of HTML.
type token struct {
	kind tokenKind
	at   int    // where it begins
	name string // of a tag, in lower case
	text []byte // of a text; of a tag, its attributes
}

// A scanner goes through HTML as browsers do, but for what they mend. It looks
// at each byte a few times at most.
type scanner struct {
	text []byte
	at   int
}

// void are the elements that have no end.
var void = words("area base br col embed hr img input link meta source track wbr")

// next is the next text or tag; ok is false at the end. Comments and the like
// are passed over.
func (s *scanner) next() (t token, ok bool) {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		t.at = s.at
		if !opens(rest) {
			end := bytes.IndexByte(rest[1:], '<') + 1
			if end == 0 {
				end = len(rest)
			}
			s.at += end
			t.kind, t.text = textToken, rest[:end]
			return t, true
		}
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			s.pass(rest, "-->")
		case rest[1] == '!' || rest[1] == '?':
			s.pass(rest, ">")
		default:
			return s.tag(t, rest)
		}
	}
	return t, false
}

// opens tells whether a tag or comment begins like this.
func opens(rest []byte) bool {
	if len(rest) < 3 || rest[0] != '<' {
		return false
	}
	c := rest[1]
	if c == '/' {
		c = rest[2]
	}
	return rest[1] == '!' || rest[1] == '?' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func (s *scanner) pass(rest []byte, end string) {
	if n := bytes.Index(rest, []byte(end)); n >= 0 {
		s.at += n + len(end)
	} else {
		s.at = len(s.text)
	}
}

// tag reads a tag; rest begins with it.
func (s *scanner) tag(t token, rest []byte) (token, bool) {
	t.kind = startTag
	from := 1
	if rest[1] == '/' {
		t.kind, from = endTag, 2
	}
	to := from
	for to < len(rest) && !strings.ContainsRune(" \t\r\n\f/>", rune(rest[to])) {
		to++
	}
	end := tagEnd(rest[to:])
	s.at += to + end
	t.name = string(bytes.ToLower(rest[from:to]))
	t.text = bytes.TrimSuffix(rest[to:to+end], []byte(">"))
	if t.kind == startTag && (t.name == "script" || t.name == "style") {
		s.raw(t.name) // nobody wants to see it, and what is in it is no markup
	}
	return t, true
}

// tagEnd is where a tag ends, behind its >; one within quotes is none.
func tagEnd(rest []byte) int {
	quote := byte(0)
	for i, c := range rest {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i + 1
		case (c == '"' || c == '\'') && i > 0 && (rest[i-1] == '=' || rest[i-1] == ' '):
			quote = c
		}
	}
	return len(rest)
}

// raw is the text up to the end tag of this name, which is passed over.
func (s *scanner) raw(name string) []byte {
	from := s.at
	for {
		n := bytes.Index(s.text[s.at:], []byte("</"))
		if n < 0 {
			s.at = len(s.text)
			return s.text[from:]
		}
		at := s.at + n
		s.at = at + 2
		if end := s.at + len(name); end <= len(s.text) && strings.EqualFold(string(s.text[s.at:end]), name) {
			s.pass(s.text[s.at:], ">")
			return s.text[from:at]
		}
	}
}

// skip passes over the rest of an element whose start tag was the last token. If
// it has no end, nothing is passed over, and skip returns false.
func (s *scanner) skip(name string) bool {
	from := s.at
	if name == "textarea" || name == "title" { // there are no tags in them
		s.raw(name)
		return true
	}
	for depth := 1; ; {
		t, ok := s.next()
		switch {
		case !ok:
			s.at = from
			return false
		case t.kind == startTag && t.name == name && !t.closed():
			depth++
		case t.kind == endTag && t.name == name:
			if depth--; depth == 0 {
				return true
			}
		}
	}
}

// closed tells whether the tag says that its element is empty.
func (t token) closed() bool { return bytes.HasSuffix(t.text, []byte("/")) }

// attribute is the value of an attribute, "" when there is none.
func (t token) attribute(name string) string {
	value, _ := t.find(name)
	return value
}

func (t token) has(name string) bool {
	_, ok := t.find(name)
	return ok
}

// find looks for an attribute.
func (t token) find(wanted string) (value string, ok bool) {
	rest := t.text
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n\f/")
		if len(rest) == 0 {
			return "", false
		}
		end := bytes.IndexAny(rest[1:], "= \t\r\n\f/") + 1
		if end == 0 {
			end = len(rest)
		}
		name := rest[:end]
		rest = bytes.TrimLeft(rest[end:], " \t\r\n\f")
		var given []byte
		if bytes.HasPrefix(rest, []byte("=")) {
			given, rest = attributeValue(bytes.TrimLeft(rest[1:], " \t\r\n\f"))
		}
		if strings.EqualFold(string(name), wanted) {
			return html.UnescapeString(string(given)), true
		}
	}
}

func attributeValue(rest []byte) (value, after []byte) {
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		value, after, _ = bytes.Cut(rest[1:], rest[:1])
		return value, after
	}
	end := bytes.IndexAny(rest, " \t\r\n\f")
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], rest[end:]
}
