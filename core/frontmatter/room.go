package frontmatter

import "fmt"

// Bounds of the files of one kind that a session reads: a repository of
// strangers may have written them. The rest is passed over.
const (
	MaxFiles = 256       // also those with a fault
	maxHeads = 256 << 10 // bytes of their heads, about a millisecond to parse for each KiB
)

// A Room counts what files of one kind have cost. The zero value is one with all
// its room. One goroutine only.
type Room struct {
	files, heads int
	full         bool
}

// Take counts a file whose head has the size, in bytes. The error, of type *Error,
// tells that there is no room for it, and comes once.
func (r *Room) Take(path string, head int) error {
	r.files++
	r.heads += head
	problem := ""
	switch {
	case r.files > MaxFiles:
		problem = fmt.Sprintf("there are more than %d files of its kind", MaxFiles)
	case r.heads > maxHeads:
		problem = fmt.Sprintf("the heads of its kind are longer than %d KiB", maxHeads>>10)
	default:
		return nil
	}
	r.full = true
	return &Error{File: path, Problem: problem}
}

// Full tells whether a file has found no room: others need not be read.
func (r *Room) Full() bool { return r.full }
