package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the whole command line. The launch flags stand at the root, so that
// they may come before or after the name of a command.
type cli struct {
	launchFlags
	Version versionFlag `short:"v" help:"Print the version."`

	Launch     launchCommand     `cmd:"" default:"withargs" hidden:"" help:"Serve a protocol on stdin and stdout (with --mode)."`
	ACP        acpCommand        `cmd:"" name:"acp" help:"Serve the Agent Client Protocol on stdin and stdout, for editors."`
	Models     modelsCommand     `cmd:"" help:"List models, or refresh the catalogue."`
	Session    sessionCommand    `cmd:"" help:"List sessions, or count what one came to."`
	Export     exportCommand     `cmd:"" help:"Write a session as a page of HTML."`
	Config     configCommand     `cmd:"" help:"Show or change settings of the profile."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"List MCP servers, or trust those of a project."`
	Topology   topologyCommand   `cmd:"" help:"Print the pipeline: stages, channels, pools, and which command runs where."`
	Convert    convertCommand    `cmd:"" hidden:"" help:"Turn a document on stdin into text; the program does so for itself."`
	Completion completionCommand `cmd:"" help:"Print a shell script that completes commands and flags."`
}

// launchFlags are the flags hosts spawn us with (facts/rpc 1.1, facts/platform
// 1.4), as far as they have a meaning here.
type launchFlags struct {
	Mode            string   `placeholder:"MODE" help:"Protocol to serve: rpc, rpc-ui for a host that answers dialogs, or acp."`
	Profile         *string  `placeholder:"NAME" help:"Profile to use."`
	ConfigFile      []string `name:"config" sep:"none" placeholder:"FILE" help:"Settings that overlay the profile's; repeatable, later ones win."`
	Cwd             string   `placeholder:"DIR" help:"Working directory."`
	AllowHome       bool     `name:"allow-home" help:"Work in the home directory when started there."`
	Model           string   `placeholder:"MODEL" help:"Model: provider/id, an id, or a part of a name; :LEVEL at the end sets the thinking level."`
	Provider        string   `placeholder:"ID" help:"Provider that --model is looked up in."`
	ModelScope      string   `name:"models" placeholder:"LIST" help:"Models that cycle_model goes through: globs, separated by commas."`
	Smol            string   `placeholder:"MODEL" help:"Model of the role smol, for small work."`
	Slow            string   `placeholder:"MODEL" help:"Model of the role slow, for hard work."`
	Plan            string   `placeholder:"MODEL" help:"Model of the role plan."`
	SubagentModel   string   `name:"subagent-model" placeholder:"MODEL" help:"Model of agents that name none of their own; @ROLE is that of a role."`
	CompactionModel string   `name:"compaction-model" placeholder:"MODEL" help:"Model that writes summaries."`
	Thinking        string   `placeholder:"LEVEL" help:"Thinking level: off, minimal, low, medium, high, xhigh, max or auto."`
	APIKey          string   `name:"api-key" placeholder:"KEY" help:"API key for the chosen model's provider; never stored."`
	Script          string   `placeholder:"FILE" help:"Turns that the model scripted/script plays."`
	System          prose    `name:"system-prompt" placeholder:"TEXT" help:"Text, or a file, in place of the built-in system prompt."`
	AppendSystem    prose    `name:"append-system-prompt" placeholder:"TEXT" help:"Text, or a file, added to the system prompt."`
	Tools           string   `placeholder:"LIST" help:"Builtin tools to offer, separated by commas."`
	NoTools         bool     `name:"no-tools" help:"Offer no builtin tools."`
	NoPty           bool     `name:"no-pty" help:"Run the model's commands without a terminal."`
	NoTitle         bool     `name:"no-title" help:"Accepted: titles are never made by a model here."`
	NoLSP           bool     `name:"no-lsp" help:"Accepted: there are no language servers here."`
	Skills          string   `placeholder:"LIST" help:"The only skills to load: names with * and ?, separated by commas."`
	NoSkills        bool     `name:"no-skills" help:"Do not load skills."`
	NoRules         bool     `name:"no-rules" help:"Do not load rules."`
	NoExtensions    bool     `name:"no-extensions" help:"Do not load extensions."`
	ApprovalMode    string   `name:"approval-mode" placeholder:"MODE" help:"Which tool calls run without asking: yolo (all), auto-edit, ask, or plan, which refuses instead."`
	Yolo            bool     `aliases:"auto-approve" help:"The same as --approval-mode yolo."`
	SkipAsking      bool     `name:"dangerously-skip-permissions" help:"Ask about nothing, whatever modes and rules say; what they deny stays denied."`
	Continue        bool     `short:"c" help:"Go on with the latest session of the working directory."`
	Resume          string   `short:"r" aliases:"session" placeholder:"SESSION" help:"Go on with a session: an id, the beginning of one, or a file."`
	Fork            string   `placeholder:"SESSION" help:"Go on with a copy of a session: an id, the beginning of one, or a file."`
	SessionDir      string   `name:"session-dir" placeholder:"DIR" help:"Folder for session files."`
	NoSession       bool     `name:"no-session" help:"Keep the session in memory only."`
	CacheKey        string   `name:"provider-session-id" aliases:"prompt-cache-key" placeholder:"ID" help:"Names the session to the provider, for its prompt cache."`
	MaxTime         string   `placeholder:"TIME" help:"Time limit of the session: seconds, or a duration such as 10m."`
	Drain           bool     `help:"At the end of input, let the running turn and the queues finish first."`
	OutboxBytes     *int     `name:"outbox-bytes" placeholder:"N" help:"Bytes kept in memory for a host that reads slowly (16 MiB); more goes to disk."`
	MessageUpdates  string   `name:"message-updates" placeholder:"delta|full" help:"What message updates carry besides the delta: full has the whole message so far."`
	Trace           string   `placeholder:"FILE" help:"Write a Go execution trace."`
}

type launchCommand struct {
	Messages []string `arg:"" optional:"" help:"Ignored in protocol modes."`
}

// prose is text that may begin with a hyphen, as a list does. (kong has an
// option for that, but then takes the end of the line as a value, too.)
type prose string

// Decode is kong's way to read a value.
func (p *prose) Decode(ctx *kong.DecodeContext) error {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return errors.New("expected a text")
	}
	*p = prose(token.String())
	return nil
}

// commandNames are the commands, for hints.
var commandNames = []string{"launch", "acp", "models", "session", "export", "config", "mcp", "topology", "convert", "completion"}

// parse reads the command line. run does what it says; it is nil when that is
// done already (--help and --version, printed to out).
func parse(args []string, out io.Writer) (run func() error, err error) {
	if rest, ok := settingUp(args); ok {
		var c cli
		if _, over, err := parseInto(&c, rest, out); over || err != nil {
			return nil, err
		}
		return func() error { return setUp(&c.launchFlags) }, nil
	}
	if len(args) > 0 && args[0] == modeACP {
		if flags, ok := quick(args[1:]); ok {
			return func() error { return (&acpCommand{}).Run(flags) }, nil
		}
	}
	if flags, ok := quick(args); ok {
		return func() error { return (&launchCommand{}).Run(flags) }, nil
	}
	var c cli
	parsed, over, err := parseInto(&c, args, out)
	if over || err != nil {
		return nil, err
	}
	return func() error { return parsed.Run(&c.launchFlags) }, nil
}

// parseInto fills the command line c; over means that there is nothing to run.
func parseInto(c *cli, args []string, out io.Writer) (parsed *kong.Context, over bool, err error) {
	k, err := newParser(c, out)
	if err != nil {
		return nil, false, err
	}
	k.Exit = func(int) { over = true } // nothing may exit past our defers
	parsed, err = k.Parse(args)
	if over {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, usage(err)
	}
	return parsed, false, nil
}

// newParser builds the command line c; help goes to out.
func newParser(c *cli, out io.Writer) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("veyyon"),
		kong.Description("A headless coding agent, driven over stdio by other programs."),
		kong.Writers(out, out),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}

// versionFlag prints the version instead of running anything.
type versionFlag bool

// BeforeReset is kong's hook for a flag that was given.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	_, _ = fmt.Fprintln(k.Stdout, "veyyon "+version()) // as for help, nobody to tell
	k.Exit(exitOK)
	return nil
}

// The exit codes (facts/platform 1.6). A signal gives 128 and its number.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// exitError is an error that decides the exit code.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

// exitCode reports err on stderr and returns the code it stands for.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	code := exitFailure
	var exit *exitError
	if errors.As(err, &exit) {
		code = exit.code
	}
	if text := err.Error(); text != "" {
		_, _ = fmt.Fprintf(stderr, "Error: %s\n", text) // stderr may be gone; the code still tells
	}
	return code
}

// usage turns kong's refusal into ours.
func usage(err error) error {
	text := err.Error()
	if flag, ok := strings.CutPrefix(text, "unknown flag "); ok {
		flag, _, _ = strings.Cut(flag, ",")
		if _, err := strconv.ParseFloat(flag, 64); err == nil {
			return usageErrorf("unknown flag: %s\nA value that begins with a hyphen needs -- before it.", flag)
		}
		return usageErrorf("unknown flag: %s\nRun `veyyon --help` for available flags.", flag)
	}
	return usageErrorf("%s\nRun `veyyon --help` for available flags.", text)
}
