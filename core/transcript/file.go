package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
)

var (
	// ErrNotSession means that a file is no session; it has not been changed. The
	// text is fixed (decisions 11).
	ErrNotSession = fault.New(fault.Invalid, "Not a session file")
	// ErrLocked means that another Log, here or in another process, has the file.
	ErrLocked = fault.New(fault.Busy, "the session is in use")
)

// appear makes the file, which must not exist yet, and its folder. It is locked
// and has been filled before anybody finds it; a kill or a failure leaves no part
// of it. A link planted at the path is refused.
func appear(path string, fill func(*os.File) error) (*os.File, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the sessions folder: %w", err)
	}
	d, err := file.NewDraft(dir, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the session file: %w", err)
	}
	if _, err = locked(d.File); err != nil {
		return nil, err
	}
	if err = fill(d.File); err == nil {
		err = appendOnly(d.File)
	}
	if err == nil {
		err = d.Appear(path)
	}
	if err != nil {
		d.Discard()
		return nil, fmt.Errorf("creating the session file: %w", err)
	}
	return d.File, nil
}

// appendOnly lets all writes go to the end from now on, whatever another program
// may have appended.
func appendOnly(f *os.File) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_APPEND)
	}
	return err
}

// open opens an existing file, locked. Anything but a regular file is refused,
// symlinks too: a session is written through the path that the host names.
func open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, fmt.Errorf("%w (it is a symbolic link; give the file it leads to)", notSession(path))
	case errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENXIO):
		return nil, notSession(path)
	case err != nil:
		return nil, fmt.Errorf("opening the session file: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		discard(f)
		return nil, notSession(path)
	}
	return locked(f)
}

// locked takes the kernel's lock on the file itself. It ends with the
// descriptor, so no crash leaves it behind and no lock file lies about; and it
// holds between two descriptors of one process too. On a file system without
// locks the file is used all the same.
func locked(f *os.File) (*os.File, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("%w: %s%s", ErrLocked, f.Name(), holder(f))
		discard(f)
		return nil, err
	}
	if err != nil {
		slog.Warn("the session file cannot be locked", "file", f.Name(), "err", err)
	}
	return f, nil
}

// holder names the process that has the lock, where the kernel tells.
func holder(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	table, err := os.ReadFile("/proc/locks") // Linux only
	if err != nil || !ok {
		return ""
	}
	device := uint64(stat.Dev)
	id := fmt.Sprintf("%02x:%02x:%d", unix.Major(device), unix.Minor(device), stat.Ino)
	for line := range strings.Lines(string(table)) {
		// 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF
		cols := strings.Fields(line)
		if len(cols) > 5 && cols[1] == "FLOCK" && cols[5] == id {
			return " (process " + cols[4] + ")"
		}
	}
	return ""
}

func notSession(path string) error { return fmt.Errorf("%w: %s", ErrNotSession, path) }

// appendLine adds one whole line in one write and returns where it begins. What a
// crash or another program left without a newline is ended first, so that the
// line stands on its own; what a full disk let through of it is cut off again.
func appendLine(f *os.File, line []byte) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := int64(len(line))
	if end := info.Size(); end > 0 {
		last := []byte{0}
		if _, err := f.ReadAt(last, end-1); err != nil {
			return 0, err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	n, err := f.Write(line)
	if err != nil {
		// When the file cannot be cut either, the next append ends the torn line.
		if info, failed := f.Stat(); n > 0 && failed == nil {
			_ = f.Truncate(info.Size() - int64(n)) // the first error tells
		}
		return 0, err
	}
	// The kernel says where it was put, should a program without regard for the
	// lock have appended meanwhile.
	end, err := f.Seek(0, io.SeekCurrent)
	return end - size, err
}

// writeSlot overwrites the first line of the file at path, which log appends to.
// It needs a descriptor of its own: on one that appends, Linux ignores the offset.
func writeSlot(path string, log *os.File, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer discard(f)
	mine, err := log.Stat()
	if err != nil {
		return err
	}
	if found, err := f.Stat(); err != nil || !os.SameFile(mine, found) {
		return fmt.Errorf("%s is another file now", path)
	}
	_, err = f.WriteAt(line, 0)
	return err
}

// discard closes a file whose contents do not hang on it.
func discard(f *os.File) {
	if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		slog.Debug("closing a file", "file", f.Name(), "err", err)
	}
}
