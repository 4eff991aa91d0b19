package document

import (
	"bytes"
	"html"
	"net/url"
	"strings"
)

// MaxHTML is how much of a page is converted, in bytes, as that cannot be
// stopped: about a second of work. The caller cuts off the rest.
const MaxHTML = 4 << 20

// minMain is how much text the main part of a page has at least, in bytes; with
// less, it is not what the page is about, and the whole page is shown.
const minMain = 200

// maxUnclosed is how many elements that are to be left out may have no end, each
// of which costs a look at the rest of the page; with more, none is left out.
const maxUnclosed = 16

// leftOut are the elements that no reader of a page sees, and those that stand on
// every page of a site.
var leftOut = words("noscript template iframe object svg math canvas head nav footer aside button select textarea dialog title")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Markdown converts a page, which is UTF-8, in time and room in proportion to
// its size. Links become absolute where base is a URL.
//
// It makes no tree of the page, as browsers do: there, a few bytes can make any
// number of elements.
func Markdown(raw []byte, base string) string {
	title, links := headOf(raw)
	w := &writer{base: resolve(base, links)}
	w.page(mainPart(raw))
	text := w.finish()
	if title != "" && !strings.Contains(text[:min(len(text), 1<<10)], "# "+title) {
		text = "# " + title + "\n\n" + text
	}
	return cut(strings.ToValidUTF8(strings.TrimSpace(text), "\ufffd"))
}

// headOf is the title of a page and the href of its base element.
func headOf(raw []byte) (title, links string) {
	s := scanner{text: raw}
	for {
		switch t, ok := s.next(); {
		case !ok, t.kind == startTag && t.name == "body":
			return title, links
		case t.kind == startTag && t.name == "title" && title == "":
			title = oneLine(html.UnescapeString(string(s.raw("title"))))
		case t.kind == startTag && t.name == "base" && links == "":
			links = t.attribute("href")
		}
	}
}

// mainPart is the part of a page that says what it is about: its main element,
// its only article, or else all of it.
func mainPart(raw []byte) []byte {
	for _, name := range []string{"main", "article"} {
		s := scanner{text: raw}
		var part []byte
		for count, from := 0, 0; ; {
			t, ok := s.next()
			if !ok {
				break
			}
			switch {
			case t.kind == startTag && t.name == name:
				count, from = count+1, s.at
			case t.kind == endTag && t.name == name && count == 1 && part == nil:
				part = raw[from:t.at]
			}
			if count > 1 {
				part = nil
				break
			}
		}
		if part != nil && bytes.IndexByte(part, '<') >= 0 && textSize(part) >= minMain {
			return part
		}
	}
	return raw
}

func textSize(part []byte) (size int) {
	s := scanner{text: part}
	for {
		t, ok := s.next()
		if !ok {
			return size
		}
		if t.kind == textToken {
			size += len(bytes.TrimSpace(t.text))
		}
	}
}

// page goes through the elements.
func (w *writer) page(raw []byte) {
	s, kept := scanner{text: raw}, map[string]bool{}
	for len(w.out) < maxText {
		t, ok := s.next()
		switch {
		case !ok:
			return
		case t.kind == textToken:
			w.text(html.UnescapeString(string(t.text)))
		case t.kind == endTag:
			w.end(t.name)
		case !kept[t.name] && len(kept) < maxUnclosed && !void[t.name] && !t.closed() && (leftOut[t.name] || hidden(t)):
			if !s.skip(t.name) {
				kept[t.name] = true // it is never closed; then it is not what it seems
			}
		default:
			w.start(t)
		}
	}
}

func hidden(t token) bool {
	return t.has("hidden") || t.attribute("aria-hidden") == "true" || strings.Contains(strings.ReplaceAll(t.attribute("style"), " ", ""), "display:none")
}

// resolve is where the links of a page start; nil when that is unknown.
func resolve(page, base string) *url.URL {
	start, err := url.Parse(page)
	if err != nil || page == "" {
		return nil
	}
	if u, err := url.Parse(base); err == nil {
		start = start.ResolveReference(u)
	}
	return start
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
