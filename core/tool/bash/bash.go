// Package bash is the tool that runs shell commands for the model.
package bash

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
)

// The time a command may take, in seconds. One outside of the bounds is moved to
// the nearest, and the model is told.
const (
	defaultTimeout = 300
	minTimeout     = 1
	maxTimeout     = 3600
)

// What the model sees of the output, in bytes: longer lines are cut, and of a
// long output the end that fits into tool.InlineLimit with the beginning.
const (
	maxColumns = 768
	maxTail    = 28 << 10
)

//go:embed bash.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "The command line"},
    "timeout": {"type": "number", "description": "Seconds until the command is ended (default 300, 1 to 3600)"},
    "cwd": {"type": "string", "description": "The directory to run in (default: the working directory)"},
    "env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Additional environment variables"}
  },
  "required": ["command"],
  "additionalProperties": false
}`

type arguments struct {
	Command string            `json:"command"`
	Timeout *float64          `json:"timeout"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
}

// Details is what hosts are told of a command (facts/agent 9.5).
type Details struct {
	ExitCode                *int       `json:"exitCode,omitempty"` // nil on success, and when there is none
	WallTimeMs              int64      `json:"wallTimeMs"`
	TimeoutSeconds          float64    `json:"timeoutSeconds"`
	RequestedTimeoutSeconds float64    `json:"requestedTimeoutSeconds,omitempty"` // when it was out of bounds
	Meta                    *tool.Meta `json:"meta,omitempty"`
}

// New returns the tool. With terminal, stdout and stderr of the commands are a
// terminal where one can be had.
func New(runner *shell.Runner, terminal bool) tool.Tool { return bash{runner, terminal} }

type bash struct {
	runner   *shell.Runner
	terminal bool
}

func (bash) Spec() tool.Spec {
	return tool.Spec{
		Name: "bash", Label: "Bash", Description: description, Parameters: json.RawMessage(parameters), Tier: tool.TierExec,
	}
}

// Run runs the command. What it printed is there however it ended; anything but
// exit code 0 makes the output an error.
func (b bash) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return tool.Output{}, fmt.Errorf("reading the arguments: %w", err)
	}
	dir := args.Cwd
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(call.Dir, dir)
	}
	details := Details{TimeoutSeconds: defaultTimeout}
	var notices []string
	if args.Timeout != nil {
		wish := *args.Timeout
		details.TimeoutSeconds = min(max(wish, minTimeout), maxTimeout)
		if details.TimeoutSeconds != wish {
			details.RequestedTimeoutSeconds = wish
			notices = append(notices, fmt.Sprintf("Timeout clamped to %gs (requested %gs; allowed range %d-%ds).",
				details.TimeoutSeconds, wish, minTimeout, maxTimeout))
		}
	}
	var whole artifact
	began := time.Now()
	result, err := b.runner.Run(ctx, shell.Command{
		Line: args.Command, Dir: dir, Env: args.Env, Terminal: b.terminal,
		Timeout: time.Duration(details.TimeoutSeconds * float64(time.Second)),
		Columns: maxColumns, Tail: maxTail, Spill: &whole,
		Output: func(tail string) { call.Update(tool.TextOutput(tail)) },
	})
	if err != nil {
		return tool.ErrorOutput(err.Error()), nil
	}
	details.WallTimeMs = time.Since(began).Milliseconds()
	if result.NoTerminal {
		notices = append(notices, "pty requested but unavailable in this environment; ran without a terminal")
	}
	if result.Truncated {
		cut := truncation(result)
		notices = append(notices, whole.save(cut, call))
		details.Meta = &tool.Meta{Truncation: cut}
	}
	return output(result, details, notices)
}

// output puts together what the model and the host see.
func output(result shell.Result, details Details, notices []string) (tool.Output, error) {
	failed := true
	switch code := result.ExitCode; {
	case result.Cancelled: // the text begins with a line that says so
	case code == nil:
		notices = append(notices, "Command failed: missing exit status")
	case *code != 0:
		details.ExitCode = code
		notices = append(notices, fmt.Sprintf("Command exited with code %d", *code))
	default:
		failed = false
	}
	text := result.Output
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	if len(notices) > 0 {
		text = strings.TrimRight(text, "\n") + "\n\n" + strings.Join(notices, "\n")
	}
	out := tool.TextOutput(text)
	out.IsError = failed
	var err error
	out.Details, err = json.Marshal(details)
	return out, err
}

func truncation(r shell.Result) *tool.Truncation {
	return &tool.Truncation{
		Direction: "middle", TruncatedBy: "middle", TotalLines: r.TotalLines, TotalBytes: r.TotalBytes,
		OutputLines: r.OutputLines, OutputBytes: r.OutputBytes, MaxBytes: tool.InlineLimit,
		ElidedLines: max(0, r.TotalLines-r.OutputLines), ElidedBytes: max(0, r.TotalBytes-r.OutputBytes),
	}
}
