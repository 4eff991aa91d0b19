package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/frontmatter"
)

// maxFile bounds a file of instructions, in bytes; of a larger one the
// beginning is told, and where the rest is.
const maxFile = 64 << 10

// A stamp is what a path led to when it was looked at; nil is nothing.
type stamp struct {
	path string
	info fs.FileInfo
}

// changed tells whether the path leads to something else now.
func (s stamp) changed() bool {
	info, err := os.Stat(s.path)
	if err != nil || s.info == nil {
		return (err == nil) != (s.info != nil)
	}
	return !os.SameFile(info, s.info) || !info.ModTime().Equal(s.info.ModTime()) || info.Size() != s.info.Size() || info.Mode() != s.info.Mode()
}

// A reader reads files and remembers what it has looked at.
type reader struct {
	stamps []stamp
	faults []error
}

func (r *reader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf(format, args...))
}

// look remembers what there is at the path, and returns it; nil is nothing.
func (r *reader) look(path string) (there fs.FileInfo) {
	there, err := os.Stat(path)
	if err != nil {
		there = nil
	}
	r.stamps = append(r.stamps, stamp{path, there})
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		r.faults = append(r.faults, err)
	}
	return there
}

// folder remembers a folder and its files that end so.
func (r *reader) folder(path string, extensions ...string) {
	if r.look(path) == nil {
		return
	}
	files, _ := frontmatter.Files(path, extensions...) // whoever reads them tells what is wrong
	for _, name := range files {
		r.look(name)
	}
}

// astray is wrong with a file of a project that is not there.
const astray = "%s: it leads out of %s, so it is passed over"

// text is what a file says, trimmed; "" when there is none, or when it cannot be
// used, which is a fault. A file of a project must lie within its root, wherever
// links lead: a repository must not choose what of the disk a model sees.
func (r *reader) text(path, within string) string {
	if r.look(path) == nil {
		return ""
	}
	if within != "" && !file.Within(path, within) {
		r.fault(astray, path, within)
		return ""
	}
	f, info, err := file.Open(path)
	if err != nil {
		r.faults = append(r.faults, err)
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		r.fault("reading %s: %w", path, err)
		return ""
	case bytes.IndexByte(raw, 0) >= 0:
		r.fault("%s: it is no text, so it is passed over", path)
		return ""
	case len(raw) > maxFile:
		r.fault("%s: of its %d KiB only the first %d are used", path, info.Size()>>10, maxFile>>10)
		return tidy(string(raw[:maxFile])) + leftOut(path)
	}
	return tidy(string(raw))
}

// leftOut is said where the rest of a file is not told.
func leftOut(path string) string {
	return "\n[The rest is left out here: read " + oneLine(path) + " when you need it.]"
}

// tidy makes text of bytes: what is no UTF-8 is replaced, lines end as usual.
func tidy(text string) string {
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "\ufffd")
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// repository finds the root of the git repository that a folder belongs to; a
// folder without one is its own root.
func repository(dir string) (root string, found bool) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, true
		}
		if at == filepath.Dir(at) {
			return dir, false
		}
	}
}
