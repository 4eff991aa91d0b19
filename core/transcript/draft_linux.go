package transcript

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// draftFile makes a file in the folder that has no name yet, so that nothing of
// it stays when the process is killed; publish gives it one. On a file system
// that cannot do so it has one from the beginning.
func draftFile(dir, path string) (*draft, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|os.O_APPEND|unix.O_TMPFILE, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EINVAL) {
		return namedDraft(path)
	}
	if err != nil {
		return nil, fmt.Errorf("creating the session file: %w", err)
	}
	own := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if _, err := os.Lstat(own); err != nil {
		discard(f)
		return namedDraft(path) // without /proc it would never get a name
	}
	return &draft{file: f, publish: func() error {
		return unix.Linkat(unix.AT_FDCWD, own, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	}, drop: func() { discard(f) }}, nil
}
