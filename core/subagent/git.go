package subagent

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// gitWait bounds one git command; it fails then.
const gitWait = 2 * time.Minute

// git runs a command in dir and returns what it prints. It runs nothing that the
// repository brings along, starts nothing that outlives it, and heeds dir alone.
func git(ctx context.Context, env []string, dir string, stdin []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	full := append([]string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "user.name=veyyon", "-c", "user.email=veyyon@localhost",
	}, args...)
	cmd := exec.CommandContext(ctx, "git", full...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = dir, bytes.NewReader(stdin), time.Second
	cmd.Env = append(slices.DeleteFunc(slices.Clone(env), tellsGit), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(failed.String()))
	}
	return out.String(), nil
}

// machine are the variables by which a machine, and not a caller, sets git up.
var machine = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES"}

// tellsGit tells whether a variable could turn git to another repository or shape
// what it prints: a server that a hook has started inherits such.
func tellsGit(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	return strings.HasPrefix(name, "GIT_") && !slices.Contains(machine, name)
}
