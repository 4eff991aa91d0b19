package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrIrregular is what is wrong with directories, pipes, devices and sockets:
// they are refused before they are opened, since opening can hang or do harm.
var ErrIrregular = errors.New("not a regular file")

// descriptors are names of what this process has open. Its standard input is the
// host's, also when that is a regular file.
var descriptors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/dev/(std(in|out|err)|fd/)|^/proc/(self|thread-self)/fd/`)
})

// Open opens a regular file for reading. Anything else gives ErrIrregular with
// the kind of thing it is, and is not opened.
func Open(path string) (*os.File, fs.FileInfo, error) {
	if descriptors().MatchString(path) {
		return nil, nil, fmt.Errorf("%s is a descriptor of this process, %w", path, ErrIrregular)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, nil, err
	}
	// A pipe may have taken the file's place since: O_NONBLOCK keeps that from
	// hanging, and the second look from reading it.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		_ = f.Close() // read only; the first error tells
		return nil, nil, err
	}
	return f, info, nil
}

// regular returns nil for a regular file, and an error that is ErrIrregular and
// names the kind for anything else.
func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s, %w", path, kind(info.Mode()), ErrIrregular)
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "something special"
	}
}
