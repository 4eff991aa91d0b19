//go:build !linux

package shell

import (
	"syscall"
	"time"
)

// killWait bounds the wait for processes that were killed.
const killWait = time.Second

// lookAgain is how often end looks whether a group is gone; there is nothing to
// wait on.
const lookAgain = 10 * time.Millisecond

// A family is the process groups of shells. A process that made a group of its
// own is not found here.
type family struct {
	sessions []int
	mark     string // of use on Linux only
}

// end asks the groups to end, kills those that live on after the grace, and
// returns when none is left.
func (f family) end(grace time.Duration) {
	f.signal(syscall.SIGTERM)
	if f.gone(time.Now().Add(grace)) {
		return
	}
	f.signal(syscall.SIGKILL)
	f.gone(time.Now().Add(killWait))
}

func (f family) signal(s syscall.Signal) {
	for _, id := range f.sessions {
		_ = syscall.Kill(-id, s)
		_ = syscall.Kill(-id, syscall.SIGCONT)
	}
}

func (f family) gone(deadline time.Time) bool {
	for _, id := range f.sessions {
		for survives(id) {
			if time.Now().After(deadline) {
				return false
			}
			time.Sleep(lookAgain)
		}
	}
	return true
}

// survives tells whether a group has members.
func survives(session int) bool { return syscall.Kill(-session, 0) == nil }
