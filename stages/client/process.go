package client

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// orphanGrace is how long the output of a dead server is read on while a child
// of its own holds it open.
const orphanGrace = time.Second

// Options say how to start a server.
type Options struct {
	Path   string // of the binary
	Args   []string
	Env    []string  // nil: our own
	Dir    string    // "": our own
	Stderr io.Writer // nil: thrown away
}

// A process is a server that we started.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when it has been reaped
	err    error         // of its Wait; to be read after exited
}

// Start starts a server in a process group of its own. The end of ctx kills
// the group. Close must be called.
func Start(ctx context.Context, o Options) (*Client, error) {
	cmd := exec.Command(o.Path, o.Args...)
	cmd.Env, cmd.Dir, cmd.Stderr = o.Env, o.Dir, o.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = orphanGrace // for a Stderr that is no file
	stdin, toServer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.Path, err)
	}
	defer stdin.Close()
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		_ = toServer.Close() // nothing was written
		return nil, fmt.Errorf("starting %s: %w", o.Path, err)
	}
	defer stdout.Close()
	cmd.Stdin, cmd.Stdout = stdin, stdout
	if err := cmd.Start(); err != nil {
		_, _ = toServer.Close(), fromServer.Close() // as above
		return nil, fmt.Errorf("starting %s: %w", o.Path, err)
	}

	p := &process{cmd: cmd, exited: make(chan struct{})}
	c := New(ctx, fromServer, toServer)
	c.process = p
	go func() { // ends with the process
		p.err = cmd.Wait()
		close(p.exited)
		if !waitFor(c.done, orphanGrace) {
			_ = fromServer.Close()
		}
	}()
	go func() { // ends with the process
		select {
		case <-ctx.Done():
			p.signal(syscall.SIGKILL)
		case <-p.exited:
		}
	}()
	return c, nil
}

// Pid is the process id of the server, 0 over pipes.
func (c *Client) Pid() int {
	if c.process == nil {
		return 0
	}
	return c.process.cmd.Process.Pid
}

// end waits for the process, then asks it to end, then kills it.
func (p *process) end(pipe <-chan struct{}) {
	if !waitFor(p.exited, closeGrace) {
		p.signal(syscall.SIGTERM)
		if !waitFor(p.exited, closeGrace) {
			p.signal(syscall.SIGKILL)
			<-p.exited
		}
	}
	waitFor(pipe, orphanGrace)
}

// signal reaches the whole group. It is not sent once the process has been
// reaped, since its number may be another's by then.
func (p *process) signal(sig syscall.Signal) {
	select {
	case <-p.exited:
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, sig) // gone in this moment is as good
	}
}
