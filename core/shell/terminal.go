package shell

import (
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// The size of the terminal a command sees.
const terminalRows, terminalColumns = 40, 120

// openTerminal makes a terminal. The pty package leaves our end blocking, so
// that closing it would not end a read; a copy of the descriptor goes to the
// poller instead.
func openTerminal() (ours, theirs *os.File, err error) {
	master, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer master.Close()
	_ = pty.Setsize(master, &pty.Winsize{Rows: terminalRows, Cols: terminalColumns}) // 0×0 serves, too
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), master.Name()), theirs, nil
}
