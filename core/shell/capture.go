package shell

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// What is kept of a command's output, in bytes: its beginning and, unless
// Command.Head and Tail say otherwise, its end. What lies between is counted and left
// out.
const (
	headBytes = 20 << 10
	tailBytes = 50 << 10
	// lineSlack is how much more, in bytes, is left out of each part to make it
	// end at a line.
	lineSlack = 1 << 10
)

// A capture turns chunks of output into a Result in bounded memory. One
// goroutine only.
type capture struct {
	cleaner cleaner
	first   int       // size of the head kept, in bytes
	size    int       // of the tail kept, in bytes
	columns int       // longest line kept, in bytes; 0 keeps all
	spill   io.Writer // gets the whole text as well; may be nil

	text     []byte // scratch
	cutText  []byte // scratch
	bytes    int    // of the whole text
	newlines int

	column int // bytes of the current line so far
	cut    int // bytes taken from it
	anyCut bool

	head, tail []byte // tail has up to twice size, so that it is moved seldom
	dropped    int    // bytes between head and tail
}

func (c *capture) write(chunk []byte) {
	c.text = c.cleaner.append(c.text[:0], chunk)
	c.add(c.text)
}

// finish is called once, when no more chunks come.
func (c *capture) finish() {
	c.add(c.cleaner.flush(c.text[:0]))
	c.keep(c.endCut(nil))
}

func (c *capture) add(text []byte) {
	c.bytes += len(text)
	c.newlines += bytes.Count(text, []byte("\n"))
	if c.spill != nil {
		_, _ = c.spill.Write(text) // a spill that fails is only a shorter copy
	}
	if c.columns > 0 {
		text = c.cutLines(text)
	}
	c.keep(text)
}

// cutLines shortens lines to c.columns bytes, at a rune's border. text never
// begins or ends inside a rune.
func (c *capture) cutLines(text []byte) []byte {
	out := c.cutText[:0]
	for len(text) > 0 {
		line, rest := text, []byte(nil)
		newline := bytes.IndexByte(text, '\n')
		if newline >= 0 {
			line, rest = text[:newline], text[newline+1:]
		}
		n := len(line)
		if room := c.columns - c.column; c.cut > 0 {
			n = 0
		} else if n > room {
			n = runeStart(line, room)
		}
		out = append(out, line[:n]...)
		c.column += n
		c.cut += len(line) - n
		if newline >= 0 {
			out = append(c.endCut(out), '\n')
			c.column = 0
		}
		text = rest
	}
	c.cutText = out
	return out
}

// endCut says at the end of a line what was taken from it.
func (c *capture) endCut(out []byte) []byte {
	if c.cut > 0 {
		out = fmt.Appendf(out, "… [%d bytes cut]", c.cut)
		c.cut, c.anyCut = 0, true
	}
	return out
}

func (c *capture) keep(text []byte) {
	if room := c.first - len(c.head); room > 0 {
		n := min(room, len(text))
		c.head, text = append(c.head, text[:n]...), text[n:]
	}
	if extra := len(text) - c.size; extra > 0 {
		c.dropped += len(c.tail) + extra
		c.tail, text = c.tail[:0], text[extra:]
	}
	if len(c.tail)+len(text) > 2*c.size {
		extra := len(c.tail) + len(text) - c.size
		c.dropped += extra
		c.tail = c.tail[:copy(c.tail, c.tail[extra:])]
	}
	c.tail = append(c.tail, text...)
}

// latest returns the end of what was written so far, up to c.size bytes.
func (c *capture) latest() string {
	text := c.tail
	if c.dropped == 0 {
		text = append(bytes.Clone(c.head), c.tail...)
	}
	return string(text[runeEnd(text, len(text)-c.size):])
}

// fill puts the output and its figures into r.
func (c *capture) fill(r *Result) {
	head, tail := c.head, c.tail
	elided := c.dropped > 0 || len(tail) > c.size
	if elided {
		tail = tail[runeEnd(tail, len(tail)-c.size):]
		head, tail = trimHead(head), trimTail(tail)
	}
	r.TotalBytes, r.TotalLines = c.bytes, lines(c.newlines, c.bytes)
	r.OutputBytes = len(head) + len(tail)
	r.OutputLines = lines(bytes.Count(head, []byte("\n"))+bytes.Count(tail, []byte("\n")), r.OutputBytes)
	r.Truncated = elided || c.anyCut
	if !elided {
		r.Output = string(head) + string(tail)
		return
	}
	left := len(c.head) + c.dropped + len(c.tail) - r.OutputBytes
	r.Output = fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", bytes.TrimSuffix(head, []byte("\n")), left, tail)
}

func lines(newlines, size int) int {
	if size == 0 {
		return 0
	}
	return newlines + 1
}

// trimHead ends the first part at a line if one ends nearby, else at a rune.
func trimHead(text []byte) []byte {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 && i >= len(text)-lineSlack {
		return text[:i+1]
	}
	return text[:completeRunes(text)]
}

// trimTail begins the last part at a line if one begins nearby.
func trimTail(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 && i < lineSlack {
		return text[i+1:]
	}
	return text
}

// runeStart is the nearest border of a rune at or before i.
func runeStart(text []byte, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return max(i, 0)
}

// runeEnd is the nearest border of a rune at or after i.
func runeEnd(text []byte, i int) int {
	i = max(i, 0)
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// completeRunes is the length of text without a rune cut off at its end.
func completeRunes(text []byte) int {
	start := runeStart(text, len(text)-1)
	if start < 0 || start >= len(text) || utf8.FullRune(text[start:]) {
		return len(text)
	}
	return start
}
