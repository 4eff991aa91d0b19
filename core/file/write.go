package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrReadOnly means that the file may not be changed; it is untouched.
var ErrReadOnly = errors.New("the file is read-only")

// Write makes data the content of target, which is what Target returned.
//
// The content goes to a new file, which then takes the name of the old one:
// whoever looks sees the old content or the new, also after a crash, and a
// failure leaves no trace, nor does a crash for longer than up to the next
// Sweep. Permission bits and owner are kept; a new file gets the usual bits.
//
// A file that has several names (hard links), whose owner could not be kept, or
// whose directory takes no new files is written in place instead, so that it
// stays the same file: a failed write puts the old content back, but a crash in
// the middle can leave a part.
//
// Errors that can be told apart: ErrReadOnly, ErrIrregular, fs.ErrNotExist for a
// missing directory. Writers of one file take turns through Locks.
func Write(target string, data []byte) error {
	old, err := writable(target)
	switch {
	case err != nil:
		return err
	case old == nil:
		return replace(target, data, nil)
	case status(old).Nlink > 1:
		return overwrite(target, data)
	}
	err = replace(target, data, old)
	if errors.Is(err, errUnsuited) {
		return overwrite(target, data)
	}
	return err
}

// writable is what is known of a file that may be written; nil when there is none
// yet.
func writable(target string) (fs.FileInfo, error) {
	old, err := os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := regular(target, old); err != nil {
		return nil, err
	}
	if old.Mode().Perm()&0o222 == 0 || unix.Access(target, unix.W_OK) != nil {
		return nil, fmt.Errorf("writing %s: %w", target, ErrReadOnly)
	}
	return old, nil
}

// errUnsuited means that the file cannot be replaced as itself.
var errUnsuited = errors.New("the file cannot be replaced")

// replace writes a new file and renames it; old is nil when there is none yet.
func replace(target string, data []byte, old fs.FileInfo) error {
	perm := fs.FileMode(0o666) // less the umask
	if old != nil {
		perm = 0o600 // until the owner is set
	}
	d, err := NewDraft(filepath.Dir(target), perm)
	if err != nil {
		if old != nil && (errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS)) {
			return errUnsuited
		}
		return fmt.Errorf("writing %s: %w", target, cause(err))
	}
	defer d.Discard()
	err = fill(d.File, data, old)
	if err == nil {
		err = d.name(target, old == nil)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", target, cause(err))
	}
	return nil
}

// Put makes data the content of path, a file of the program's own, as Write
// does; a new file has these permission bits, less the umask, and one that was
// there is replaced.
func Put(path string, data []byte, perm fs.FileMode) error {
	return Make(path, perm, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// Make is Put of what write writes, which may be more than memory should hold.
// When write fails the file stays as it was.
func Make(path string, perm fs.FileMode, write func(io.Writer) error) error {
	d, err := NewDraft(filepath.Dir(path), perm)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	defer d.Discard()
	if err = write(d.File); err == nil {
		err = d.Sync()
	}
	if err == nil {
		err = d.name(path, true)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// name gives the draft its name; isNew hopes that nothing has it yet.
func (d *Draft) name(path string, isNew bool) error {
	if isNew {
		if err := d.Appear(path); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return d.Become(path)
}

func fill(f *os.File, data []byte, old fs.FileInfo) error {
	if old != nil {
		if was, is := status(old), ownerOf(f); was.Uid != is.Uid || was.Gid != is.Gid {
			if f.Chown(int(was.Uid), int(was.Gid)) != nil {
				return errUnsuited
			}
		}
		const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
		if err := f.Chmod(old.Mode() & (fs.ModePerm | special)); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// overwrite writes into the file as it stands.
func overwrite(target string, data []byte) error {
	f, err := os.OpenFile(target, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("writing %s: %w", target, cause(err))
	}
	before, err := io.ReadAll(f)
	if err == nil {
		if err = setContent(f, data); err != nil {
			err = errors.Join(err, setContent(f, before))
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", target, cause(err))
	}
	return nil
}

func setContent(f *os.File, data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	return f.Sync()
}

// status is what Unix knows of a file.
func status(info fs.FileInfo) *syscall.Stat_t {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s
	}
	return &syscall.Stat_t{}
}

func ownerOf(f *os.File) *syscall.Stat_t {
	if info, err := f.Stat(); err == nil {
		return status(info)
	}
	return &syscall.Stat_t{}
}

// cause leaves out the path an error repeats, which may be the temporary one.
func cause(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	if linkErr := (*os.LinkError)(nil); errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}
