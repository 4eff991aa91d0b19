package rule

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/file/patch"
)

// maxWord bounds the keys and paths that are remembered, in bytes; the rest of a
// longer one is left out.
const maxWord = 4 << 10

// maxPaths bounds the paths of one call; later ones are not looked at.
const maxPaths = 64

// arguments reads the JSON of a call's arguments as it streams in. What is no
// JSON gives something or nothing, but no fault.
type arguments struct {
	paths []string // that the call names

	open  []byte // the brackets around this place
	key   string // the last key
	isKey bool   // the next text is a key

	inText  bool
	word    []byte // the text so far, of a key or a path
	escaped bool
	digits  []byte // of a character given by its number, nil outside
	high    rune   // the first half of a pair, 0 without
	sign    byte   // what this line of a patch begins with, 0 at its beginning
}

// maxDepth bounds the brackets that are remembered; deeper text is not read.
const maxDepth = 64

// addsText tells which arguments of edit and write are text that a file gets.
func addsText(key string) bool { return key == "content" || key == "new_text" }

// isPatch tells which arguments of edit are patches: of these the lines with +
// are text that a file gets, and others may name files.
func isPatch(key string) bool { return key == "diff" || key == "input" }

func namesPath(key string) bool { return key == "path" || key == "file_path" }

// feed takes the next piece and returns what text of it goes into a file.
func (a *arguments) feed(delta string) (added []byte) {
	for i := range len(delta) {
		c := delta[i]
		if !a.inText {
			a.between(c)
			continue
		}
		switch {
		case a.digits != nil:
			if a.digits = append(a.digits, c); len(a.digits) == 4 {
				added = a.numbered(added)
			}
		case a.escaped:
			a.escaped = false
			if c == 'u' {
				a.digits = make([]byte, 0, 4)
			} else {
				added = a.put(added, string(unescape(c)))
			}
		case c == '\\':
			a.escaped = true
		case c == '"':
			added = a.endText(added)
		default:
			added = a.put(added, delta[i:i+1])
		}
	}
	return added
}

// between takes a byte outside of texts.
func (a *arguments) between(c byte) {
	inObject := len(a.open) > 0 && a.open[len(a.open)-1] == '{'
	switch c {
	case '"':
		a.inText, a.word = true, a.word[:0]
	case '{', '[':
		if len(a.open) < maxDepth {
			a.open = append(a.open, c)
		}
		a.isKey = c == '{'
	case '}', ']':
		if len(a.open) > 0 {
			a.open = a.open[:len(a.open)-1]
		}
		a.isKey = false
	case ',':
		a.isKey = inObject
	case ':':
		a.isKey = false
	}
}

// put takes a piece of a text, and before it U+FFFD for the half of a pair that
// has stayed alone.
func (a *arguments) put(added []byte, piece string) []byte {
	if a.high != 0 {
		a.high = 0
		added = a.put(added, string(utf8.RuneError))
	}
	switch {
	case a.isKey:
	case addsText(a.key):
		return append(added, piece...)
	case isPatch(a.key) && piece != "":
		return a.patched(added, piece)
	}
	if (a.isKey || namesPath(a.key)) && len(a.word) < maxWord {
		a.word = append(a.word, piece...)
	}
	return added
}

// numbered takes a character given by its number.
func (a *arguments) numbered(added []byte) []byte {
	n, err := strconv.ParseUint(string(a.digits), 16, 16)
	a.digits = nil
	r := rune(n)
	if err != nil {
		r = utf8.RuneError
	}
	if whole := utf16.DecodeRune(a.high, r); whole != utf8.RuneError {
		a.high, r = 0, whole
	}
	const firstHigh, firstLow = 0xd800, 0xdc00
	if firstHigh <= r && r < firstLow {
		added = a.put(added, "") // the half before, if any
		a.high = r
		return added
	}
	return a.put(added, string(r))
}

// patched takes a character of a patch.
func (a *arguments) patched(added []byte, piece string) []byte {
	switch {
	case piece == "\n":
		return a.endLine(added)
	case a.sign == 0:
		a.sign, a.word = piece[0], append(a.word[:0], piece...)
	case a.sign == '+':
		return append(added, piece...)
	case (a.sign == '*' || a.sign == '[') && len(a.word) < maxWord:
		a.word = append(a.word, piece...)
	}
	return added
}

// endLine ends a line of a patch.
func (a *arguments) endLine(added []byte) []byte {
	switch a.sign {
	case '+':
		added = append(added, '\n')
	case '*', '[':
		if named := patch.Paths(string(a.word)); len(a.paths)+len(named) <= maxPaths {
			a.paths = append(a.paths, named...)
		}
	}
	a.sign = 0
	return added
}

func (a *arguments) endText(added []byte) []byte {
	added = a.put(added, "") // a half, if any
	a.inText = false
	switch {
	case a.isKey:
		a.key = string(a.word)
	case isPatch(a.key):
		return a.endLine(added)
	case addsText(a.key):
		return append(added, '\n') // two additions are not one
	case namesPath(a.key) && len(a.paths) < maxPaths:
		a.paths = append(a.paths, string(a.word))
	}
	return added
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return c
}
