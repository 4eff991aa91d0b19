package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reopen opens the pipe behind a descriptor once more, without blocking, so that
// the runtime's poller waits for it and not a thread: a blocked thread would
// take the processor with it and the next stage would wait for another one to
// wake up. A copy of the descriptor would share its flags with whoever else
// holds the pipe. ok is false for anything but a pipe, and for a FIFO that was
// opened for both reading and writing: its host means it to have no end.
func reopen(fd, mode int, name string) (file *os.File, ok bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, false
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_ACCMODE != mode {
		return nil, false
	}
	opened, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), mode|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	return os.NewFile(uintptr(opened), name), true
}
