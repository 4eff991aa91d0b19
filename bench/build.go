package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const module = "veyyon.dev/veyyon"

// build compiles the program of this package path, below the module, into dir
// as it would be released, and returns its path.
func build(ctx context.Context, dir, program string) (string, error) {
	path := filepath.Join(dir, filepath.Base(program))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", path, module+"/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", program, err, said)
	}
	return path, nil
}

// build makes the programs that the scenarios run.
func (b *bench) build(ctx context.Context, dir string, opts options) (err error) {
	switch {
	case opts.In:
	case opts.Bin != "":
		b.bin, err = filepath.Abs(opts.Bin) // it is started in another folder
	default:
		b.bin, err = build(ctx, dir, "cmd/veyyon")
	}
	if err != nil {
		return err
	}
	if b.echo, err = build(ctx, dir, "bench/echo"); err != nil {
		return err
	}
	b.streamref, err = build(ctx, dir, "bench/streamref")
	return err
}
