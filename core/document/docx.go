package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxUnpacked bounds the unpacked size in bytes of a part of a document; one
// that is larger is refused.
const maxUnpacked = 64 << 20

// docxText is a document of a word processor as Markdown: headings, lists,
// tables and links; not how it looks.
func docxText(raw []byte) (string, error) {
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return "", err
	}
	w := &docxWriter{links: docxLinks(archive)}
	if err := eachElement(archive, "word/document.xml", w.start, w.end, w.text); err != nil {
		return "", err
	}
	return w.out.String(), nil
}

// eachElement goes through a part of the archive.
func eachElement(archive *zip.Reader, name string, start func(xml.StartElement), end func(name string), text func(string)) error {
	part, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("it has no %s", name)
	}
	defer func() { _ = part.Close() }() // read only
	limited := &io.LimitedReader{R: part, N: maxUnpacked}
	tokens := xml.NewDecoder(limited)
	for {
		token, err := tokens.RawToken()
		switch {
		case limited.N <= 0:
			return fmt.Errorf("%s is larger than %d MiB", name, maxUnpacked>>20)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			start(token)
		case xml.EndElement:
			end(token.Name.Local)
		case xml.CharData:
			text(string(token))
		}
	}
}

// docxLinks are the targets of links by the ids that the text uses; without
// them, links are plain text.
func docxLinks(archive *zip.Reader) map[string]string {
	links := map[string]string{}
	start := func(e xml.StartElement) {
		if e.Name.Local == "Relationship" && value(e, "TargetMode") == "External" {
			links[value(e, "Id")] = value(e, "Target")
		}
	}
	_ = eachElement(archive, "word/_rels/document.xml.rels", start, func(string) {}, func(string) {}) // there need not be any
	return links
}

// A docxWriter makes Markdown of the elements of WordprocessingML, as they come.
type docxWriter struct {
	links  map[string]string
	out    strings.Builder
	line   strings.Builder // of the paragraph
	prefix string          // what the paragraph begins with
	link   string          // where the text leads that is being read
	inText bool            // within an element that holds text
	list   bool            // the last block is an item of a list
	depth  int             // of tables in tables
	rows   int             // of the outer table so far
	cells  []string        // of its row
	cell   strings.Builder
}

func (w *docxWriter) start(e xml.StartElement) {
	switch e.Name.Local {
	case "t", "delText":
		w.inText = e.Name.Local == "t" // deleted text is gone
	case "tab":
		w.line.WriteString("\t")
	case "br", "cr":
		w.line.WriteString("\n")
	case "pStyle":
		w.style(value(e, "val"))
	case "numPr":
		if w.prefix == "" { // a heading with a number stays one
			w.prefix = "- "
		}
	case "ilvl":
		if level := value(e, "val"); w.prefix == "- " && len(level) == 1 && level >= "0" && level <= "9" {
			w.prefix = strings.Repeat("  ", int(level[0]-'0')) + w.prefix
		}
	case "hyperlink":
		if w.link = w.links[value(e, "id")]; w.link != "" {
			w.line.WriteString("[")
		}
	case "tbl":
		if w.depth++; w.depth == 1 {
			w.rows = 0
		}
	}
}

// style knows headings by the names that word processors give their styles.
func (w *docxWriter) style(name string) {
	name = strings.ToLower(strings.ReplaceAll(name, " ", ""))
	level := strings.TrimPrefix(name, "heading")
	switch {
	case name == "title":
		w.prefix = "# "
	case len(level) == 1 && level >= "1" && level <= "6":
		w.prefix = strings.Repeat("#", int(level[0]-'0')) + " "
	case strings.HasPrefix(name, "list"):
		w.prefix = "- "
	}
}

func (w *docxWriter) text(s string) {
	if w.inText {
		w.line.WriteString(s)
	}
}

func (w *docxWriter) end(name string) {
	switch name {
	case "t", "delText":
		w.inText = false
	case "hyperlink":
		if w.link != "" {
			w.line.WriteString("](" + w.link + ")")
		}
		w.link = ""
	case "p":
		w.paragraph()
	case "tc":
		if w.depth == 1 {
			w.cells = append(w.cells, strings.TrimSpace(w.cell.String()))
			w.cell.Reset()
		}
	case "tr":
		if w.depth == 1 {
			w.row()
		}
	case "tbl":
		w.depth = max(0, w.depth-1)
	}
}

func (w *docxWriter) paragraph() {
	line, list := strings.TrimSpace(w.line.String()), strings.HasSuffix(w.prefix, "- ")
	prefix := w.prefix
	w.line.Reset()
	w.prefix = ""
	switch {
	case line == "":
	case w.depth > 0:
		w.cell.WriteString(strings.NewReplacer("\n", " ", "|", `\|`).Replace(line) + " ")
	default:
		w.put(prefix+line, list && w.list)
		w.list = list
	}
}

// put writes a line, right below the one before or as a block of its own.
func (w *docxWriter) put(line string, below bool) {
	if w.out.Len() > 0 && !below {
		w.out.WriteString("\n")
	}
	w.out.WriteString(line + "\n")
}

// row writes a row of a table; the first is its head.
func (w *docxWriter) row() {
	w.put("| "+strings.Join(w.cells, " | ")+" |", w.rows > 0)
	if w.rows == 0 {
		w.put("|"+strings.Repeat(" --- |", len(w.cells)), true)
	}
	w.rows++
	w.cells, w.list = nil, false
}

// value is an attribute, whatever its prefix.
func value(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
