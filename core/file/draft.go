package file

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tempPrefix begins the names of files on their way to another name.
const tempPrefix = ".veyyon-"

// A draft is a file that is being written and then takes a name. Where the
// kernel can, it has none before, so that a crash leaves nothing of it; and
// while it has one that is not its last, it is locked, so that Sweep can tell
// it from what a crash has left.
type draft struct {
	*os.File
	dir  string
	temp string // its name so far, "" without one
}

// newDraft makes an empty file that belongs to the folder, with these permission
// bits less the umask.
func newDraft(dir string, perm fs.FileMode) (*draft, error) {
	d := &draft{dir: dir}
	var err error
	if d.File, err = unnamed(dir, perm); err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return d, err
	}
	name := d.newTemp()
	d.File, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err == nil {
		d.temp = name
		d.lock()
	}
	return d, err
}

func (d *draft) newTemp() string { return filepath.Join(d.dir, tempPrefix+rand.Text()) }

// lock is held until the file is closed. Without locks Sweep might take a draft
// for litter; then become fails.
func (d *draft) lock() { _ = unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// become gives the draft its name; isNew hopes that nothing has it yet.
func (d *draft) become(target string, isNew bool) error {
	if d.temp == "" && isNew {
		err := link(d.File, target)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if d.temp == "" {
		d.lock()
		name := d.newTemp()
		if err := link(d.File, name); err != nil {
			return err
		}
		d.temp = name
	}
	err := os.Rename(d.temp, target)
	if err == nil {
		d.temp = ""
	}
	return err
}

// discard closes the file, and removes it unless it has become another.
func (d *draft) discard() {
	if d.temp != "" {
		_ = os.Remove(d.temp) // no litter; the first error tells
	}
	_ = d.Close() // synced already, or of no use
}

// Sweep removes from the folder what writes that a crash has ended left there.
// Drafts of other processes are locked while they live, and stay.
func Sweep(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return // then nothing was written there either
	}
	defer func() { _ = folder.Close() }() // only read
	for {
		entries, err := folder.ReadDir(sweepBatch)
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasPrefix(name, tempPrefix) && len(name) == len(tempPrefix)+len(rand.Text()) && entry.Type().IsRegular() {
				removeLitter(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return // mostly the end
		}
	}
}

// sweepBatch is how many names of a folder are held at a time.
const sweepBatch = 256

func removeLitter(path string) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = os.Remove(path) // if not now, then the next time
	}
}
