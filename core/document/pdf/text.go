// Package pdf reads the text of PDF files. It takes time and room in proportion
// to a file and to what it may unpack to, which is bounded.
package pdf

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// The bounds of a file. What is beyond is left out; a notice tells of pages.
const (
	maxPages = 2000
	maxText  = 4 << 20    // bytes
	maxSteps = 20_000_000 // objects and operators of all pages
	maxForms = 5          // forms within forms
	maxSaved = 64         // states of graphics
	maxKids  = 40         // levels of the tree of pages
)

// Text is the text of a PDF, page by page.
func Text(raw []byte) (string, error) {
	f, err := open(raw)
	if err != nil {
		return "", err
	}
	pages := f.pages()
	if len(pages) == 0 {
		return "", errors.New("it has no pages")
	}
	var out strings.Builder
	found, steps, fonts := false, maxSteps, map[ref]*font{}
	for n, page := range pages {
		if n == maxPages || out.Len() > maxText {
			fmt.Fprintf(&out, "[%d more pages are left out.]\n", len(pages)-n)
			break
		}
		d := &drawing{file: f, steps: steps, fonts: fonts, state: state{th: 1, ctm: identity}}
		d.draw(f.contents(page.dict["Contents"]), page.resources, 0)
		steps = d.steps
		text := ligatures.Replace(strings.TrimSpace(d.out.String()))
		found = found || text != ""
		fmt.Fprintf(&out, "## Page %d\n\n%s\n\n", n+1, text)
	}
	if !found {
		return "", fmt.Errorf("it has no text on its pages (%d), as scanned paper has none", len(pages))
	}
	return out.String(), nil
}

// A page is a dictionary and what it takes over from those above it.
type page struct {
	dict      dict
	resources any
}

// pages are the pages in order.
func (f *file) pages() (found []page) {
	var root dict
	for number := range f.offsets {
		if d := f.dict(number); d != nil && d["Type"] == name("Catalog") && f.dict(d["Pages"]) != nil {
			root = d
		}
	}
	for number := range f.packed {
		if d := f.dict(number); root == nil && d != nil && d["Type"] == name("Catalog") && f.dict(d["Pages"]) != nil {
			root = d
		}
	}
	seen := map[ref]bool{}
	var walk func(object, resources any, depth int)
	walk = func(object, resources any, depth int) {
		number, _ := object.(ref)
		d := f.dict(object)
		if d == nil || seen[number] || depth > maxKids {
			return
		}
		seen[number] = number != 0
		if own := d["Resources"]; own != nil {
			resources = own
		}
		kids := f.array(d["Kids"])
		if kids == nil {
			found = append(found, page{d, resources})
		}
		for _, kid := range kids {
			walk(kid, resources, depth+1)
		}
	}
	walk(root["Pages"], nil, 0)
	return found
}

// contents is what draws a page, which may be in several streams.
func (f *file) contents(object any) []byte {
	switch object := f.resolve(object).(type) {
	case *stream:
		return f.unpack(object)
	case array:
		var all []byte
		for _, part := range object {
			if s, ok := f.resolve(part).(*stream); ok {
				all = append(append(all, f.unpack(s)...), '\n')
			}
		}
		return all
	}
	return nil
}

// A matrix is a b c d e f, as in the reference.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// write puts a text down that is drawn from one place to another, on a line of
// its own where it is drawn on one. Much of what looks like spaces and line ends
// is only a gap.
func (d *drawing) write(text string, from, to matrix, size float64) {
	if text == "" {
		return
	}
	size = max(size, 1)
	x, y := from[4], from[5]
	down, gap := math.Abs(y-d.y), x-d.x
	switch {
	case d.out.Len() == 0:
	case down > 2*size:
		d.out.WriteString("\n\n")
	case down > size/2 || gap < -2*size:
		d.out.WriteString("\n")
	case gap > size*0.17 && !d.blank && !strings.HasPrefix(text, " "):
		d.out.WriteString(" ")
	}
	d.out.WriteString(text)
	d.x, d.y, d.blank = to[4], to[5], strings.HasSuffix(text, " ")
}
