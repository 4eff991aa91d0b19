package shell

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// killWait bounds the wait for processes that were killed; what the kernel
// cannot end by then (a hung file system) is left to it.
const killWait = time.Second

// lookAgain is how soon to look at the processes again where there is nothing to
// wait on.
const lookAgain = 5 * time.Millisecond

// A family is all that one or more shells started and that still lives: the
// processes of their sessions, those that carry their mark, and the descendants
// of either.
type family struct {
	sessions []int
	mark     string // how their entry in the environment begins, with the NUL that ends it or without
}

// end asks the members to end, kills those that live on after the grace, and
// returns when none is left.
func (f family) end(grace time.Duration) {
	told := map[int]bool{}
	deadline := time.Now().Add(grace)
	for time.Now().Before(deadline) {
		alive := f.alive()
		if len(alive) == 0 {
			return
		}
		for _, pid := range alive {
			if !told[pid] { // once: a second signal may cut short how it cleans up
				told[pid] = true
				_ = unix.Kill(pid, unix.SIGTERM)
				_ = unix.Kill(pid, unix.SIGCONT) // a stopped process hears nothing
			}
		}
		awaitExits(alive, deadline)
	}
	for deadline = time.Now().Add(killWait); time.Now().Before(deadline); {
		alive := f.alive()
		if len(alive) == 0 {
			return
		}
		for _, pid := range alive {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		awaitExits(alive, deadline)
	}
}

// survives tells whether a session has members.
func survives(session int) bool { return unix.Kill(-session, 0) == nil }

// alive lists the members, and reaps those that ended and are ours to reap.
func (f family) alive() []int {
	all := census()
	in := map[int]bool{}
	for _, p := range all {
		if slices.Contains(f.sessions, p.session) || f.mark != "" && strings.HasPrefix(p.mark, f.mark) {
			in[p.pid] = true
		}
	}
	for grown := len(in) > 0; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] {
				in[p.pid], grown = true, true
			}
		}
	}
	var alive []int
	for _, p := range all {
		if in[p.pid] && p.state != 'Z' && p.state != 'X' {
			alive = append(alive, p.pid)
		}
	}
	reapAdopted()
	return alive
}

// awaitExits returns when all of these processes have ended, or at the deadline.
func awaitExits(pids []int, deadline time.Time) {
	var polls []unix.PollFd
	defer func() {
		for _, p := range polls {
			_ = unix.Close(int(p.Fd))
		}
	}()
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		switch {
		case err == nil:
			polls = append(polls, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		case err != unix.ESRCH: // no descriptor left, or a kernel before 5.3
			time.Sleep(lookAgain)
			return
		}
	}
	for i := range polls {
		for {
			left := time.Until(deadline)
			if left <= 0 {
				return
			}
			if _, err := unix.Poll(polls[i:i+1], int(left.Milliseconds())+1); err != unix.EINTR {
				break
			}
		}
	}
}
