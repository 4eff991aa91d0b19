// Package bash is the tool that runs shell commands for the model.
package bash

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/job"
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

// maxNotice is what is left of the room for an output to the words about it, in
// bytes.
const maxNotice = 2 << 10

//go:embed bash.md
var description string

const asyncDescription = "- With `async` the command goes on in the background as a job, for up to an hour unless `timeout` says otherwise. " +
	"Its result comes to you by itself; the tool `job` waits for it, shows what it has printed, or ends it.\n"

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

// bounds are what the texts say of the timeout.
const bounds = "(default 300, 1 to 3600)"

// asyncParameters are the parameters where commands may go on in the background.
var asyncParameters = strings.Replace(parameters, `
  },
  "required"`, `,
    "async": {"type": "boolean", "description": "Go on in the background as a job and answer at once"}
  },
  "required"`, 1)

type arguments struct {
	Command string            `json:"command"`
	Timeout *float64          `json:"timeout"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	Async   bool              `json:"async"`
}

// Details is what hosts are told of a command (facts/agent 9.5).
type Details struct {
	ExitCode                *int       `json:"exitCode,omitempty"` // nil on success, and when there is none
	WallTimeMs              int64      `json:"wallTimeMs"`
	TimeoutSeconds          float64    `json:"timeoutSeconds"`
	RequestedTimeoutSeconds float64    `json:"requestedTimeoutSeconds,omitempty"` // when it was out of bounds
	Async                   *Async     `json:"async,omitempty"`
	TerminalID              string     `json:"terminalId,omitempty"` // the host's terminal it ran in
	Meta                    *tool.Meta `json:"meta,omitempty"`
}

// Options say how commands are run.
type Options struct {
	Runner *shell.Runner
	// Terminal makes stdout and stderr of the commands a terminal where one can
	// be had.
	Terminal bool
	// Terminals are the host's, nil when it has none. Commands run there unless
	// they are to go on in the background, or Terminal is set; none is moved to the
	// background then.
	Terminals host.Terminals
	// Async lets commands go on in the background, as jobs on the board of the
	// session a call is for; Board's ok is false for one that has none.
	Async bool
	Board func(tool.Session) (b *job.Board, ok bool)
	// Threshold moves a command that takes longer to the background, and Stall
	// one that has been silent for so long; nil never does.
	Threshold, Stall *time.Duration
	// Columns is how long a line of the output may be, in bytes; longer ones are
	// cut. 0 is no limit.
	Columns int
	// MaxTimeout is the longest a command may run, in seconds; 0 is an hour.
	MaxTimeout int
}

// New returns the tool.
func New(opts Options) tool.Tool {
	if opts.MaxTimeout <= 0 || opts.MaxTimeout > maxTimeout {
		opts.MaxTimeout = maxTimeout
	}
	return bash{opts}
}

type bash struct{ opts Options }

func (b bash) Spec() tool.Spec {
	spec := tool.Spec{
		Name: "bash", Label: "Bash", Description: description, Parameters: json.RawMessage(parameters), Tier: tool.TierExec,
	}
	if b.opts.Async {
		spec.Description += asyncDescription
		spec.Parameters = json.RawMessage(asyncParameters)
	}
	if longest := b.opts.MaxTimeout; longest != maxTimeout {
		told := strings.NewReplacer(bounds, fmt.Sprintf("(default %d, 1 to %[2]d)", min(defaultTimeout, longest), longest), "up to an hour", fmt.Sprintf("up to %d seconds", longest))
		spec.Description, spec.Parameters = told.Replace(spec.Description), json.RawMessage(told.Replace(string(spec.Parameters)))
	}
	return spec
}

// A command is one call, checked.
type command struct {
	arguments
	dir     string
	details Details
	notices []string
}

func (b bash) read(call tool.Call) (*command, error) {
	most := float64(b.opts.MaxTimeout)
	c := &command{details: Details{TimeoutSeconds: min(defaultTimeout, most)}}
	if err := call.Arguments(&c.arguments); err != nil {
		return nil, err
	}
	if c.dir = c.Cwd; !filepath.IsAbs(c.dir) {
		c.dir = filepath.Join(call.Dir, c.dir)
	}
	if c.Async {
		c.details.TimeoutSeconds = most
	}
	if c.Timeout != nil {
		wish := *c.Timeout
		c.details.TimeoutSeconds = min(max(wish, minTimeout), most)
		if c.details.TimeoutSeconds != wish {
			c.details.RequestedTimeoutSeconds = wish
			c.notices = append(c.notices, fmt.Sprintf("Timeout clamped to %gs (requested %gs; allowed range %d-%ds).",
				c.details.TimeoutSeconds, wish, minTimeout, b.opts.MaxTimeout))
		}
	}
	return c, nil
}

// Run runs the command. What it printed is there however it ended; anything but
// exit code 0 makes the output an error.
func (b bash) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	c, err := b.read(call)
	if err != nil {
		return tool.Output{}, err
	}
	switch {
	case !c.Async && b.opts.Terminals != nil && !b.opts.Terminal:
		return b.atHost(ctx, c, call)
	case c.Async || b.mayMove():
		return b.background(ctx, c, call)
	}
	return b.run(ctx, c, call, func(tail string) { call.Update(tool.TextOutput(tail)) })
}

// run runs the command and puts together what came of it; tell gets the end of
// what was printed so far, each time anew.
func (b bash) run(ctx context.Context, c *command, call tool.Call, tell func(tail string)) (tool.Output, error) {
	var whole artifact
	order := b.order(c, call, &whole)
	order.Output = tell
	began := time.Now()
	result, err := b.opts.Runner.Run(ctx, order)
	if err != nil {
		return tool.ErrorOutput(err.Error()), nil
	}
	details, notices := c.details, c.notices
	details.WallTimeMs = time.Since(began).Milliseconds()
	if result.NoTerminal {
		notices = append(notices, "pty requested but unavailable in this environment; ran without a terminal")
	}
	if result.Truncated {
		cut := truncation(result, call.Spill.Bounds().Limit)
		notices = append(notices, whole.save(cut, call))
		details.Meta = &tool.Meta{Truncation: cut}
	}
	return output(result, details, notices)
}

// order is the command as the shell gets it; what it prints goes to whole, too,
// which may be nil.
func (b bash) order(c *command, call tool.Call, whole io.Writer) shell.Command {
	bounds := call.Spill.Bounds()
	return shell.Command{
		Line: c.Command, Dir: c.dir, Env: c.Env, Terminal: b.opts.Terminal,
		Timeout: time.Duration(c.details.TimeoutSeconds * float64(time.Second)),
		Columns: b.opts.Columns, Head: bounds.Head, Tail: max(bounds.Limit-bounds.Head-maxNotice, bounds.Limit/4), Spill: whole,
	}
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

func truncation(r shell.Result, limit int) *tool.Truncation {
	return &tool.Truncation{
		Direction: "middle", TruncatedBy: "middle", TotalLines: r.TotalLines, TotalBytes: r.TotalBytes,
		OutputLines: r.OutputLines, OutputBytes: r.OutputBytes, MaxBytes: limit,
		ElidedLines: max(0, r.TotalLines-r.OutputLines), ElidedBytes: max(0, r.TotalBytes-r.OutputBytes),
	}
}
