package document

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// maxPages is how many pages of a PDF are looked at; the rest is left out, with
// a notice.
const maxPages = 2000

// pdfText is the text of a PDF, page by page.
func pdfText(raw []byte) (string, error) {
	reader, err := openPDF(raw)
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return "", errors.New("it is protected by a password")
	}
	if err != nil {
		return "", err
	}
	var out strings.Builder
	pages, found := reader.NumPage(), false
	for n := 1; n <= min(pages, maxPages) && out.Len() <= maxText; n++ {
		text, err := pageText(reader, n)
		if err != nil {
			text = fmt.Sprintf("[This page cannot be read: %v]", err)
		}
		found = found || text != ""
		fmt.Fprintf(&out, "## Page %d\n\n%s\n\n", n, text)
	}
	if !found {
		return "", fmt.Errorf("it has no text on its %d pages, as scanned paper has none", pages)
	}
	if pages > maxPages {
		fmt.Fprintf(&out, "[%d more pages are left out.]\n", pages-maxPages)
	}
	return out.String(), nil
}

// openPDF forgives what readers of people forgive: a version that is newer than
// 1.7, and something after the end. It changes raw.
func openPDF(raw []byte) (*pdf.Reader, error) {
	const header, end = "%PDF-1.7\n", "%%EOF"
	if len(raw) < 100 {
		return nil, errors.New("it is too short to be a PDF")
	}
	copy(raw, header)
	if at := bytes.LastIndex(raw, []byte(end)); at >= 0 {
		raw = raw[:at+len(end)]
	}
	return pdf.NewReader(bytes.NewReader(raw), int64(len(raw)))
}

// pageText turns a panic of the parser into an error.
func pageText(reader *pdf.Reader, n int) (text string, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			text, err = "", fmt.Errorf("%v", wrong)
		}
	}()
	return joinGlyphs(reader.Page(n).Content().Text), nil
}

// joinGlyphs makes lines of the glyphs of a page, which stand in the order in
// which they are drawn. Much of what looks like spaces and line ends in a PDF is
// only a gap.
func joinGlyphs(glyphs []pdf.Text) string {
	var out strings.Builder
	var before pdf.Text
	for i, g := range glyphs {
		if g.S == "\n" { // the parser's own, which says nothing of where the next glyph is
			continue
		}
		size := max(math.Abs(g.FontSize), 1)
		if down := math.Abs(g.Y - before.Y); i > 0 && down > 2*size {
			out.WriteString("\n\n")
		} else if i > 0 && down > size/2 {
			out.WriteString("\n")
		} else if gap := g.X - before.X - before.W; i > 0 && (gap > size/4 || gap < -size) && before.S != " " && g.S != " " {
			out.WriteString(" ")
		}
		out.WriteString(g.S)
		before = g
	}
	return strings.TrimSpace(out.String())
}
