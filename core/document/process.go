package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

// The bounds of the processes. Further conversions wait for the first; one that
// takes longer than the second, or more memory than the third, is given up. The
// last is what a killed process gets to let go of its pipes.
const (
	maxProcesses   = 2
	convertTimeout = 10 * time.Second
	maxMemory      = 768 << 20 // bytes, where the system can bound it
	waitDelay      = time.Second
)

// A Converter turns documents into text. Safe for concurrent use.
type Converter struct {
	command func(Kind) *exec.Cmd
	turns   *semaphore.Weighted
	timeout time.Duration
}

// NewConverter returns a converter whose processes command makes: each calls
// Serve with its stdin and stdout.
func NewConverter(command func(Kind) *exec.Cmd) *Converter {
	return &Converter{command: command, turns: semaphore.NewWeighted(maxProcesses), timeout: convertTimeout}
}

// Text is the text of a PDF or DOCX; of the latter as Markdown. It returns the
// cause of ctx when that ends first.
func (c *Converter) Text(ctx context.Context, kind Kind, raw []byte) (string, error) {
	if err := c.turns.Acquire(ctx, 1); err != nil {
		return "", context.Cause(ctx)
	}
	defer c.turns.Release(1)
	limited, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	made := c.command(kind)
	out, said := bounded{most: maxText + len(cutNotice)}, bounded{most: 1 << 10} // its last words are one line
	cmd := exec.CommandContext(limited, made.Path)
	cmd.Args, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = made.Args, made.Env, bytes.NewReader(raw), &out, &said, waitDelay
	err := cmd.Run()
	failed := new(exec.ExitError)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err == nil:
		return out.String(), nil
	case limited.Err() != nil:
		return "", fmt.Errorf("converting the document took longer than %v", c.timeout)
	case errors.As(err, &failed) && failed.ExitCode() == 1:
		line, _, _ := strings.Cut(said.String(), "\n")
		return "", fmt.Errorf("converting the document: %s", strings.TrimPrefix(line, "Error: "))
	case errors.As(err, &failed):
		return "", errors.New("converting the document takes more memory or time than a document may")
	}
	return "", fmt.Errorf("converting the document: %w", err)
}

// bounded keeps the beginning of what is written.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	_, _ = b.Buffer.Write(p[:min(len(p), b.most-b.Len())]) // a buffer takes all
	return len(p), nil
}
