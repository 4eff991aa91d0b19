package shell

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

var adopting atomic.Bool

// Adopt makes processes whose parents died become children of this one instead
// of init's, so that what commands leave behind can be found and is reaped. It
// must be called from an init function of package main.
//
// It binds the main goroutine to the main thread for good. The kernel gives
// orphans to the main thread; since no other goroutine runs there, the children
// of that thread are exactly the adopted ones, and reaping them takes no child
// away from an exec.Cmd. Therefore the main goroutine must not start processes.
//
// It also keeps to ourselves what our own parent left open beyond stderr.
func Adopt() error {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // best effort: Linux 5.11
	runtime.LockOSThread()
	if unix.Gettid() != os.Getpid() {
		runtime.UnlockOSThread()
		return errors.New("adopting orphans: not called from an init function")
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("adopting orphans: %w", err)
	}
	adopting.Store(true)
	return nil
}

// reapAdopted reaps the adopted orphans that have ended, and counts the others.
// Safe for concurrent use.
func reapAdopted() (alive int) {
	if !adopting.Load() {
		return 0
	}
	pid := strconv.Itoa(os.Getpid())
	list, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	if err != nil {
		return 0 // a kernel without this file: orphans stay zombies until we exit
	}
	for child := range strings.FieldsSeq(string(list)) {
		if orphan, err := strconv.Atoi(child); err == nil {
			if got, err := unix.Wait4(orphan, nil, unix.WNOHANG, nil); got == 0 && err == nil {
				alive++
			} // else reaped, if only by another Runner
		}
	}
	return alive
}
