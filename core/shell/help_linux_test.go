package shell

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// stateOf is a process's state letter, 0 when there is none.
func stateOf(pid int) byte {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	p, _ := parseStat(pid, string(raw))
	return p.state
}

func exists(pid int) bool  { return stateOf(pid) != 0 }
func running(pid int) bool { return stateOf(pid) != 0 && stateOf(pid) != 'Z' }

// members are the processes of the runner, dead ones that nobody reaped too.
func (r *Runner) members() []int {
	all := family{mark: runVar + "=" + r.spawner.name}.alive()
	for _, p := range processes() {
		if p.state == 'Z' && p.parent == os.Getpid() {
			all = append(all, p.pid)
		}
	}
	slices.Sort(all)
	return all
}

func (r *Runner) spareCount() int {
	n := make(chan int, 1)
	r.ops <- func(k *keeper) { n <- len(k.spares) }
	return <-n
}

// waitFor waits for what no event tells of.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after a minute", what)
		}
	}
}
