package frontmatter

import "fmt"

// Bounds of the files of one kind that are read of a project, which strangers may
// have written, or of a profile. The rest is passed over.
const (
	MaxFiles  = 256       // also those with a fault
	maxHeads  = 256 << 10 // bytes of their heads, about a millisecond to parse for each KiB
	maxBodies = 8 << 20   // bytes of their bodies, which stay in memory
)

// A Room counts what files of one kind have cost. The zero value is one with all
// its room. One goroutine only.
type Room struct {
	files, heads, bodies int
	full                 bool
}

// Take counts a file that was read, also one with a fault. The error, of type
// *Error, tells that there is no room for it.
func (r *Room) Take(path string, meta Meta, body string) error {
	r.files++
	r.heads += meta.size
	r.bodies += len(body)
	problem := ""
	switch {
	case r.files > MaxFiles:
		problem = fmt.Sprintf("there are more than %d files of its kind", MaxFiles)
	case r.heads > maxHeads:
		problem = fmt.Sprintf("the heads of its kind are longer than %d KiB", maxHeads>>10)
	case r.bodies > maxBodies:
		problem = fmt.Sprintf("the files of its kind are longer than %d MiB", maxBodies>>20)
	default:
		return nil
	}
	r.full = true
	return &Error{File: path, Problem: problem}
}

// Full tells whether a file has found no room: others need not be read.
func (r *Room) Full() bool { return r.full }
