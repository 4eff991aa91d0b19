package edit

import "unicode/utf8"

// folded is a text as it reads when typography does not matter, with the way
// back: the byte text[i] stands for the file's bytes from from[i] to to[i].
type folded struct {
	text     []byte
	from, to []int
}

// fold makes plain quotes, dashes and spaces of the typographic ones, "\n" of
// "\r\n", and drops blanks before a line end. Bytes that are not UTF-8 stay.
func fold(raw []byte) folded {
	f := folded{text: make([]byte, 0, len(raw)), from: make([]int, 0, len(raw)), to: make([]int, 0, len(raw))}
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		if r == '\r' && at+1 < len(raw) && raw[at+1] == '\n' {
			r, size = '\n', 2
		}
		if r == '\n' {
			f.trimBlanks()
		}
		if plain, ok := plainRune(r); ok {
			f.add(at, at+size, plain)
		} else {
			f.add(at, at+size, raw[at:at+size]...)
		}
		at += size
	}
	return f
}

func (f *folded) add(from, to int, plain ...byte) {
	for _, b := range plain {
		f.text = append(f.text, b)
		f.from = append(f.from, from)
		f.to = append(f.to, to)
	}
}

func (f *folded) trimBlanks() {
	n := len(f.text)
	for n > 0 && (f.text[n-1] == ' ' || f.text[n-1] == '\t') {
		n--
	}
	f.text, f.from, f.to = f.text[:n], f.from[:n], f.to[:n]
}

// plainRune returns what is typed for a typographic character.
func plainRune(r rune) (plain byte, ok bool) {
	switch r {
	case '\n':
		return '\n', true
	case '\u2018', '\u2019', '\u201a', '\u201b', '\u2032':
		return '\'', true
	case '\u201c', '\u201d', '\u201e', '\u201f', '\u2033', '\u00ab', '\u00bb':
		return '"', true
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return '-', true
	case '\u00a0', '\u202f', '\u205f', '\u3000':
		return ' ', true
	}
	if r >= '\u2000' && r <= '\u200a' {
		return ' ', true
	}
	return 0, false
}
