package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// keyTimeout is how long a command that prints a key may take.
	keyTimeout = 10 * time.Second
	// maxKeyBytes bounds what it may print; more is an error.
	maxKeyBytes = 64 << 10
)

// commands remembers the keys that commands printed. Safe for concurrent use;
// two askers at once may run a command twice.
type commands struct {
	mu   sync.Mutex
	keys map[string]string
}

// key runs the command once and gives what it printed, trimmed. A failure is
// not remembered, and never shows the output.
func (c *commands) key(ctx context.Context, command string) (string, error) {
	c.mu.Lock()
	key, known := c.keys[command]
	c.mu.Unlock()
	if known {
		return key, nil
	}
	key, err := run(ctx, command)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil {
		c.keys = map[string]string{}
	}
	c.keys[command] = key
	return key, nil
}

// printed are the keys that were printed so far.
func (c *commands) printed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.keys))
}

func run(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out := &capped{}
	cmd.Stdout = out
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind; mostly nothing
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("the command for the key took longer than %s", keyTimeout)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case out.over:
		return "", fmt.Errorf("the command for the key printed more than %d KiB", maxKeyBytes>>10)
	case err != nil:
		return "", fmt.Errorf("the command for the key failed: %w", err)
	}
	key := strings.TrimSpace(out.text.String())
	if key == "" {
		return "", errors.New("the command for the key printed nothing")
	}
	return key, nil
}

// capped keeps the first maxKeyBytes.
type capped struct {
	text bytes.Buffer
	over bool
}

func (c *capped) Write(p []byte) (int, error) {
	room := min(len(p), maxKeyBytes-c.text.Len())
	c.text.Write(p[:room])
	c.over = c.over || room < len(p)
	return len(p), nil
}
