package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A process is a program under test with a home and a working folder of its
// own. It is one that we started, in a process group of its own, or a server
// inside this process (see inside.go).
type process struct {
	stdin  io.WriteCloser
	stdout io.ReadCloser
	root   string       // holds home, work and the file stderr
	env    []string     // more of it
	pid    int          // 0 inside this process
	kill   func() error // ends it and all it started; it may be gone
	wait   func() error // for its end
}

// exitGrace is how long a program may take to leave once its stdin is closed.
const exitGrace = 8 * time.Second

// start runs a program; setup, if not nil, fills its home first. The end of ctx
// kills it. The caller closes it.
func start(ctx context.Context, path string, args []string, setup func(home string) error) (*process, error) {
	p, err := newProcess(setup)
	if err != nil {
		return nil, err
	}
	if err := p.run(exec.CommandContext(ctx, path, args...)); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", path, err), os.RemoveAll(p.root))
	}
	return p, nil
}

// newProcess makes the folders.
func newProcess(setup func(home string) error) (*process, error) {
	root, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	p := &process{root: root}
	err = errors.Join(os.Mkdir(p.home(), 0o700), os.Mkdir(p.work(), 0o700))
	if err == nil && setup != nil {
		err = setup(p.home())
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(root))
	}
	return p, nil
}

func (p *process) home() string       { return filepath.Join(p.root, "home") }
func (p *process) work() string       { return filepath.Join(p.root, "work") }
func (p *process) stderrPath() string { return filepath.Join(p.root, "stderr") }

func (p *process) run(cmd *exec.Cmd) error {
	stderr, err := os.Create(p.stderrPath())
	if err != nil {
		return err
	}
	defer func() { _ = stderr.Close() }() // the child has its own descriptor
	cmd.Dir, cmd.Stderr = p.work(), stderr
	cmd.Env = []string{"HOME=" + p.home(), "PATH=" + os.Getenv("PATH"), "LANG=" + os.Getenv("LANG"), keyVariable + "=" + modelKey}
	cmd.Env = append(cmd.Env, p.env...)
	p.kill, p.wait = inGroup(cmd), cmd.Wait
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if p.stdout, err = cmd.StdoutPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.pid = cmd.Process.Pid
	return nil
}

// inGroup puts a command into a process group of its own, which the end of its
// context kills, as kill does.
func inGroup(cmd *exec.Cmd) (kill func() error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Cancel
}

// close lets the program leave by itself, ends it and all it started, and
// removes its folders.
func (p *process) close() error {
	late := time.AfterFunc(exitGrace, func() { _ = p.kill() }) // it may be gone
	defer late.Stop()
	_ = p.stdin.Close()                  // it may be closed already
	_, _ = io.Copy(io.Discard, p.stdout) // so that it is not held up by what we did not read
	err := p.wait()
	_ = p.kill() // what it left behind, if anything
	return errors.Join(err, os.RemoveAll(p.root))
}

// lastWords are the end of what the program wrote to stderr.
func (p *process) lastWords() string {
	said, err := os.ReadFile(p.stderrPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	const most = 600 // bytes
	return strings.TrimSpace(string(said[max(0, len(said)-most):]))
}
