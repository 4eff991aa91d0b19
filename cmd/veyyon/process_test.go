package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must come; slow machines need it.
const patience = 20 * time.Second

// A server is a running veyyon with its pipes in the test's hand.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stdout io.Closer // the end that is read from
	stderr bytes.Buffer
	exited chan error // its exit, once
}

// launchServer starts veyyon without keys, in a home and a folder of its own.
func launchServer(t *testing.T, change func(*exec.Cmd), args ...string) *server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: exec.Command(self, append([]string{"--mode", "rpc"}, args...)...), exited: make(chan error, 1)}
	s.cmd.Dir = t.TempDir()
	s.cmd.Env = []string{beMain + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "GORACE=" + noRaceSleep}
	s.cmd.Stderr = &s.stderr
	s.cmd.WaitDelay = patience
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdout, s.stdout, s.out = outWrite, outRead, bufio.NewReader(outRead)
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(s.cmd)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = outWrite.Close() // ours; the child has its own
	timeout := time.AfterFunc(2*patience, func() { _ = s.cmd.Process.Kill() })
	go func() { s.exited <- s.cmd.Wait() }() // ends with the process, which the clean-up kills
	t.Cleanup(func() {
		timeout.Stop()
		_ = s.cmd.Process.Kill() // mostly it has ended
		_ = outRead.Close()
	})
	s.await(`"type":"ready"`)
	return s
}

// send writes lines.
func (s *server) send(lines ...string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, strings.Join(lines, "\n")+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// await reads up to the first line with this text in it and returns that.
func (s *server) await(text string) string {
	s.t.Helper()
	lines := strings.SplitAfter(s.upTo(text), "\n")
	return lines[len(lines)-2]
}

// upTo reads up to the first line with this text in it and returns all of them.
func (s *server) upTo(text string) string {
	s.t.Helper()
	var all strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			s.t.Fatalf("no line with %s: %v; stderr: %s", text, err, s.stderr.String())
		}
		if !json.Valid([]byte(line)) {
			s.t.Fatalf("not a frame: %q", line)
		}
		all.WriteString(line)
		if strings.Contains(line, text) {
			return all.String()
		}
	}
}

// code waits for the exit, at most that long, and returns the code.
func (s *server) code(within time.Duration) int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(within):
		s.t.Fatalf("the server lives %v later", within)
	}
	return s.cmd.ProcessState.ExitCode()
}

// spent is the processor time of the exited server.
func (s *server) spent() time.Duration {
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// quiet fails when the server said something on stderr.
func (s *server) quiet() {
	s.t.Helper()
	if s.stderr.Len() > 0 {
		s.t.Errorf("stderr: %s", s.stderr.String())
	}
}

// bash runs a command that goes on until it is ended, and waits for its begin:
// it makes the file "begun" in the server's folder.
func (s *server) bash(rest string) {
	s.t.Helper()
	mark := s.cmd.Dir + "/begun"
	if err := syscall.Mkfifo(mark, 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.send(`{"id":"long","type":"bash","command":` + quoted("echo $$ >begun; "+rest) + `}`)
	pipe, err := os.Open(mark) // returns when the command opens it
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = pipe.Close() }() // read only
	if _, err := io.ReadAll(pipe); err != nil {
		s.t.Fatal(err)
	}
}

func quoted(text string) string {
	raw, _ := json.Marshal(text) // strings always encode
	return string(raw)
}
