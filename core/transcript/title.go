package transcript

import (
	"strings"
	"time"
	"unicode"
)

// TitleSource says who chose a title.
type TitleSource string

// The sources of titles. An automatic title never replaces a person's.
const (
	TitleAuto TitleSource = "auto"
	TitleUser TitleSource = "user"
)

// slotSize is the length in bytes of the title slot, the first line of a file,
// with its newline. Since it is fixed, a title is changed in place.
const slotSize = 256

// slot is the first line of a file.
type slot struct {
	Type      string      `json:"type"` // title
	Version   int         `json:"v"`
	Title     string      `json:"title"`
	Source    TitleSource `json:"source,omitempty"`
	UpdatedAt string      `json:"updatedAt"`
	Pad       string      `json:"pad"`
}

// encodeSlot returns the line of exactly slotSize bytes. A title that is too
// long is cut between characters.
func encodeSlot(title string, source TitleSource, at time.Time) ([]byte, error) {
	s := slot{Type: "title", Version: 1, Source: source, UpdatedAt: stamp(at)}
	empty, err := marshal(s)
	if err != nil {
		return nil, err
	}
	room := slotSize - len(empty)
	for _, r := range title { // a broken byte becomes U+FFFD
		quoted, err := marshal(string(r))
		if err != nil {
			return nil, err
		}
		room -= len(quoted) - len(`""`+"\n")
		if room < 0 {
			break
		}
		s.Title += string(r)
	}
	line, err := marshal(s)
	if err != nil {
		return nil, err
	}
	s.Pad = strings.Repeat(" ", slotSize-len(line))
	return marshal(s)
}

// CleanTitle returns a title as it is stored: control characters and runs of
// spaces become one space. It is empty when nothing else is in it.
func CleanTitle(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(title, "\uFFFD"), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
}
