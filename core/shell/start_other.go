//go:build !linux

package shell

import "syscall"

// sysProcAttr gives the shell a session of its own, so that it has a process
// group to signal and no controlling terminal.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
