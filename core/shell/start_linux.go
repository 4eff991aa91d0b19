package shell

import "syscall"

// sysProcAttr gives the shell a session of its own, so that it has a process
// group to signal and no controlling terminal, and lets it die with us.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
