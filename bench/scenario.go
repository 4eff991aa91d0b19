package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A scenario measures one thing about a server.
type scenario struct {
	name  string
	run   func(context.Context, *bench) (result, error)
	limit time.Duration // scenarioLimit if 0
}

// A result is what a scenario found: its figures and, for the plot, how its
// latencies are spread.
type result struct {
	rows   []row
	curves []curve
}

var scenarios = []scenario{
	{name: "start", run: runStart},
	{name: "state", run: runState},
	{name: "flood", run: runFlood},
	{name: "stream", run: runStream},
	{name: "bash", run: runBash},
	{name: "tool", run: runTool},
	{name: "stall", run: runStall},
	{name: "long", run: runLong},
	{name: "list", run: runList},
	{name: "resume", run: runResume},
	{name: "context", run: runContext},
	{name: "acp", run: runACP},
	{name: "chaos", run: runChaos, limit: 20 * time.Minute},
}

// outboxBudget is the server's default --outbox-bytes, in MiB.
const outboxBudget = 16

// limits are the figures that must hold, by scenario and metric. A ratio is
// that of the server's figure to the reference's.
var limits = map[string]limit{
	"start ready":                atMostTimes(3),
	"start idle_memory":          atMostAbove(24),
	"state p50":                  atMostTimes(5),
	"flood rate":                 atLeastTimes(0.4),
	"stream rate":                atLeastTimes(0.4),
	"stream growth":              atMostTimes(12),
	"stream lateness_p50":        atMostTimes(3),
	"bash true_p50":              atMostTimes(0.5),
	"bash at_once_beyond_sleep":  atMostTimes(0.6),
	"bash output_memory":         atMost(32),
	"stall memory":               atMostAbove(outboxBudget + 16),
	"stall lost":                 atMost(0),
	"long latency_p50":           atMostTimes(1.5),
	"long memory_second_half":    atMostTimes(1.3),
	"list page_of_300_huge":      atMostTimes(3),
	"list page_of_30_real":       atMostTimes(3),
	"resume switch_session":      atMostTimes(2),
	"resume first_page":          atMostTimes(0.05),
	"resume state_p99_meanwhile": atMostTimes(5),
	"context spawn_to_request":   atMostTimes(1.5),
	"context ready_to_request":   atMostTimes(1.5),
	"acp start":                  atMostTimes(4),
	"acp stream_rate":            atLeastTimes(0.4),
	"acp stream_rate_of_rpc":     atLeastTimes(0.6),
	"acp prompt_p50_of_rpc":      atMostTimes(1.6),
	"acp turns_of_100_sessions":  atMostTimes(1.3),
	"acp memory_of_a_session":    atMost(1),
	"chaos losses":               atMost(0),
}

// scenarioLimit ends a scenario whose server does not answer.
const scenarioLimit = 3 * time.Minute

// bench is what all scenarios share.
type bench struct {
	bin, echo, streamref string // programs; without bin the server runs inside this process
	check                bool   // limits are checked, so that a scenario that misses one is measured again
	quick                bool
	kills                int    // of chaos; 0 for its own number
	seed                 uint64 // of chaos
	runs                 int    // rounds, server and reference by turns
	show                 func(what string)
}

// start starts a server that knows the model, which may be nil.
func (b *bench) start(ctx context.Context, model *modelServer) (*process, error) {
	args := []string{"--mode", "rpc"}
	var setup func(home string) error
	if model != nil {
		args, setup = append(args, "--model", modelName), model.configure
	}
	if b.bin == "" {
		return inside(ctx, setup)
	}
	return start(ctx, b.bin, args, setup)
}

// connect starts a server and drives it by hand.
func (b *bench) connect(ctx context.Context, model *modelServer) (*host, error) {
	p, err := b.start(ctx, model)
	if err != nil {
		return nil, err
	}
	return greet(p)
}

// meet starts a server and drives it by the client.
func (b *bench) meet(ctx context.Context, model *modelServer) (peer, error) {
	p, err := b.start(ctx, model)
	if err != nil {
		return peer{}, err
	}
	return meet(ctx, p)
}

// pick is full, or quick in a quick run.
func (b *bench) pick(full, quick int) int {
	if b.quick {
		return quick
	}
	return full
}

// tries is how often a scenario is measured that misses a limit, when limits are
// checked: one that is met with room on a quiet machine can be missed on a busy
// one, but hardly three times in a row.
const tries = 3

// quickSlack is how far beyond its limit a ratio may be in a quick run, which
// measures a few times on whatever machine a change is checked on: so much two runs
// of one program differ there. A full run forgives nothing.
const quickSlack = 1.3

func slack(quick bool) float64 {
	if quick {
		return quickSlack
	}
	return 1
}

// run goes through the scenarios of these names, all when there are none. One
// that fails does not keep the others from running.
func (b *bench) run(ctx context.Context, names []string) (all result, failed []error) {
	for _, s := range selected(names) {
		b.show(s.name)
		found, err := b.one(ctx, s)
		for try := 0; b.check && try < tries-1 && err == nil && misses(found.rows, slack(b.quick)) != nil; try++ {
			b.show(s.name + " again")
			found, err = b.one(ctx, s)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		all.rows = append(all.rows, found.rows...)
		all.curves = append(all.curves, found.curves...)
		if ctx.Err() != nil {
			break
		}
	}
	return all, failed
}

func (b *bench) one(ctx context.Context, s scenario) (result, error) {
	most := cmp.Or(s.limit, scenarioLimit)
	ctx, stop := context.WithTimeoutCause(ctx, most, fmt.Errorf("not done after %v", most))
	defer stop()
	found, err := s.run(ctx, b)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return found, err
}

func selected(names []string) []scenario {
	if len(names) == 0 {
		return scenarios
	}
	var some []scenario
	for _, s := range scenarios {
		if slices.Contains(names, s.name) {
			some = append(some, s)
		}
	}
	return some
}
