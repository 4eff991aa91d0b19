package shell

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tree starts what is hard to end: children, a pipeline, processes that ignore
// TERM, that left the session, that lost their parent, and that forgot whose
// they are.
const tree = `trap '' TERM
sleep 71$MINE & sleep 72$MINE | cat & setsid sleep 73$MINE & (setsid sleep 74$MINE &) ; MINE=$MINE bash -c 'trap "" TERM INT; sleep 75$MINE & sleep 76$MINE; wait' &
(env -i /bin/sleep 77$MINE &) ; sh -c 'kill -STOP $$' & echo ready; while :; do sleep 1; done`

func abortAfter(t *testing.T, r *Runner, c Command, d time.Duration) Result {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	c.Dir = "/"
	result, err := r.Run(ctx, c)
	if err != nil {
		t.Error(err)
	}
	return result
}

func TestAbortEndsTheWholeTree(t *testing.T) {
	mine := fmt.Sprintf(".0%d", os.Getpid()) // a fraction of a second that tells our processes from others'
	line := "MINE=" + mine + "\n" + tree
	ways(t, func(t *testing.T, run func(Command) Result) {
		within(t, 2*time.Second, "the command", func() {
			if got := run(Command{Line: line, Timeout: 300 * time.Millisecond}); !got.TimedOut || !strings.Contains(got.Output, "ready") {
				t.Errorf("got %+v", got)
			}
		})
		waitFor(t, "reaping", func() bool { // also of spares that are no longer needed
			return !slices.ContainsFunc(processes(), func(p processStat) bool { return p.parent == os.Getpid() && p.state == 'Z' })
		})
		for process := range strings.Lines(ps(t)) {
			if strings.Contains(process, mine) {
				t.Errorf("left behind: %s", process)
			}
		}
	})
}

func ps(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "pid,ppid,sid,stat,args").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestGentleProcessEndsByItselfWithinTheGrace(t *testing.T) {
	r := newRunner(t, Options{Grace: 5 * time.Second})
	within(t, 2*time.Second, "the command", func() {
		got := abortAfter(t, r, Command{Line: `trap 'echo cleaned up; exit' TERM; echo begun; while :; do sleep 0.05; done`}, 200*time.Millisecond)
		if want := "[Command cancelled]\nbegun\n"; !strings.HasPrefix(got.Output, want) || !strings.HasSuffix(got.Output, "cleaned up\n") {
			t.Errorf("got %q", got.Output)
		}
	})
}

func TestAbortAtAnyMomentLeavesNothing(t *testing.T) {
	r := newRunner(t, Options{Grace: 20 * time.Millisecond})
	lines := []string{
		"sleep 71", "setsid sleep 71 & (setsid sleep 71 &); true", "trap '' TERM; sleep 71 | cat", "true", "yes", "sleep 0.01; bash -c 'sleep 71 & sleep 71'",
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 50 {
				c := Command{Line: lines[(i+worker)%len(lines)], Terminal: rand.IntN(4) == 0}
				if rand.IntN(4) == 0 {
					c.Timeout = time.Duration(1+rand.IntN(20)) * time.Millisecond // and perhaps at once with the abort
				}
				got := abortAfter(t, r, c, time.Duration(rand.IntN(20))*time.Millisecond)
				if got.Cancelled != (got.ExitCode == nil) {
					t.Errorf("%q gave %+v", c.Line, got)
				}
			}
		})
	}
	all.Wait()
	// Commands that ended before the abort may have left something on purpose.
	_ = r.Close(t.Context())
	if left := r.members(); len(left) > 0 {
		t.Errorf("left behind %v:\n%s", left, ps(t))
	}
}

func TestManyCommandsAtOnceAreEndedByTheirOwnAbort(t *testing.T) {
	r := newRunner(t, Options{})
	var all sync.WaitGroup
	for n := range 30 {
		all.Go(func() {
			if n%2 == 0 {
				if got := do(t, r, Command{Line: "sleep 0.5; echo $((6*7))"}); got.Output != "42\n" {
					t.Errorf("got %+v", got)
				}
			} else if got := abortAfter(t, r, Command{Line: "sleep 71 | cat"}, 250*time.Millisecond); !got.Cancelled {
				t.Errorf("got %+v", got)
			}
		})
	}
	within(t, 4*time.Second, "thirty commands", all.Wait)
}

func TestCloseEndsWhatRuns(t *testing.T) {
	r := newRunner(t, Options{})
	begun := make(chan bool, 1)
	var got Result
	var all sync.WaitGroup
	all.Go(func() {
		got, _ = r.Run(t.Context(), Command{Line: tree, Dir: "/", Output: func(string) {
			select {
			case begun <- true:
			default:
			}
		}})
	})
	<-begun
	within(t, 2*time.Second, "Close", func() { _ = r.Close(t.Context()) })
	all.Wait()
	if !got.Cancelled {
		t.Errorf("got %+v", got)
	}
}

func TestNothingLeaksInAHundredRuns(t *testing.T) {
	r := newRunner(t, Options{})
	run := func() {
		do(t, r, Command{Line: "sleep 20 & echo done"})
		do(t, r, Command{Line: "setsid sleep 0.01 & echo done", Terminal: true})
		abortAfter(t, r, Command{Line: "sleep 20 | cat"}, 2*time.Millisecond)
	}
	run()
	waitFor(t, "calm", func() bool { return r.spareCount() >= minSpares })
	files, routines := openFiles(t), runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 10 {
				run()
			}
		})
	}
	all.Wait()
	waitFor(t, "end of the spares", func() bool { return r.spareCount() == 0 })
	waitFor(t, "end of their goroutines", func() bool { return runtime.NumGoroutine() <= routines })
	waitFor(t, "end of their files", func() bool { return openFiles(t) <= files })
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func TestSparesComeWithTheLoadAndGoWithIt(t *testing.T) {
	r := newRunner(t, Options{})
	if n := r.spareCount(); n != 0 {
		t.Errorf("%d spares before the first command", n)
	}
	do(t, r, Command{Line: "true"})
	waitFor(t, "two spares", func() bool { return r.spareCount() == minSpares })
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { do(t, r, Command{Line: "sleep 0.1"}) })
	}
	all.Wait()
	waitFor(t, "a stock for as many", func() bool { return r.spareCount() > maxInARow })
	for range maxSpares + 10 {
		all.Go(func() { do(t, r, Command{Line: "sleep 1"}) })
	}
	all.Wait()
	// A slow machine may not fill the stock before it is called off.
	waitFor(t, "large stock", func() bool {
		n := r.spareCount()
		if n > maxSpares {
			t.Fatalf("%d spares", n)
		}
		return n > maxInARow
	})
	waitFor(t, "empty stock", func() bool { return r.spareCount() == 0 })
	waitFor(t, "process gone", func() bool { return len(r.members()) == 0 })
}

func TestNoSparesWhereNoneAreWanted(t *testing.T) {
	r := newRunner(t, Options{Spares: -1})
	do(t, r, Command{Line: "true"})
	do(t, r, Command{Line: "sleep 1.7"}) // longer than a window
	if n := r.spareCount(); n != 0 {
		t.Errorf("%d spares", n)
	}
}

func TestKilledSpareIsNotUsed(t *testing.T) {
	r := newRunner(t, Options{})
	do(t, r, Command{Line: "true"})
	waitFor(t, "two spares", func() bool { return r.spareCount() == minSpares })
	family{mark: runVar + "=" + r.spawner.name}.end(0)
	waitFor(t, "reaping", func() bool { return len(r.members()) == 0 })
	if got := do(t, r, Command{Line: "echo well"}); got.Output != "well\n" {
		t.Errorf("got %+v", got)
	}
}

func TestFloodCostsBoundedMemory(t *testing.T) {
	r := newRunner(t, Options{})
	do(t, r, Command{Line: "true"})
	before := peakRSS(t)
	got := do(t, r, Command{Line: "head -c 200000000 /dev/zero | tr '\\0' x", Output: func(string) {}})
	if got.TotalBytes != 200_000_000 || !got.Truncated || len(got.Output) > 80<<10 {
		t.Errorf("%d bytes in all, %d kept", got.TotalBytes, len(got.Output))
	}
	limit := 32 << 10
	if raceEnabled {
		limit *= 4
	}
	if grown := peakRSS(t) - before; grown > limit {
		t.Errorf("the peak grew by %d KiB", grown)
	}
}

func peakRSS(t *testing.T) int {
	t.Helper()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // reset the peak
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	return pids(t, strings.Fields(rest)[0])[0]
}

// serveForTest is what TestMain runs when this binary is the server to be killed.
func serveForTest() {
	r := New(Options{Env: os.Environ()})
	_, _ = r.Run(context.Background(), Command{Line: "true", Dir: "/"})
	_, _ = r.Run(context.Background(), Command{Line: "echo $$ > \"$OUT\"; mkfifo \"$OUT.f\"; read x < \"$OUT.f\"", Dir: "/"})
}

func TestShellsDieWithAKilledServer(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pid")
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), "SHELL_TEST_SERVER=1", "OUT="+out)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "a command that runs", func() bool { _, err := os.Stat(out + ".f"); return err == nil })
	var shells []int
	waitFor(t, "spares", func() bool {
		shells = nil
		for _, p := range processes() {
			if p.parent == server.Process.Pid {
				shells = append(shells, p.pid)
			}
		}
		return len(shells) == 1+minSpares
	})
	_ = server.Process.Kill()
	_ = server.Wait()
	for _, pid := range shells {
		waitFor(t, "end of a shell", func() bool { return !running(pid) })
	}
	reapAdopted()
}

func TestShellStartedByAnotherIsNotReaped(t *testing.T) {
	r := newRunner(t, Options{})
	other := exec.Command("/bin/sh", "-c", "echo; exit 5")
	pipe, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = bufio.NewReader(pipe).ReadString('\n')
	waitFor(t, "its end", func() bool { return stateOf(other.Process.Pid) == 'Z' })
	do(t, r, Command{Line: "sleep 0.01 & true"})
	abortAfter(t, r, Command{Line: "sleep 20 | cat"}, 2*time.Millisecond)
	if _ = other.Wait(); other.ProcessState == nil || other.ProcessState.ExitCode() != 5 {
		t.Errorf("got %v", other.ProcessState)
	}
}
