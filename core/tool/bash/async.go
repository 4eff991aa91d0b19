package bash

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/tool"
)

// Async says where a command goes on.
type Async struct {
	State  string   `json:"state"` // running
	JobID  string   `json:"jobId"`
	Type   job.Kind `json:"type"`
	Reason string   `json:"reason,omitempty"` // threshold, stall, or manual when the model asked for it
}

// Why a command goes on in the background.
const (
	byThreshold = "threshold"
	byStall     = "stall"
	byWish      = "manual"
)

// maxLabel bounds the name of a job, in runes; the rest of the command line is
// left out.
const maxLabel = 80

func (b bash) mayMove() bool { return b.opts.Async && (b.opts.Threshold != nil || b.opts.Stall != nil) }

// background begins the command as a job, or makes one of it when it takes long.
// What comes of it is told by this call or by the board, never by both.
func (b bash) background(ctx context.Context, c *command, call tool.Call) (tool.Output, error) {
	if !b.opts.Async {
		return tool.Output{}, fault.New(fault.Invalid, "Async bash execution is disabled. Run the command without async, or set async.enabled.")
	}
	board, ok := b.opts.Board(call.Session)
	switch {
	case !ok && c.Async:
		return tool.Output{}, fault.New(fault.Invalid, "Async job manager unavailable for this session. Run the command without async.")
	case !ok:
		return b.run(ctx, c, call, func(tail string) { call.Update(tool.TextOutput(tail)) })
	case c.Async:
		m := &moving{}
		m.detached.Store(true)
		id, err := board.Start(job.Bash, label(c.Command), b.work(c, call, m))
		if err != nil {
			return tool.Output{}, err
		}
		return moved(c, id, byWish, "Started as background job "+id+".")
	}
	return b.attached(ctx, board, c, call)
}

// attached runs the command until it ends or is to go on in the background.
func (b bash) attached(ctx context.Context, board *job.Board, c *command, call tool.Call) (tool.Output, error) {
	m := &moving{}
	m.heard.Store(time.Now().UnixNano())
	w := board.Begin(ctx, b.work(c, call, m))
	threshold, stall := timer(b.opts.Threshold), timer(b.opts.Stall)
	defer threshold.Stop()
	defer stall.Stop()
	for {
		reason := byThreshold
		select {
		case <-w.Done():
			return m.output, m.err
		case <-threshold.C:
		case <-stall.C:
			if quiet := time.Since(time.Unix(0, m.heard.Load())); quiet < *b.opts.Stall {
				stall.Reset(*b.opts.Stall - quiet)
				continue
			}
			reason = byStall
		}
		m.detached.Store(true) // before: the board may tell of it at once
		id, ok, err := w.Detach(job.Bash, label(c.Command))
		if !ok {
			m.detached.Store(false)
			if err != nil { // there is no room for a job: the call waits on
				threshold.Stop()
				stall.Stop()
			}
			<-w.Done() // without an error it has just ended, or been told to
			return m.output, m.err
		}
		text := fmt.Sprintf("The command still runs and goes on as background job %s.", id)
		if reason == byStall {
			text = fmt.Sprintf("The command has printed nothing for %s, perhaps as it waits for something. It goes on as background job %s.", *b.opts.Stall, id)
		}
		if tail, _ := m.tail.Load().(string); tail != "" {
			text += "\n\nIts latest output:\n" + strings.TrimRight(tail, "\n")
		}
		return moved(c, id, reason, text)
	}
}

// moving is a command that may go on behind its call.
type moving struct {
	detached atomic.Bool  // its call has returned, or is about to
	heard    atomic.Int64 // when it last printed, in nanoseconds since the epoch
	tail     atomic.Value // a string: the end of what it has printed

	output tool.Output // once the work has ended
	err    error
}

// work is the command as work of the board.
func (b bash) work(c *command, call tool.Call, m *moving) job.Run {
	return func(ctx context.Context, note func(string)) job.Result {
		m.output, m.err = b.run(ctx, c, call, func(tail string) {
			m.heard.Store(time.Now().UnixNano())
			m.tail.Store(tail)
			note(tail)
			if !m.detached.Load() {
				call.Update(tool.TextOutput(tail))
			}
		})
		if m.err != nil {
			return job.Result{Text: m.err.Error(), Failed: true}
		}
		return job.Result{Text: m.output.Content.Join("\n"), Failed: m.output.IsError}
	}
}

// timer is one that runs out after d; without one it never does.
func timer(d *time.Duration) *time.Timer {
	if d == nil {
		return time.NewTimer(math.MaxInt64)
	}
	return time.NewTimer(*d)
}

// moved is the output of a call whose command goes on.
func moved(c *command, id, reason, text string) (tool.Output, error) {
	details := c.details
	details.Async = &Async{State: string(job.Running), JobID: id, Type: job.Bash, Reason: reason}
	text += "\n\nIts result will come to you by itself. The tool job waits for it, shows its output or ends it."
	if len(c.notices) > 0 {
		text += "\n" + strings.Join(c.notices, "\n")
	}
	return tool.Detailed(tool.TextOutput(text), details)
}

// label names the job of a command line.
func label(line string) string {
	first, _, more := strings.Cut(strings.TrimSpace(line), "\n")
	if runes := []rune(first); len(runes) > maxLabel {
		first, more = string(runes[:maxLabel]), true
	}
	if more {
		first += "…"
	}
	return first
}
