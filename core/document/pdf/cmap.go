package pdf

import (
	"sort"
	"unicode/utf16"
)

// A cmap says what characters the codes of a font stand for.
type cmap struct {
	chars  map[int]string
	ranges []codeRange // in order of their beginning
}

// A codeRange stands for as many characters in a row.
type codeRange struct {
	from, to int
	text     string // of from; of others, its last character is that much further on
}

// readCMap reads a ToUnicode stream.
func readCMap(text []byte) *cmap {
	m := &cmap{chars: map[int]string{}}
	l, operands := lexer{text: text}, []any(nil)
	for {
		object, ok := l.next()
		if !ok {
			break
		}
		switch object {
		case keyword("beginbfchar"), keyword("beginbfrange"):
			operands = nil
		case keyword("endbfchar"):
			for i := 0; i+1 < len(operands); i += 2 {
				if from, ok := code(operands[i]); ok {
					m.chars[from] = wide(operands[i+1])
				}
			}
		case keyword("endbfrange"):
			for i := 0; i+2 < len(operands); i += 3 {
				m.add(operands[i], operands[i+1], operands[i+2])
			}
		default:
			operands = append(operands, object)
		}
	}
	sort.SliceStable(m.ranges, func(i, j int) bool { return m.ranges[i].from < m.ranges[j].from })
	return m
}

func (m *cmap) add(low, high, what any) {
	from, ok := code(low)
	to, ok2 := code(high)
	if !ok || !ok2 {
		return
	}
	if list, ok := what.(array); ok {
		for i, item := range list {
			m.chars[from+i] = wide(item)
		}
		return
	}
	m.ranges = append(m.ranges, codeRange{from, to, wide(what)})
}

// text is what a code stands for.
func (m *cmap) text(code int) (string, bool) {
	if text, ok := m.chars[code]; ok {
		return text, true
	}
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].from > code }) - 1
	if i < 0 || code > m.ranges[i].to {
		return "", false
	}
	r := []rune(m.ranges[i].text)
	if len(r) == 0 {
		return "", true
	}
	r[len(r)-1] += rune(code - m.ranges[i].from)
	return string(r), true
}

// code is a code of one or two bytes.
func code(object any) (n int, ok bool) {
	text, ok := object.(str)
	if !ok || len(text) == 0 || len(text) > 2 {
		return 0, false
	}
	for i := range len(text) {
		n = n<<8 | int(text[i])
	}
	return n, true
}

// wide is a text of UTF-16.
func wide(object any) string {
	text, _ := object.(str)
	var units []uint16
	for i := 0; i+1 < len(text); i += 2 {
		units = append(units, uint16(text[i])<<8|uint16(text[i+1]))
	}
	return string(utf16.Decode(units))
}
