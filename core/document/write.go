package document

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The bounds of what is nested. What is deeper is shown as if it were not.
const (
	maxIndent  = 8  // lists and quotes
	maxInline  = 16 // emphasis, links and code within each other
	maxSpan    = 20 // columns of one cell
	maxColumns = 100
)

// A writer makes Markdown of elements as they come. The last part of out may
// still be changed: what open says.
type writer struct {
	base   *url.URL
	out    []byte
	gap    int    // line ends before the next text
	space  bool   // a space before it
	open   []mark // elements within the line that have begun
	lists  []list
	quotes int
	bullet string // before the next text
	pre    bool   // text is as it is
	preAt  int    // where that began
	lang   string
	table  *table
	nested int // tables within the table
}

// A mark is an element within a line.
type mark struct {
	name string
	at   int // where its text begins
	href string
}

type list struct {
	ordered bool
	next    int
}

// A table is collected before it is written.
type table struct {
	rows [][]string
	at   int // where the text of the cell begins
	cell bool
	span int
}

var (
	blocks   = words("p div section article header main figure figcaption blockquote ul ol li dl dt dd h1 h2 h3 h4 h5 h6 pre hr table form fieldset details summary address body html tr caption")
	emphasis = map[string]string{"em": "*", "i": "*", "strong": "**", "b": "**", "del": "~~", "s": "~~", "strike": "~~", "code": "`", "kbd": "`", "samp": "`"}
	tight    = words("li tr dd figcaption div") // no empty line sets them off
)

// inCell tells whether the text is that of a cell.
func (w *writer) inCell() bool { return w.table != nil && w.table.cell }

func (w *writer) text(text string) {
	if w.pre {
		w.out = append(w.out, text...)
		return
	}
	for i, word := range strings.Fields(text) {
		if i > 0 || startsWithSpace(text) {
			w.space = true
		}
		w.word(word)
	}
	if endsWithSpace(text) {
		w.space = true
	}
}

func startsWithSpace(text string) bool { return strings.TrimLeft(text, " \t\r\n\f\u00a0") != text }

func endsWithSpace(text string) bool { return strings.TrimRight(text, " \t\r\n\f\u00a0") != text }

// word writes a word, and before it what separates it from the last.
func (w *writer) word(word string) {
	before := len(w.out)
	switch {
	case w.inCell():
		if (w.space || w.gap > 0) && w.table.at < len(w.out) {
			w.out = append(w.out, ' ')
		}
	case w.gap > 0 || w.bullet != "" || len(w.out) == 0:
		w.lineStart()
	case w.space:
		w.out = append(w.out, ' ')
	}
	for i := range w.open { // an element begins with its first word
		if w.open[i].at == before {
			w.open[i].at = len(w.out)
		}
	}
	w.gap, w.space = 0, false
	w.out = append(w.out, word...)
}

// lineStart ends the line and begins the next.
func (w *writer) lineStart() {
	if len(w.out) > 0 {
		quote := strings.Repeat("> ", min(w.quotes, maxIndent))
		for i := range max(w.gap, 1) {
			w.out = append(w.out, '\n')
			if i > 0 || w.gap < 2 {
				continue
			}
			w.out = append(w.out, strings.TrimRight(quote, " ")...)
		}
	}
	w.out = append(w.out, strings.Repeat("> ", min(w.quotes, maxIndent))...)
	depth := min(len(w.lists), maxIndent)
	if w.bullet != "" {
		depth--
	}
	w.out = append(w.out, strings.Repeat("  ", max(depth, 0))+w.bullet...)
	w.bullet = ""
}

// block ends what goes on within a line.
func (w *writer) block(gap int) {
	if w.pre {
		return
	}
	if !w.inCell() {
		var kept []mark
		for i := len(w.open) - 1; i >= 0; i-- {
			if m := w.open[i]; m.at < len(w.out) {
				w.close(m)
			} else {
				kept = append(kept, m) // a link around blocks begins with the first
			}
		}
		slices.Reverse(kept)
		w.open = kept
	}
	if w.bullet != "" { // what it is for comes next
		gap = 0
	}
	w.gap, w.space = max(w.gap, gap), false
}

func (w *writer) start(t token) {
	if blocks[t.name] {
		w.block(w.gapOf(t.name))
	}
	switch name := t.name; name {
	case "br":
		if w.pre {
			w.out = append(w.out, '\n')
		}
		w.gap, w.space = max(w.gap, 1), false
	case "hr":
		w.word("---")
		w.block(2)
	case "blockquote":
		w.quotes++
	case "ul", "ol", "menu":
		w.lists = append(w.lists, list{ordered: name == "ol"})
	case "li":
		w.item()
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.bullet = strings.Repeat("#", int(name[1]-'0')) + " "
	case "pre":
		w.startPre(t)
	case "img":
		if alt := oneLine(t.attribute("alt")); alt != "" {
			w.word("![" + alt + "](" + w.link(t.attribute("src")) + ")")
		}
	case "table", "tr", "td", "th":
		w.startTable(t)
	case "a":
		w.begin(mark{name: name}, t)
	default:
		if w.pre && w.lang == "" && name == "code" {
			w.lang = language(t)
		}
		if emphasis[name] != "" {
			w.begin(mark{name: name}, t)
		}
	}
}

// gapOf is how many line ends set an element off.
func (w *writer) gapOf(name string) int {
	if tight[name] || len(w.lists) > 0 && (name == "ul" || name == "ol") {
		return 1
	}
	return 2
}

// begin opens an element within the line, if it changes anything.
func (w *writer) begin(m mark, t token) {
	same := slices.ContainsFunc(w.open, func(o mark) bool { return o.name == m.name })
	if w.pre || same || len(w.open) >= maxInline {
		return
	}
	if m.name == "a" {
		m.href = w.link(t.attribute("href"))
	}
	if m.name == "a" && m.href == "" {
		return
	}
	if w.space && w.gap == 0 && w.bullet == "" && len(w.out) > 0 && (!w.inCell() || w.table.at < len(w.out)) {
		w.out = append(w.out, ' ')
		w.space = false
	}
	m.at = len(w.out)
	w.open = append(w.open, m)
}

func (w *writer) end(name string) {
	switch name {
	case "blockquote":
		w.block(2)
		w.quotes = max(0, w.quotes-1)
	case "ul", "ol", "menu":
		w.block(1)
		w.lists, w.bullet = w.lists[:max(0, len(w.lists)-1)], ""
		if len(w.lists) == 0 {
			w.gap = 2
		}
	case "pre":
		w.endPre()
	case "td", "th", "tr", "table":
		w.endTable(name)
	case "a", "em", "i", "strong", "b", "del", "s", "strike", "code", "kbd", "samp":
		for i := len(w.open) - 1; i >= 0; i-- {
			if m := w.open[i]; m.name == name {
				w.open = append(w.open[:i], w.open[i+1:]...)
				w.close(m)
				return
			}
		}
	case "li", "h1", "h2", "h3", "h4", "h5", "h6":
		w.block(w.gapOf(name))
		w.bullet = "" // if it was empty
	default:
		if blocks[name] {
			w.block(w.gapOf(name))
		}
	}
}

// close puts the marks of an element around its text.
func (w *writer) close(m mark) {
	if m.at >= len(w.out) {
		return
	}
	text := string(w.out[m.at:])
	before, after := emphasis[m.name], emphasis[m.name]
	if m.name == "a" {
		before, after = "[", "]("+m.href+")"
	}
	if before == "`" && strings.Contains(text, "`") {
		before, after = "`` ", " ``"
	}
	for i := range w.open { // those outside of it still begin where they began
		if w.open[i].at > m.at {
			w.open[i].at += len(before)
		}
	}
	w.out = append(w.out[:m.at], before+text+after...)
}

func (w *writer) item() {
	if len(w.lists) == 0 {
		w.lists = append(w.lists, list{})
	}
	l := &w.lists[len(w.lists)-1]
	l.next++
	w.bullet = "- "
	if l.ordered {
		w.bullet = fmt.Sprintf("%d. ", l.next)
	}
}

// link is where a link leads, "" when it leads nowhere.
func (w *writer) link(to string) string {
	u, err := url.Parse(strings.TrimSpace(to))
	if err != nil || to == "" || strings.HasPrefix(to, "#") || u.Scheme == "javascript" || u.Scheme == "data" {
		return ""
	}
	if w.base != nil {
		u = w.base.ResolveReference(u)
	}
	return strings.NewReplacer("(", "%28", ")", "%29").Replace(u.String())
}

func language(t token) string {
	for class := range strings.FieldsSeq(t.attribute("class")) {
		if name, ok := strings.CutPrefix(class, "language-"); ok {
			return strings.Trim(name, "`")
		}
	}
	return ""
}

func (w *writer) startPre(t token) {
	if w.pre || w.inCell() {
		return
	}
	w.lang, w.open = language(t), nil
	w.lineStart()
	w.gap, w.space = 0, false
	w.pre, w.preAt = true, len(w.out)
}

func (w *writer) endPre() {
	if !w.pre {
		return
	}
	w.pre = false
	text := strings.Trim(string(w.out[w.preAt:]), "\n")
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	w.out = append(w.out[:w.preAt], fence+w.lang+"\n"+text+"\n"+fence...)
	w.block(2)
}

// longestRun is the most that a character is repeated in a row.
func longestRun(text string, of byte) (longest int) {
	run := 0
	for i := range len(text) {
		if run++; text[i] != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// finish closes what is open and returns the text.
func (w *writer) finish() string {
	w.endPre()
	w.nested = 0
	w.endTable("table")
	w.block(0)
	return string(bytes.TrimSpace(w.out))
}
