package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A screen is the setup screen of a program in a pseudo-terminal.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File
	home string

	mu    sync.Mutex
	shown bytes.Buffer
}

// showSetup starts the program with these arguments and without any key.
func showSetup(t *testing.T, args ...string) *screen {
	t.Helper()
	ourselves, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, cmd: exec.CommandContext(t.Context(), ourselves, args...), home: t.TempDir()}
	s.cmd.Dir = s.home
	s.cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), beMain + "=1", "GORACE=" + noRaceSleep}
	if s.keys, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.keys.Close() }) // its other end has gone
	go func() {                              // ends with the program
		piece := make([]byte, 4096)
		for {
			n, err := s.keys.Read(piece)
			s.mu.Lock()
			s.shown.Write(piece[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// await waits until the screen has shown a text since it was last waited for, and
// types a line then.
func (s *screen) await(text, line string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // for another process
		s.mu.Lock()
		shown := s.shown.String()
		if strings.Contains(shown, text) {
			s.shown.Reset()
			s.mu.Unlock()
			if _, err := s.keys.WriteString(line); err != nil {
				s.t.Fatal(err)
			}
			return
		}
		s.mu.Unlock()
		if time.Now().After(end) {
			s.t.Fatalf("no %s is shown, but %q", text, shown)
		}
	}
}

// code waits for the end of the program.
func (s *screen) code() int {
	s.t.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	_ = s.cmd.Wait() // the code tells
	return s.cmd.ProcessState.ExitCode()
}

func TestAPersonSetsUpAKeyAndAModel(t *testing.T) {
	s := showSetup(t, "acp", setupFlag)
	s.await("between 1 and 3:", "1\n") // add a key
	s.await("anthropic", "1\n")
	s.await("API key for anthropic", "sk-secret-4711\n")
	s.await("between 1 and 3:", "2\n") // choose the model
	s.await("anthropic/claude", "1\n")
	s.await("between 1 and 3:", "3\n")
	if code := s.code(); code != exitOK {
		t.Errorf("code %d: %s", code, s.shown.String())
	}
	agent := filepath.Join(s.home, ".veyyon", "profiles", "default", "agent")
	keys, err := os.ReadFile(filepath.Join(agent, "auth.json"))
	if err != nil || !strings.Contains(string(keys), "sk-secret-4711") {
		t.Errorf("%s, %v", keys, err)
	}
	if info, err := os.Stat(filepath.Join(agent, "auth.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	settings, err := os.ReadFile(filepath.Join(agent, "config.yml"))
	if err != nil || !strings.Contains(string(settings), "default: anthropic/") {
		t.Errorf("%s, %v", settings, err)
	}
}

func TestWhoLeavesTheSetupWithoutAModelIsTold(t *testing.T) {
	s := showSetup(t, setupFlag, "--mode", "rpc")
	s.await("between 1 and 3:", "3\n")
	if code := s.code(); code != exitFailure {
		t.Errorf("done: code %d", code)
	}
	s = showSetup(t, "--mode=acp", setupFlag)
	s.await("between 1 and 3:", "\x03")
	s.code()
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("interrupted: %v", s.cmd.ProcessState)
	}
}

func TestTheSetupNeedsATerminal(t *testing.T) {
	var stderr bytes.Buffer
	ourselves, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), ourselves, "acp", setupFlag)
	cmd.Env, cmd.Stderr = []string{"HOME=" + t.TempDir(), beMain + "=1", "GORACE=" + noRaceSleep}, &stderr
	out, err := cmd.Output()
	if err == nil || len(out) > 0 || cmd.ProcessState.ExitCode() != exitFailure || !strings.Contains(stderr.String(), "ANTHROPIC_API_KEY") {
		t.Errorf("%q, %v, %s", out, err, stderr.String())
	}
}

func TestTheSetupFlagTakesTheModeAway(t *testing.T) {
	for _, c := range []struct {
		args, rest []string
		ok         bool
	}{
		{[]string{"acp", setupFlag}, nil, true},
		{[]string{"--mode", "acp", setupFlag, "--profile", "p"}, []string{"--profile", "p"}, true},
		{[]string{setupFlag, "--mode=rpc"}, nil, true},
		{[]string{"acp"}, nil, false},
	} {
		if rest, ok := settingUp(c.args); ok != c.ok || ok && !slices.Equal(rest, c.rest) {
			t.Errorf("%v: %v, %t", c.args, rest, ok)
		}
	}
}
