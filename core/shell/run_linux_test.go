package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newRunner(t *testing.T, o Options) *Runner {
	t.Helper()
	if o.Env == nil {
		o.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "LANG=C.UTF-8"}
	}
	r := New(o)
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if left := r.members(); len(left) > 0 {
			t.Errorf("after Close there are %v", left)
		}
	})
	return r
}

func do(t *testing.T, r *Runner, c Command) Result {
	t.Helper()
	if c.Dir == "" {
		c.Dir = "/"
	}
	result, err := r.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("%.80q: %v", c.Line, err)
	}
	return result
}

func code(n int) *int { return &n }

// within fails the test when f takes longer; three times that with the race
// detector, whose runs share the machine with others.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	if raceEnabled {
		limit *= 3
	}
	begin := time.Now()
	f()
	if took := time.Since(begin); took > limit {
		t.Errorf("%s took %v, want at most %v", what, took, limit)
	}
}

// ways runs f with a fresh shell each time, with spares, and with a terminal.
func ways(t *testing.T, f func(t *testing.T, run func(Command) Result)) {
	for name, o := range map[string]Options{"fresh": {Spares: -1}, "spare": {}, "terminal": {}} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, o)
			if name == "spare" {
				do(t, r, Command{Line: "true"})
				waitFor(t, "a spare", func() bool { return r.spareCount() > 0 })
			}
			f(t, func(c Command) Result {
				c.Terminal = name == "terminal"
				return do(t, r, c)
			})
		})
	}
}

func TestCommandGivesOutputExitCodeAndSizes(t *testing.T) {
	long := "echo " + strings.Repeat("x", 300_000)
	ways(t, func(t *testing.T, run func(Command) Result) {
		for _, c := range []struct {
			line, output string
			code         int
		}{
			{"echo hello", "hello\n", 0},
			{"echo out; echo err >&2; exit 3", "out\nerr\n", 3},
			{"pwd -P", "/\n", 0},
			{`printf 'gr\303\274n "q" \\'`, `grün "q" \`, 0},
			{"true", "", 0},
			{"", "", 0},
			{"# nothing", "", 0},
			{"false", "", 1},
			{"set -e\nfalse\necho no", "", 1},
			{"cat <<X\na $((1+1))\nX\necho b", "a 2\nb\n", 0},
			{"echo a\x00b", "ab\n", 0},
			{"kill -9 $$", "", 128 + 9},
			{"trap 'echo bye' EXIT; exit 7", "bye\n", 7},
			{`echo $0 $- $# $LINENO "$BASH_EXECUTION_STRING"`, `/bin/bash hBc 0 1 echo $0 $- $# $LINENO "$BASH_EXECUTION_STRING"` + "\n", 0},
			{"no-such-program", "/bin/bash: line 1: no-such-program: command not found\n", 127},
			{long, long[5:25], 0},
			{"exec echo replaced", "replaced\n", 0},
		} {
			got := run(Command{Line: c.line})
			if shell := strings.SplitN(c.output, " ", 2)[0]; shell == "/bin/bash" || shell == "/bin/bash:" {
				got.Output = strings.Replace(got.Output, "/usr/bin/bash", "/bin/bash", 1)
				got.OutputBytes, got.TotalBytes = len(c.output), len(c.output)
			}
			if c.line == long {
				if got.TotalBytes != len(long)-4 || !got.Truncated || !strings.HasPrefix(got.Output, c.output) {
					t.Errorf("a long command gave %d bytes, truncated: %v", got.TotalBytes, got.Truncated)
				}
				continue
			}
			want := Result{Output: c.output, ExitCode: code(c.code), WorkingDir: "/", TotalBytes: len(c.output), OutputBytes: len(c.output)}
			if c.output != "" {
				want.TotalLines = strings.Count(c.output, "\n") + 1
				want.OutputLines = want.TotalLines
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: %s", c.line, diff)
			}
		}
	})
}

func TestSyntaxErrorExitsWithTwoAndSaysWhere(t *testing.T) {
	ways(t, func(t *testing.T, run func(Command) Result) {
		got := run(Command{Line: "echo a\n)\necho b"})
		if got.ExitCode == nil || *got.ExitCode != 2 || !strings.HasPrefix(got.Output, "a\n") || !strings.Contains(got.Output, "line 2: syntax error") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestCommandHasOnlyItsThreeDescriptorsAndNoTerminalToControl(t *testing.T) {
	ways(t, func(t *testing.T, run func(Command) Result) {
		// ls adds the descriptor of the directory it reads.
		got := run(Command{Line: `ls /proc/self/fd | tr '\n' ' '; readlink /proc/self/fd/0; (: </dev/tty) 2>/dev/null || echo no tty; cat; read x; echo "[$x]"`})
		if want := "0 1 2 3 /dev/null\nno tty\n[]\n"; got.Output != want {
			t.Errorf("got %q, want %q", got.Output, want)
		}
	})
}

func TestTerminalIsOneAndPipesAreNone(t *testing.T) {
	r := newRunner(t, Options{})
	line := `[ -t 1 ] && [ -t 2 ] && echo tty || echo pipe; [ -t 0 ] || echo empty stdin; echo $TERM ${CI-} ${PAGER-}; stty size <&1 2>/dev/null`
	if got, want := do(t, r, Command{Line: line, Terminal: true}).Output, "tty\nempty stdin\nxterm-256color true\n40 120\n"; got != want {
		t.Errorf("with a terminal: %q, want %q", got, want)
	}
	if got, want := do(t, r, Command{Line: line}).Output, "pipe\nempty stdin\ndumb 1 cat\n"; got != want {
		t.Errorf("with pipes: %q, want %q", got, want)
	}
	without := newRunner(t, Options{Env: []string{"PATH=" + os.Getenv("PATH"), "VEYYON_NO_PTY=1"}})
	if got := do(t, without, Command{Line: line, Terminal: true}); !strings.HasPrefix(got.Output, "pipe\n") || got.NoTerminal {
		t.Errorf("with VEYYON_NO_PTY: %+v", got)
	}
}

func TestVariablesOfACommandWinAndTheirNamesAreChecked(t *testing.T) {
	r := newRunner(t, Options{Env: []string{"PATH=" + os.Getenv("PATH"), "A=base", "B=base", "PAGER=less"}})
	got := do(t, r, Command{Line: `echo $A $B "$PAGER" $OMPCODE`, Env: map[string]string{"B": "mine"}})
	if want := "base mine cat 1\n"; got.Output != want {
		t.Errorf("got %q, want %q", got.Output, want)
	}
	_, err := r.Run(t.Context(), Command{Line: "true", Dir: "/", Env: map[string]string{"1x": ""}})
	if err == nil || err.Error() != "Invalid bash env name: 1x" {
		t.Errorf("got error %v", err)
	}
}

func TestBackgroundProcessDoesNotHoldTheAnswer(t *testing.T) {
	for _, line := range []string{
		"sleep 60 & echo done", "setsid sleep 60 & echo done", "(while :; do echo x; sleep 0.02; done) & echo done",
		"sleep 60 2>&1 >/dev/null & echo done", "(setsid sh -c 'sleep 60 & wait' &) ; echo done", "nohup sleep 60 >/dev/null 2>&1 & echo done",
	} {
		ways(t, func(t *testing.T, run func(Command) Result) {
			within(t, time.Second, line, func() {
				got := run(Command{Line: line})
				if !strings.Contains(got.Output, "done\n") || got.ExitCode == nil || *got.ExitCode != 0 || got.Cancelled {
					t.Errorf("%q gave %+v", line, got)
				}
			})
		})
	}
}

func TestBackgroundProcessLivesUntilClose(t *testing.T) {
	r := newRunner(t, Options{})
	got := do(t, r, Command{Line: "sleep 60 >/dev/null & echo $!; setsid sleep 61 >/dev/null & echo $!; env -i /bin/sleep 62 & echo $!"})
	do(t, r, Command{Line: "true"})
	for _, pid := range pids(t, got.Output) {
		if !running(pid) {
			t.Errorf("%d does not run any more", pid)
		}
	}
	within(t, 1500*time.Millisecond, "Close", func() { _ = r.Close(t.Context()) })
	for _, pid := range pids(t, got.Output) {
		if exists(pid) {
			t.Errorf("%d is left behind", pid)
		}
	}
}

func TestOutputThatIsStillInThePipeIsNotLost(t *testing.T) {
	r := newRunner(t, Options{})
	for range 20 {
		if got := do(t, r, Command{Line: "head -c 60000 /dev/zero | tr '\\0' x; sleep 60 &"}); got.TotalBytes != 60000 {
			t.Fatalf("got %d bytes", got.TotalBytes)
		}
	}
	// Its end is awaited for a moment only, in which a loaded machine may not run it.
	for range 50 {
		if do(t, r, Command{Line: "echo late > >(sleep 0.02; cat)"}).Output == "late\n" {
			return
		}
	}
	t.Error("the output of a process substitution is never awaited")
}

func TestTheDeadlineOfAReaderLosesNothing(t *testing.T) {
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close() // held open, as by a process in the background
	defer ours.Close()
	if _, err := theirs.WriteString("written in time"); err != nil {
		t.Fatal(err)
	}
	if err := ours.SetReadDeadline(time.Now()); err != nil { // before the reader had a processor
		t.Fatal(err)
	}
	text, got := make(chan *chunk), ""
	go read(ours, text)
	for c := range text {
		got += string(c.bytes[:c.n])
	}
	if got != "written in time" {
		t.Errorf("read %q", got)
	}
}

func TestTimeoutEndsAFloodAndAllItsProcesses(t *testing.T) {
	ways(t, func(t *testing.T, run func(Command) Result) {
		within(t, 20*time.Second, "yes", func() {
			got := run(Command{Line: "yes | cat", Timeout: 2 * time.Second})
			if !got.Cancelled || !got.TimedOut || got.ExitCode != nil || !got.Truncated || got.TotalBytes < 100<<10 {
				t.Errorf("got %+v", Result{ExitCode: got.ExitCode, Cancelled: got.Cancelled, TimedOut: got.TimedOut, TotalBytes: got.TotalBytes})
			}
			if !strings.HasPrefix(got.Output, "[Command timed out after 2 seconds]\ny\ny\n") {
				t.Errorf("output begins %.60q", got.Output)
			}
		})
	})
}

func TestWhatWasWrittenBeforeAnAbortIsKept(t *testing.T) {
	r := newRunner(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	result, err := r.Run(ctx, Command{Line: "echo begun; sleep 60", Dir: "/", Output: func(string) { cancel() }})
	if err != nil || result.Output != "[Command cancelled]\nbegun\n" || !result.Cancelled || result.TimedOut || result.ExitCode != nil {
		t.Errorf("got %+v, %v", result, err)
	}
	if result, err = r.Run(ctx, Command{Line: "touch never", Dir: t.TempDir()}); err != nil || !result.Cancelled {
		t.Errorf("after the abort: %+v, %v", result, err)
	}
}

func TestVanishedDirectoryIsSaidAndTheNextCommandWorks(t *testing.T) {
	r := newRunner(t, Options{})
	dir := filepath.Join(t.TempDir(), "work")
	for _, again := range []bool{false, true} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := do(t, r, Command{Line: "touch file; ls", Dir: dir}); got.Output != "file\n" {
			t.Errorf("made again: %v: ls gives %q", again, got.Output)
		}
		waitFor(t, "a spare", func() bool { return r.spareCount() > 0 })
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		_, err := r.Run(t.Context(), Command{Line: "true", Dir: dir})
		if want := "Working directory does not exist: " + dir; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	_, err := r.Run(t.Context(), Command{Line: "true", Dir: "/etc/passwd"})
	if want := "Working directory is not a directory: /etc/passwd"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	if got := do(t, r, Command{Line: "echo well"}); got.Output != "well\n" {
		t.Errorf("got %q", got.Output)
	}
}

func TestMissingShellIsSaidByEachCommand(t *testing.T) {
	r := newRunner(t, Options{ShellPath: "/no/such/shell"})
	_, err := r.Run(t.Context(), Command{Line: "true", Dir: "/"})
	if err == nil || err.Error() != "Custom shell path not found: /no/such/shell" {
		t.Errorf("got %v", err)
	}
	if got := do(t, newRunner(t, Options{ShellPath: "/bin/sh"}), Command{Line: "echo $0"}); got.Output != "/bin/sh\n" {
		t.Errorf("sh gave %+v", got)
	}
}

func TestUpdatesAreTheWholeTailAndNotTooMany(t *testing.T) {
	r := newRunner(t, Options{})
	var updates []string
	var times []time.Time
	got := do(t, r, Command{Line: "for i in {1..40}; do echo line $i; sleep 0.01; done", Output: func(tail string) {
		updates, times = append(updates, tail), append(times, time.Now())
	}})
	if len(updates) < 3 {
		t.Fatalf("%d updates", len(updates))
	}
	for i, update := range updates {
		if !strings.HasPrefix(got.Output, update) {
			t.Errorf("update %d is %q", i, update)
		}
		if i > 0 && times[i].Sub(times[i-1]) < updateEvery {
			t.Errorf("update %d came after %v", i, times[i].Sub(times[i-1]))
		}
	}
}

func TestSpillGetsAllOfIt(t *testing.T) {
	var spill bytes.Buffer
	got := do(t, newRunner(t, Options{}), Command{Line: "seq 30000", Columns: 3, Spill: &spill})
	if spill.Len() != 168894 || got.TotalBytes != spill.Len() || !got.Truncated || !strings.HasSuffix(spill.String(), "\n30000\n") {
		t.Errorf("%d bytes in the spill, %d in all", spill.Len(), got.TotalBytes)
	}
}

func TestClosedRunnerRefuses(t *testing.T) {
	r := newRunner(t, Options{})
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), Command{Line: "true", Dir: "/"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func pids(t *testing.T, output string) []int {
	t.Helper()
	var list []int
	for field := range strings.FieldsSeq(output) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(fmt.Errorf("%q has no pids", output))
		}
		list = append(list, pid)
	}
	return list
}
