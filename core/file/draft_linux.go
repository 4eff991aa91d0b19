package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unnamed makes a file without a name. The error Is errors.ErrUnsupported where
// the file system has none.
func unnamed(dir string, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, perm)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
		return nil, errors.ErrUnsupported
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(named(f)); err != nil { // without /proc it could never get a name
		_ = f.Close()
		return nil, errors.ErrUnsupported
	}
	return f, nil
}

// named is the way to a file that has no name.
func named(f *os.File) string { return filepath.Join("/proc/self/fd", fmt.Sprint(f.Fd())) }

// link gives a file without a name a name that nothing has. It goes through
// /proc, since the direct way takes a privilege.
func link(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, named(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.PathError{Op: "link", Path: path, Err: err}
	}
	return nil
}
