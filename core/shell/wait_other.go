//go:build !linux

package shell

import "os"

// wait waits until the process has ended and reaps it.
func wait(p *os.Process) (*os.ProcessState, error) { return p.Wait() }
