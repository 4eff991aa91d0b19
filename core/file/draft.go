package file

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// tempPrefix begins the names of files on their way to another name.
const tempPrefix = ".veyyon-"

// A Draft is a file that is being written and then takes a name. Where the
// kernel can, it has none before, so that a crash leaves nothing of it; and
// while it has one that is not its last, it is locked, so that Sweep can tell
// it from what a crash has left. One goroutine only.
type Draft struct {
	*os.File
	dir  string
	temp string // its name so far, "" without one
}

// NewDraft makes an empty file that belongs to the folder, with these permission
// bits less the umask.
func NewDraft(dir string, perm fs.FileMode) (*Draft, error) {
	d := &Draft{dir: dir}
	var err error
	if d.File, err = unnamed(dir, perm); err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return d, err
	}
	// Not in the nursery: it might be behind another mount, and then the draft
	// could not move from there.
	Sweep(dir)
	name := newTemp(dir)
	d.File, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err == nil {
		d.temp = name
		d.lock()
	}
	return d, err
}

func newTemp(dir string) string { return filepath.Join(dir, tempPrefix+rand.Text()) }

// lock is held until the file is closed. Without locks Sweep might take a draft
// for litter; then Become fails.
func (d *Draft) lock() { _ = unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// Appear gives the draft a name that nothing has yet; the error of one that is
// taken Is fs.ErrExist.
func (d *Draft) Appear(path string) error {
	if d.temp == "" {
		return link(d.File, path)
	}
	err := os.Link(d.temp, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return err
	case err != nil: // a file system without links
		err = os.Rename(d.temp, path)
	default:
		err = os.Remove(d.temp)
	}
	if err == nil {
		d.temp = ""
	}
	return err
}

// Become gives the draft its name, and replaces what has it.
func (d *Draft) Become(path string) error {
	if d.temp == "" {
		d.lock()
		if err := d.linkTemp(); err != nil {
			return err
		}
	}
	err := os.Rename(d.temp, path)
	if err == nil {
		d.temp = ""
	}
	return err
}

// linkTemp names the draft in its nursery, or in its own folder when that is
// behind another mount or takes no files.
func (d *Draft) linkTemp() error {
	home := nursery(d.dir)
	d.temp = newTemp(home)
	err := link(d.File, d.temp)
	if err != nil && home != d.dir {
		Sweep(d.dir)
		d.temp = newTemp(d.dir)
		err = link(d.File, d.temp)
	}
	if err != nil {
		d.temp = ""
	}
	return err
}

// Discard closes the file, and removes it unless it has its name.
func (d *Draft) Discard() {
	if d.temp != "" {
		_ = os.Remove(d.temp) // no litter; the first error tells
	}
	_ = d.Close() // synced already, or of no use
}
