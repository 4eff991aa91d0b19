package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitReaderGone returns true once nobody is left who could read what is written
// to the pipe out, and false when that cannot be known: a host that has gone is
// then noticed by the next write. The poller waits, no thread. It ends with the
// process at the latest.
func awaitReaderGone(out *os.File) bool {
	raw, err := out.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Read(func(fd uintptr) bool { // nothing is read; an error wakes readers too
		state := []unix.PollFd{{Fd: int32(fd)}}
		_, err := unix.Poll(state, 0)
		return err == nil && state[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return err == nil
}
