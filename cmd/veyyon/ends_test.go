package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestEndOfInputEndsAnIdleServerWithCodeZero(t *testing.T) {
	s := launchServer(t, nil)
	_ = s.in.Close()
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
	s.quiet()
}

func TestASignalEndsTheServerWithItsCode(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 129} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := launchServer(t, nil)
			_ = s.cmd.Process.Signal(signal)
			if code := s.code(2 * time.Second); code != want {
				t.Error("code", code)
			}
			s.quiet()
		})
	}
}

func TestASignalEndsACommandWithItsChildren(t *testing.T) {
	s := launchServer(t, nil)
	alive := filepath.Join(s.cmd.Dir, "alive")
	s.bash("(trap '' TERM HUP; echo x >alive; sleep 77) & sleep 78 | cat")
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	answer := s.await(`"id":"long"`)
	if code := s.code(patience); code != 143 {
		t.Error("code", code)
	}
	if !strings.Contains(answer, `"cancelled":true`) {
		t.Errorf("the command was answered by %s", answer)
	}
	if _, err := os.Stat(alive); err == nil && running("sleep 7[78]") {
		t.Error("its processes live")
	}
}

// running tells whether a process of that command line runs.
func running(pattern string) bool { return exec.Command("pgrep", "-f", "^"+pattern+"$").Run() == nil }

// crowd makes more output than the host takes: its pipe holds 64 KiB, and it
// does not read.
func (s *server) crowd() {
	s.t.Helper()
	for n := range 200 {
		s.send(fmt.Sprintf(`{"id":"%d","type":"get_state"}`, n))
	}
	s.bash("true") // begins when all before it are answered
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	s := launchServer(t, nil)
	s.crowd()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
		t.Fatal("what the host has not read yet was thrown away after one signal")
	case <-time.After(500 * time.Millisecond):
	}
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	if code := s.code(2 * time.Second); code != 143 {
		t.Error("code", code)
	}
	s.quiet()
}

func TestAllOfTheLastAnswersArriveThoughTheHostReadsLate(t *testing.T) {
	s := launchServer(t, nil)
	s.crowd()
	_ = s.in.Close()
	select {
	case <-s.exited:
		t.Fatal("the server has not waited for the host")
	case <-time.After(300 * time.Millisecond):
	}
	s.await(`"id":"199"`)
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
}

func TestAfterTheEndOfInputACommandHasTwoSeconds(t *testing.T) {
	s := launchServer(t, nil)
	s.bash("sleep 0.5; echo finished")
	_ = s.in.Close()
	if answer := s.await(`"id":"long"`); !strings.Contains(answer, `"output":"finished\n"`) {
		t.Error(answer)
	}
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}

	s = launchServer(t, nil)
	s.bash("echo begun; sleep 79")
	ended := time.Now()
	_ = s.in.Close()
	answer := s.await(`"id":"long"`)
	if code := s.code(patience); code != 0 {
		t.Error("code", code)
	}
	if took := time.Since(ended); took < bashGrace || took > bashGrace+3*time.Second {
		t.Error("took", took)
	}
	if !strings.Contains(answer, `"cancelled":true`) || !strings.Contains(answer, "begun") {
		t.Error(answer)
	}
	if running("sleep 79") {
		t.Error("the command lives")
	}
}

func TestAnAcceptedPromptIsOnDiskWhenTheInputEnds(t *testing.T) {
	script := filepath.Join(t.TempDir(), "hang.yml")
	must(t, os.WriteFile(script, []byte("- steps: [{text: begun}, {tool: bash, args: {command: echo}}, {hang: true}]\n"), 0o600))
	sessions := t.TempDir()
	s := launchServer(t, nil, "--model", "scripted/script", "--script", script, "--session-dir", sessions)
	s.send(`{"id":"p","type":"prompt","message":"remember me"}`)
	s.await(`"delta":"begun"`)
	_ = s.in.Close()
	s.await(`"type":"agent_end"`)
	if code := s.code(5 * time.Second); code != 0 {
		t.Error("code", code)
	}
	found, _ := filepath.Glob(filepath.Join(sessions, "*.jsonl"))
	if len(found) != 1 {
		t.Fatal(found)
	}
	text, err := os.ReadFile(found[0])
	must(t, err)
	for _, want := range []string{"remember me", `"text":"begun"`, `"stopReason":"aborted"`, `"role":"toolResult"`} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("the session has %s %d times:\n%s", want, strings.Count(string(text), want), text)
		}
	}
}

func TestAHostThatReadsNoMoreEndsTheServerQuietly(t *testing.T) {
	s := launchServer(t, nil)
	_ = s.stdout.Close()
	s.send(`{"id":"1","type":"get_state"}`)
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
	s.quiet()
}

func TestDescriptorOneIsStderrForAsLongAsItServes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	s := launchServer(t, nil)
	for i := range 20 { // garbage enough for collections
		id := strconv.Itoa(i)
		s.send(`{"id":"` + id + `","type":"set_todos","phases":[{"name":"` + strings.Repeat("x", 1<<20) + `","tasks":[]}]}`)
		s.await(`{"id":"` + id + `"`)
	}
	link := func(fd string) string {
		to, err := os.Readlink("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/fd/" + fd)
		must(t, err)
		return to
	}
	if one, two := link("1"), link("2"); one != two {
		t.Errorf("1 is %s, 2 is %s", one, two)
	}
	if zero := link("0"); zero != os.DevNull {
		t.Errorf("0 is %s", zero)
	}
}

func TestAnIdleServerNoticesThatNobodyReads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("pipes cannot be opened anew here, so only a write tells")
	}
	s := launchServer(t, nil)
	s.await("available_commands_update")
	_ = s.stdout.Close()
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
	s.quiet()
}

func TestWhenTheHostDiesTheServerEndsWithoutSpinning(t *testing.T) {
	read, write, err := os.Pipe()
	must(t, err)
	s := launchServer(t, func(cmd *exec.Cmd) { cmd.Stderr = write })
	_ = write.Close()
	s.bash("trap '' HUP PIPE; while :; do echo x; echo y >&2; sleep 0.01; done")
	_ = read.Close()
	_ = s.stdout.Close()
	_ = s.in.Close()
	if code := s.code(bashGrace + 3*time.Second); code != 0 {
		t.Error("code", code)
	}
	if s.spent() > 2*time.Second { // under the race detector
		t.Error("spent", s.spent())
	}
}

func TestADeadStderrIsNoReasonToEndOrToSpin(t *testing.T) {
	read, write, err := os.Pipe()
	must(t, err)
	_ = read.Close()
	s := launchServer(t, func(cmd *exec.Cmd) { cmd.Stderr = write }, "--thinking", "odd")
	_ = write.Close()
	s.send(`{"id":"b","type":"bash","command":"(echo noise >/proc/$PPID/fd/2); echo fine"}`)
	if answer := s.await(`"id":"b"`); !strings.Contains(answer, "fine") {
		t.Error(answer)
	}
	_ = s.in.Close()
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
	if s.spent() > 2*time.Second {
		t.Error("spent", s.spent())
	}
}

func TestItServesWithoutAControllingTerminal(t *testing.T) {
	s := launchServer(t, func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} })
	s.send(`{"id":"1","type":"get_state"}`)
	s.await(`"id":"1"`)
}

func TestAnIdleServerSleeps(t *testing.T) {
	s := launchServer(t, nil)
	s.send(`{"id":"b","type":"bash","command":"true"}`)
	s.await(`"id":"b"`)
	time.Sleep(time.Second) // what is measured is that nothing happens
	_ = s.in.Close()
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
	if s.spent() > 800*time.Millisecond { // start and end, under the race detector
		t.Error("spent", s.spent())
	}
}

func TestHostsMayPassPipesThatDoNotBlock(t *testing.T) {
	s := launchServer(t, func(cmd *exec.Cmd) {
		must(t, syscall.SetNonblock(int(cmd.Stdout.(*os.File).Fd()), true))
	})
	s.crowd()
	s.await(`"id":"199"`)
	_ = s.in.Close()
	if code := s.code(2 * time.Second); code != 0 {
		t.Error("code", code)
	}
}

func TestAFifoThatHostsKeepOpenThroughTheServerIsNotItsEnd(t *testing.T) {
	var fifo string
	var ours *os.File
	s := launchServer(t, func(cmd *exec.Cmd) { // as with <> in a shell
		fifo = cmd.Dir + "/fifo"
		must(t, syscall.Mkfifo(fifo, 0o600))
		var err error
		ours, err = os.OpenFile(fifo, os.O_RDWR, 0)
		must(t, err)
		cmd.Stdin = ours
	})
	must(t, ours.Close())                            // now the server alone holds it open
	for _, id := range []string{"first", "second"} { // each from a writer of its own
		must(t, os.WriteFile(fifo, []byte(`{"id":"`+id+`","type":"get_state"}`+"\n"), 0))
		s.await(`"id":"` + id + `"`)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
