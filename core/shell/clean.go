package shell

import "unicode/utf8"

// maxSequence bounds a control sequence, in bytes: what goes on longer is no
// sequence, and its rest is shown as text.
const maxSequence = 4096

// A cleaner makes text of what a command wrote: valid UTF-8 without escape
// sequences and without control characters other than \n, \t and \r. Invalid
// bytes become U+FFFD. What a chunk leaves unfinished waits for the next one,
// so the text does not depend on how the bytes were cut into chunks.
type cleaner struct {
	terminal bool // \r\n is how a terminal writes \n

	state   cleanState
	length  int    // bytes of the current sequence
	partial []byte // the beginning of a rune
	cr      bool   // a \r waits to see whether \n follows
}

type cleanState int

const (
	ground  cleanState = iota
	escape             // after ESC
	charset            // after ESC and an intermediate byte
	csi                // ESC [ … final byte
	str                // ESC ] … BEL or ESC \, and the other strings
	strEsc             // an ESC inside a string
)

// append cleans src onto dst.
func (c *cleaner) append(dst, src []byte) []byte {
	if len(c.partial) > 0 {
		src = append(c.partial, src...)
		c.partial = nil
	}
	for len(src) > 0 {
		if c.state != ground {
			src = src[c.sequence(src[0]):]
			continue
		}
		if n := plain(src); n > 0 && !c.cr {
			dst, src = append(dst, src[:n]...), src[n:]
			continue
		}
		if !utf8.FullRune(src) {
			c.partial = append([]byte(nil), src...)
			break
		}
		r, size := utf8.DecodeRune(src)
		dst, src = c.rune(dst, r), src[size:]
	}
	return dst
}

// flush ends the text: what is unfinished will never be finished.
func (c *cleaner) flush(dst []byte) []byte {
	if c.cr {
		c.cr = false
		dst = append(dst, '\r')
	}
	for range c.partial {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	c.partial = nil
	return dst
}

// plain counts the bytes at the front that stand for themselves.
func plain(src []byte) int {
	for i, b := range src {
		if (b < 0x20 && b != '\n' && b != '\t') || b >= 0x7f {
			return i
		}
	}
	return len(src)
}

func (c *cleaner) rune(dst []byte, r rune) []byte {
	if c.cr {
		c.cr = false
		if r != '\n' {
			dst = append(dst, '\r')
		}
	}
	switch {
	case r == 0x1b:
		c.state, c.length = escape, 0
	case r == '\r' && c.terminal:
		c.cr = true
	case r == '\n', r == '\t', r == '\r':
		dst = append(dst, byte(r))
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL and C1 controls
	default:
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// sequence takes one byte of a control sequence and returns how many bytes it
// used up: 0 when the byte is not part of it and has to be read as text.
func (c *cleaner) sequence(b byte) int {
	c.length++
	if c.length > maxSequence {
		c.state = ground
		return 0
	}
	switch c.state {
	case escape:
		return c.afterEscape(b)
	case charset:
		return c.until(b, b < 0x20 || b > 0x2f, 0x30)
	case csi:
		return c.until(b, b < 0x20 || b > 0x3f, 0x40)
	case str:
		switch b {
		case 0x07:
			c.state = ground
		case 0x1b:
			c.state = strEsc
		case '\n': // no terminal wants one here: it was not a string after all
			c.state = ground
			return 0
		}
		return 1
	default: // strEsc
		if b == '\\' {
			c.state = ground
			return 1
		}
		return c.afterEscape(b)
	}
}

func (c *cleaner) afterEscape(b byte) int {
	switch {
	case b == '[':
		c.state = csi
	case b == ']', b == 'P', b == 'X', b == '^', b == '_':
		c.state = str
	case b >= 0x20 && b <= 0x2f:
		c.state = charset
	case b == 0x1b:
		c.state = escape
	default:
		c.state = ground
		if b < 0x30 || b > 0x7e {
			return 0
		}
	}
	return 1
}

// until stays in the sequence until it is over; its last byte belongs to it if
// it is a final byte, which are those from first to ~.
func (c *cleaner) until(b byte, over bool, first byte) int {
	if !over {
		return 1
	}
	c.state = ground
	if b < first || b > 0x7e {
		return 0
	}
	return 1
}
