package pdf

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// A font turns the bytes of a text into characters and their widths.
type font struct {
	wide    bool // two bytes a character
	utf16   bool // which are UTF-16
	unicode *cmap
	table   [256]string     // of the characters of one byte
	widths  map[int]float64 // in thousandths of the size
	width   float64         // of others
	guess   bool            // there are no widths at all
}

// A glyph is a character that is drawn.
type glyph struct {
	text  string
	width float64
	space bool // the code 32, which word spacing is for
}

// ligatures are characters that stand for several letters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

func (f *file) font(object any) *font {
	d := f.dict(object)
	out := &font{widths: map[int]float64{}, width: 500}
	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		out.unicode = readCMap(f.unpack(s))
	}
	if d["Subtype"] == name("Type0") {
		f.composite(out, d)
		return out
	}
	out.table = f.encoding(d["Encoding"])
	first := int(f.number(d["FirstChar"]))
	for i, w := range f.array(d["Widths"]) {
		out.widths[first+i] = f.number(w)
	}
	out.guess = len(out.widths) == 0
	if strings.Contains(string(f.name(d["BaseFont"])), "Courier") {
		out.guess, out.width = false, 600
	}
	if m, ok := f.resolve(d["FontMatrix"]).(array); ok && len(m) > 0 { // of Type3, where widths have units of their own
		for code := range out.widths {
			out.widths[code] *= f.number(m[0]) * 1000
		}
	}
	return out
}

func (f *file) composite(out *font, d dict) {
	out.wide, out.width = true, 1000
	encoding := string(f.name(d["Encoding"]))
	out.utf16 = strings.Contains(encoding, "UCS2") || strings.Contains(encoding, "UTF16")
	below := f.array(d["DescendantFonts"])
	if len(below) == 0 {
		return
	}
	inner := f.dict(below[0])
	if w, ok := f.resolve(inner["DW"]).(float64); ok {
		out.width = w
	}
	list := f.array(inner["W"])
	for i := 0; i+1 < len(list); {
		first := int(f.number(list[i]))
		if each, ok := f.resolve(list[i+1]).(array); ok {
			for n, w := range each {
				out.widths[first+n] = f.number(w)
			}
			i += 2
		} else if i+2 < len(list) {
			for code := first; code <= min(int(f.number(list[i+1])), first+1<<16); code++ {
				out.widths[code] = f.number(list[i+2])
			}
			i += 3
		} else {
			return
		}
	}
}

// encoding is the characters of one byte.
func (f *file) encoding(object any) (table [256]string) {
	base, d := f.name(object), f.dict(object)
	if d != nil {
		base = f.name(d["BaseEncoding"])
	}
	chars := charmap.Windows1252
	if base == "MacRomanEncoding" {
		chars = charmap.Macintosh
	}
	for code := range table {
		table[code] = string(chars.DecodeByte(byte(code)))
	}
	if base == "" { // the standard one, as far as it matters
		for code, text := range standard {
			table[code] = text
		}
	}
	code := 0
	for _, item := range f.array(d["Differences"]) {
		switch item := f.resolve(item).(type) {
		case float64:
			code = int(item)
		case name:
			if code >= 0 && code < len(table) {
				table[code] = glyphText(string(item))
			}
			code++
		}
	}
	return table
}

// standard is where StandardEncoding differs from Windows-1252.
var standard = map[int]string{
	39: "’", 96: "‘", 169: "'", 170: "“", 171: "«", 172: "‹", 173: "›", 174: "fi", 175: "fl", 177: "–", 178: "†", 179: "‡", 183: "•",
	184: "‚", 185: "„", 186: "”", 187: "»", 188: "…", 189: "‰", 208: "—", 225: "Æ", 232: "Ł", 233: "Ø", 234: "Œ", 241: "æ", 245: "ı", 248: "ł", 249: "ø", 250: "œ", 251: "ß",
}

// glyphs are what a text draws.
func (t *font) glyphs(text str) []glyph {
	step := 1
	if t.wide {
		step = 2
	}
	var out []glyph
	for i := 0; i+step <= len(text); i += step {
		code := int(text[i])
		if t.wide {
			code = code<<8 | int(text[i+1])
		}
		g := glyph{width: t.width, space: step == 1 && code == ' '}
		if w, ok := t.widths[code]; ok {
			g.width = w
		}
		found := false
		if t.unicode != nil {
			g.text, found = t.unicode.text(code)
		}
		switch {
		case found:
		case t.utf16:
			g.text = string(utf16.Decode([]uint16{uint16(code)}))
		case !t.wide:
			g.text = t.table[code]
		}
		if t.guess {
			g.width = guessed(g.text)
		}
		out = append(out, g)
	}
	return out
}

// guessed is about how wide a character of the usual fonts is.
func guessed(text string) float64 {
	switch {
	case text == "" || strings.Contains("ijltfr.,:;'|!() ", text):
		return 278
	case strings.Contains("mwMW@%", text):
		return 833
	case text >= "A" && text <= "Z":
		return 667
	}
	return 530
}
