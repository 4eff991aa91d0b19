package pdf

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// A drawing follows what draws a page, as far as it is about text.
type drawing struct {
	file  *file
	steps int           // that are left
	fonts map[ref]*font // of all pages
	out   strings.Builder
	x, y  float64 // where the last text ended
	blank bool    // with a space

	tm, line matrix
	state
	saved  []state
	within []*stream // forms that are being drawn
}

// state is what q saves.
type state struct {
	ctm                  matrix
	font                 *font
	size, tc, tw, th, tl float64
}

// draw follows a stream of operators.
func (d *drawing) draw(content []byte, resources any, depth int) {
	l, args := lexer{text: content}, []any(nil)
	for d.steps > 0 && d.out.Len() < maxText {
		object, ok := l.next()
		if !ok {
			return
		}
		d.steps--
		op, isOp := object.(keyword)
		switch {
		case !isOp:
			args = append(args, object)
		case op == "ID":
			l.skipImage()
			args = nil
		default:
			d.do(string(op), args, resources, depth)
			args = args[:0]
		}
	}
}

// skipImage passes over the bytes of an image within a stream.
func (l *lexer) skipImage() {
	for {
		n := bytes.Index(l.text[l.at:], []byte("EI"))
		if n < 0 {
			l.at = len(l.text)
			return
		}
		at := l.at + n
		l.at = at + 2
		if at > 0 && space(l.text[at-1]) && (l.at == len(l.text) || space(l.text[l.at])) {
			return
		}
	}
}

func numbers(args []any, count int) (out [6]float64) {
	for i, arg := range args[max(0, len(args)-count):] {
		out[i], _ = arg.(float64)
	}
	return out
}

func (d *drawing) do(op string, args []any, resources any, depth int) {
	n := numbers(args, 1)[0]
	switch op {
	case "q":
		if len(d.saved) < maxSaved {
			d.saved = append(d.saved, d.state)
		}
	case "Q":
		if last := len(d.saved) - 1; last >= 0 {
			d.state, d.saved = d.saved[last], d.saved[:last]
		}
	case "cm":
		d.ctm = matrix(numbers(args, 6)).times(d.ctm)
	case "BT":
		d.tm, d.line = identity, identity
	case "Tf":
		d.setFont(args, resources)
	case "Tc":
		d.tc = n
	case "Tw":
		d.tw = n
	case "Tz":
		d.th = n / 100
	case "TL":
		d.tl = n
	case "Td":
		d.move(numbers(args, 2))
	case "TD":
		d.tl = -numbers(args, 2)[1]
		d.move(numbers(args, 2))
	case "Tm":
		d.tm = matrix(numbers(args, 6))
		d.line = d.tm
	case "T*":
		d.move([6]float64{0, -d.tl})
	case "'", `"`:
		d.move([6]float64{0, -d.tl})
		d.show(args)
	case "Tj":
		d.show(args)
	case "TJ":
		if len(args) > 0 {
			list, _ := args[len(args)-1].(array)
			d.show(list)
		}
	case "Do":
		d.form(args, resources, depth)
	}
}

func (d *drawing) move(by [6]float64) {
	d.line = matrix{1, 0, 0, 1, by[0], by[1]}.times(d.line)
	d.tm = d.line
}

func (d *drawing) setFont(args []any, resources any) {
	if len(args) < 2 {
		return
	}
	d.size = numbers(args, 1)[0]
	called, _ := args[len(args)-2].(name)
	object := d.file.dict(d.file.dict(resources)["Font"])[called]
	key, isRef := object.(ref)
	if known := d.fonts[key]; isRef && known != nil {
		d.font = known
		return
	}
	d.font = d.file.font(object)
	d.steps -= len(d.font.widths)
	if isRef {
		d.fonts[key] = d.font
	}
}

// show draws texts, and numbers that set them apart.
func (d *drawing) show(items []any) {
	if d.font == nil {
		d.font = &font{width: 500, table: d.file.encoding(nil)}
	}
	for _, item := range items {
		d.steps--
		switch item := item.(type) {
		case float64:
			d.advance(-item / 1000 * d.size * d.th)
		case str:
			from := d.tm.times(d.ctm)
			var text strings.Builder
			for _, g := range d.font.glyphs(item) {
				text.WriteString(g.text)
				by := g.width/1000*d.size + d.tc
				if g.space {
					by += d.tw
				}
				d.advance(by * d.th)
			}
			d.steps -= len(item)
			d.write(text.String(), from, d.tm.times(d.ctm), math.Abs(d.size)*math.Hypot(from[2], from[3]))
		}
	}
}

func (d *drawing) advance(by float64) {
	d.tm[4] += by * d.tm[0]
	d.tm[5] += by * d.tm[1]
}

// form draws what is drawn elsewhere.
func (d *drawing) form(args []any, resources any, depth int) {
	if len(args) == 0 || depth >= maxForms {
		return
	}
	called, _ := args[len(args)-1].(name)
	s, ok := d.file.resolve(d.file.dict(d.file.dict(resources)["XObject"])[called]).(*stream)
	if !ok || d.file.name(s.dict["Subtype"]) != "Form" || slices.Contains(d.within, s) {
		return
	}
	d.within = append(d.within, s)
	before, saved := d.state, len(d.saved)
	if m := d.file.array(s.dict["Matrix"]); len(m) == 6 {
		d.ctm = matrix(numbers(m, 6)).times(d.ctm)
	}
	if own := s.dict["Resources"]; own != nil {
		resources = own
	}
	d.draw(d.file.unpack(s), resources, depth+1)
	d.within = d.within[:len(d.within)-1]
	d.state, d.saved = before, d.saved[:min(saved, len(d.saved))]
}
