package transcript

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ends is a file whose ends are read. It is a bare descriptor: for a page of
// them, what an os.File costs (its poller and its finalizer) would be as much as
// reading.
type ends int

func openEnds(path string) (ends, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return -1, fmt.Errorf("opening %s: %w", path, err)
		}
		return ends(fd), nil
	}
}

func (f ends) close() { _ = unix.Close(int(f)) } // nothing was written

// read returns what there is of a part of the file, in buf.
func (f ends) read(from, size int64, buf *[]byte) ([]byte, error) {
	if int64(cap(*buf)) < size {
		*buf = make([]byte, size)
	}
	part := (*buf)[:0]
	for int64(len(part)) < size {
		n, err := unix.Pread(int(f), part[len(part):size], from+int64(len(part)))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, fmt.Errorf("reading the ends of a session: %w", err)
		case n == 0: // it has become shorter
			return part, nil
		default:
			part = part[:len(part)+n]
		}
	}
	return part, nil
}
