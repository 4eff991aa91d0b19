package shell

import (
	"os"

	"golang.org/x/sys/unix"
)

// wait waits until the process has ended and reaps it. With a pidfd the
// goroutine is parked by the poller; Process.Wait would block a thread for each
// shell, also for those that only wait for a command.
func wait(p *os.Process) (*os.ProcessState, error) {
	fd := -1
	err := p.WithHandle(func(handle uintptr) { fd, _ = unix.FcntlInt(handle, unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil || fd < 0 || unix.SetNonblock(fd, true) != nil { // a kernel before 5.10
		return p.Wait()
	}
	handle := os.NewFile(uintptr(fd), "pidfd")
	defer handle.Close()
	if raw, err := handle.SyscallConn(); err == nil {
		_ = raw.Read(func(uintptr) bool { return hasExited(p.Pid) })
	}
	return p.Wait()
}

// hasExited tells whether a child waits to be reaped.
func hasExited(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err != nil && err != unix.EINTR || info.Signo != 0
}
