package tool

import (
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/host"
)

// MaxDiffed is how large a file may be, before and after, to be shown as a Diff,
// in bytes; of a larger one there is none.
const MaxDiffed = 1 << 20

// Texts is file.Texts for the calls of any session.
type Texts struct {
	Host host.Files
	// Own tells of files that belong to the session or to the program; nil of none.
	Own func(of Session, path string) bool
}

// For is how calls of a session read and write texts.
func (t Texts) For(of Session) file.Texts {
	texts := file.Texts{Host: t.Host}
	if t.Own != nil {
		texts.Own = func(path string) bool { return t.Own(of, path) }
	}
	return texts
}

// Changed notes in an output that a file has changed, for hosts that show it;
// nil is no file, and what is no text is not shown.
func Changed(out *Output, path string, before, after []byte, line int) {
	out.Locations = append(out.Locations, event.Location{Path: path, Line: line})
	if len(before) > MaxDiffed || len(after) > MaxDiffed || file.Binary(before) || file.Binary(after) {
		return
	}
	diff := event.Diff{Path: path}
	diff.New, _ = file.Printable(after)
	if before != nil {
		old, _ := file.Printable(before)
		diff.Old = &old
	}
	out.Diffs = append(out.Diffs, diff)
}
