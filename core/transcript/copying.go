package transcript

import (
	"bufio"
	"io"
)

// gathered is how long lines that lie together may be, in bytes, to be written
// with others.
const gathered = 64 << 10

// copying appends entries of a session to the file of another.
type copying struct {
	to    *Log
	from  Snapshot
	out   *bufio.Writer
	block []byte
}

// copy appends entries, each behind its parent. Lines that lie one behind the
// other are not looked at: the index tells that they are what they should be.
func (c *copying) copy(path []*Entry) error {
	for len(path) > 0 {
		n := together(path)
		var err error
		if n > 0 {
			err = c.lines(path[:n])
		} else {
			n, err = 1, c.line(path[0])
		}
		if err != nil {
			return err
		}
		path = path[n:]
	}
	return c.out.Flush()
}

// together is how many of the entries lie in the file one behind the other, each
// with its own id and parent; 0 when the first has not, or is not in the file.
func together(path []*Entry) (n int) {
	for n < len(path) && path[n].held.Load() == nil && !path[n].mended {
		if n > 0 && path[n].offset != path[n-1].offset+int64(path[n-1].size)+1 {
			break
		}
		n++
	}
	return n
}

func (c *copying) lines(run []*Entry) error {
	first, last := run[0], run[len(run)-1]
	size := last.offset + int64(last.size) - first.offset
	for _, e := range run {
		c.note(e, c.to.end+e.offset-first.offset, e.size)
	}
	if err := c.part(first.offset, size); err != nil {
		return err
	}
	return c.endLine(size)
}

func (c *copying) part(offset, size int64) error {
	if size <= gathered {
		part, err := c.from.store.readPart(c.block, offset, int(size))
		if err != nil {
			return err
		}
		_, err = c.out.Write(part)
		return err
	}
	if err := c.out.Flush(); err != nil {
		return err
	}
	// From file to file the kernel copies without us. Where a descriptor reads
	// from is otherwise of no interest.
	from := c.from.store.file()
	if _, err := from.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(c.to.file(), from, size)
	return err
}

func (c *copying) line(e *Entry) error {
	line, err := c.from.Line(e)
	if err != nil {
		return err
	}
	c.note(e, c.to.end, len(line))
	if _, err := c.out.Write(line); err != nil {
		return err
	}
	return c.endLine(int64(len(line)))
}

func (c *copying) endLine(size int64) error {
	c.to.end += size + 1
	return c.out.WriteByte('\n')
}

// note takes the entry into the index.
func (c *copying) note(e *Entry, offset int64, size int) {
	var parent *Entry
	if e.Parent != nil {
		parent = c.to.tree.byID[e.Parent.ID]
	}
	c.to.tree.add(&Entry{Type: e.Type, ID: e.ID, Parent: parent, Time: e.Time, Role: e.Role, offset: offset, size: size})
}
