package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// takeStdio keeps the real stdin and stdout for the protocol and gives the
// descriptors 0 and 1 another meaning: nothing to read, and stderr. So whatever
// else writes to "stdout", in this process or in a child, cannot reach the
// host, and no child can read its frames.
func takeStdio() (in, out *os.File, err error) {
	if in, err = keep(0, os.O_RDONLY, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = keep(1, os.O_WRONLY, "stdout"); err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = null.Close() }() // read only
	if err := unix.Dup2(int(null.Fd()), 0); err != nil {
		return nil, nil, fmt.Errorf("giving up stdin: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, nil, fmt.Errorf("giving up stdout: %w", err)
	}
	// os.Stdout stays as it is: it writes to 1, which is stderr now. Were it
	// replaced, its finalizer would close 1, and any file opened next be "stdout".
	return in, out, nil
}

// keep makes a copy of a descriptor that no child inherits; of a pipe, where that
// is possible, one that the runtime's poller waits for.
func keep(fd, mode int, name string) (*os.File, error) {
	if file, ok := reopen(fd, mode, name); ok {
		return file, nil
	}
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("%s is not open: %w", name, err)
	}
	return os.NewFile(uintptr(copied), name), nil
}
