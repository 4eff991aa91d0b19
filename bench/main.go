// Command bench measures a server that speaks the protocol, against references
// taken in the same run.
//
//	go run ./bench                     all scenarios, against ./cmd/veyyon
//	go run ./bench state flood -bin X  two of them, against another binary
//	go run ./bench --quick --check     exit code 1 if a limit is missed
//
// A reference is the least a program could do in the server's place: see echo,
// streamref and plainBash.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/schollz/progressbar/v3"
)

type options struct {
	Scenarios []string `arg:"" optional:"" enum:"start,state,flood,stream,bash,tool,stall,long,list,resume,context,acp,chaos" help:"What to measure: ${enum}; all by default."`
	Bin       string   `type:"existingfile" xor:"server" placeholder:"PATH" help:"The server to measure; by default ./cmd/veyyon is built."`
	In        bool     `xor:"server" help:"Measure a server inside this process, without tools and files; for profiles."`
	JSON      bool     `help:"Print a line of JSON for each figure instead of a table."`
	Check     bool     `help:"Exit with 1 if a limit is missed three times in a row."`
	Quick     bool     `help:"Fewer and shorter rounds."`
	Plot      string   `placeholder:"FILE.svg" help:"Draw how far limits are used up, and the latencies."`
	Kills     int      `default:"0" placeholder:"N" help:"Kills of chaos; by default 1000, or 60 in a quick run."`
	Seed      uint64   `default:"0" placeholder:"S" help:"What chaos draws from; by default the clock. A failure tells it."`
	Runs      int      `default:"0" placeholder:"N" help:"Rounds, server and reference by turns; by default 7, or 3 in a quick run."`
}

// The exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program but for its process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var opts options
	exited := -1
	parser, err := kong.New(&opts, kong.Name("bench"), kong.Description("Measures a server against references of the same run."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }))
	if err == nil {
		_, err = parser.Parse(args)
	}
	switch {
	case exited >= 0: // --help
		return exited
	case err != nil:
		return complain(stderr, exitUsage, err)
	}
	found, err := measure(ctx, opts, stderr)
	if printed := report(opts, found, stdout); printed != nil {
		err = errors.Join(err, printed)
	}
	if err != nil {
		return complain(stderr, exitFailed, err)
	}
	if missed := misses(found.rows, slack(opts.Quick)); opts.Check && missed != nil {
		return complain(stderr, exitFailed, missed)
	}
	return exitOK
}

func measure(ctx context.Context, opts options, stderr io.Writer) (found result, err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{quick: opts.Quick, check: opts.Check, runs: opts.Runs, kills: opts.Kills, seed: opts.Seed}
	if b.seed == 0 {
		b.seed = uint64(time.Now().UnixNano())
	}
	if b.runs <= 0 {
		b.runs = b.pick(7, 3)
	}
	show, done := progress(stderr, len(selected(opts.Scenarios)))
	defer done()
	b.show = show
	if err := b.build(ctx, dir, opts); err != nil {
		return result{}, err
	}
	found, failed := b.run(ctx, opts.Scenarios)
	return found, errors.Join(failed...)
}

func report(opts options, found result, stdout io.Writer) error {
	write := writeTable
	switch {
	case len(found.rows) == 0: // an error tells more
		return nil
	case opts.JSON:
		write = writeJSON
	}
	if err := write(stdout, found.rows); err != nil {
		return err
	}
	if opts.Plot == "" {
		return nil
	}
	return writePlot(opts.Plot, found)
}

// misses names the limits that were missed; nil if none was.
func misses(rows []row, slack float64) error {
	var all []error
	for _, r := range rows {
		if !r.OK && !r.near(slack) {
			all = append(all, errors.New("missed: "+r.miss()))
		}
	}
	return errors.Join(all...)
}

func complain(stderr io.Writer, code int, err error) int {
	_, _ = fmt.Fprintf(stderr, "bench: %v\n", err) // there is nowhere else to say it
	return code
}

// progress shows on a terminal which of the scenarios runs. show is called at
// the beginning of each.
func progress(stderr io.Writer, scenarios int) (show func(what string), done func()) {
	file, ok := stderr.(*os.File)
	if !ok || !isTerminal(file) {
		return func(string) {}, func() {}
	}
	bar := progressbar.NewOptions(scenarios, progressbar.OptionSetWriter(file), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false), progressbar.OptionShowCount())
	started := 0
	show = func(what string) {
		bar.Describe(what)
		_ = bar.Set(started) // a bar that cannot be drawn is no failure
		started++
	}
	return show, func() { _ = bar.Finish() }
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
