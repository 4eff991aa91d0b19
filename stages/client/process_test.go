package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func startServer(t *testing.T, ctx context.Context, role string, stderr io.Writer) *Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A binary with the race detector would sleep for a second at its end.
	c, err := Start(ctx, Options{Path: self, Env: append(os.Environ(), actAs+"="+role, "GORACE=atexit_sleep_ms=0"), Stderr: stderr})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAProcessIsSpokenToAndEndsWithItsInput(t *testing.T) {
	var stderr bytes.Buffer
	c := startServer(t, t.Context(), "plain", &stderr)
	if err := c.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if stderr.String() != "PLAIN" {
		t.Errorf("stderr: %q", &stderr)
	}
	if err := syscall.Kill(c.Pid(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process is still there: %v", err)
	}
}

func TestACrashFailsTheCallAndClose(t *testing.T) {
	c := startServer(t, t.Context(), "plain", nil)
	if err := c.Call(t.Context(), "crash", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	var exit *exec.ExitError
	if err := c.Close(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("closing: %v", err)
	}
}

func TestTheEndOfTheContextKillsAStubbornProcess(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	c := startServer(t, ctx, "stubborn", nil)
	if e := next(t, c); e.Type != "ready" {
		t.Errorf("got %s", e.Type)
	}
	stop()
	began := time.Now()
	var exit *exec.ExitError
	if err := c.Close(); !errors.As(err, &exit) {
		t.Errorf("closing: %v", err)
	}
	if took := time.Since(began); took > closeGrace/2 {
		t.Errorf("took %v", took)
	}
}

func TestACloseDoesNotWaitForTheServersChildren(t *testing.T) {
	c := startServer(t, t.Context(), "orphaning", nil)
	var child struct{ Pid int }
	if err := next(t, c).Decode(&child); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(child.Pid, syscall.SIGKILL)
	began := time.Now()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > closeGrace/2 {
		t.Errorf("took %v", took)
	}
}

func TestABinaryThatIsNotThereIsAnError(t *testing.T) {
	if _, err := Start(t.Context(), Options{Path: filepath.Join(t.TempDir(), "missing")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
