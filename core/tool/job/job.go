// Package job is the tool that looks after background jobs.
package job

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	board "veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// updateEvery is how often a host is told how the jobs stand while a poll waits
// (facts/agent 8.10).
const updateEvery = 500 * time.Millisecond

// shownProgress is how much of the latest output of a running job is shown, in
// bytes.
const shownProgress = 2000

//go:embed job.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "poll": {"type": "array", "items": {"type": "string"}, "description": "Ids of jobs to wait for; empty for any job"},
    "cancel": {"type": "array", "items": {"type": "string"}, "description": "Ids of jobs to end"},
    "list": {"type": "boolean", "description": "Show all jobs"}
  },
  "additionalProperties": false
}`

// Options say how the tool works.
type Options struct {
	// Board finds the jobs of the session a call is for; ok is false for one
	// that has none.
	Board func(tool.Session) (b *board.Board, ok bool)
	// Wait is how long a poll waits; 0 leaves it to experience (async.pollWaitDuration).
	Wait time.Duration
}

// New returns the tool.
func New(opts Options) tool.Tool { return jobs{opts} }

type jobs struct{ opts Options }

func (jobs) Spec() tool.Spec {
	return tool.Spec{
		Name: "job", Label: "Job", Description: description, Parameters: json.RawMessage(parameters), Tier: tool.TierRead, Interruptible: true,
	}
}

// Details is what hosts are told (facts/agent 8.10).
type Details struct {
	Jobs      []Job       `json:"jobs"`
	Cancelled []Cancelled `json:"cancelled,omitempty"`
	// Usage is what the jobs cost whose results are told here: what is delivered
	// by itself is counted there.
	Usage *message.Usage `json:"usage,omitempty"`
}

// spend adds what a job cost to the usage.
func (d *Details) spend(u *message.Usage) {
	switch {
	case u == nil:
	case d.Usage == nil:
		d.Usage = u
	default:
		sum := d.Usage.Plus(*u)
		d.Usage = &sum
	}
}

// Job is how a job stands.
type Job struct {
	ID         string       `json:"id"`
	Type       board.Kind   `json:"type"`
	Status     board.Status `json:"status"`
	Label      string       `json:"label"`
	DurationMs int64        `json:"durationMs"`
	ResultText string       `json:"resultText,omitempty"`
	ErrorText  string       `json:"errorText,omitempty"`
}

// Cancelled says what became of the wish to cancel a job.
type Cancelled struct {
	ID     string        `json:"id"`
	Status board.Outcome `json:"status"`
}

type arguments struct {
	Poll   []string `json:"poll"`
	Cancel []string `json:"cancel"`
	List   bool     `json:"list"`
}

// Run cancels first, then waits, then lists. Only results that have not been
// told yet are told.
func (j jobs) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args arguments
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	b, ok := j.opts.Board(call.Session)
	if !ok {
		return tool.TextOutput("Async execution is disabled; no background jobs are available."), nil
	}
	details, text := Details{Jobs: []Job{}}, &strings.Builder{}
	for _, id := range args.Cancel {
		outcome := b.Cancel(id)
		details.Cancelled = append(details.Cancelled, Cancelled{id, outcome})
		fmt.Fprintf(text, "%s: %s\n", id, strings.ReplaceAll(string(outcome), "_", " "))
	}
	if args.Poll != nil {
		for _, c := range j.wait(ctx, b, args.Poll, call) {
			details.Jobs = append(details.Jobs, describe(text, c))
			if c.Fresh {
				details.spend(c.Result.Usage)
			}
		}
	}
	if args.List || args.Poll == nil && args.Cancel == nil {
		for _, known := range b.List() {
			details.Jobs = append(details.Jobs, describe(text, board.Claim{Job: known, Known: true}))
		}
	}
	if text.Len() == 0 {
		text.WriteString("There are no background jobs.")
	}
	short, _ := tool.Shorten(strings.TrimRight(text.String(), "\n"), "job", call)
	return tool.Detailed(tool.TextOutput(short), details)
}

// wait waits as Board.Wait does, and tells the host meanwhile how the jobs stand.
func (j jobs) wait(ctx context.Context, b *board.Board, ids []string, call tool.Call) []board.Claim {
	limit := j.opts.Wait
	if limit == 0 {
		limit = b.Patience()
	}
	for over := time.Now().Add(limit); ; {
		claims := b.Wait(ctx, ids, min(updateEvery, time.Until(over)))
		fresh, running := false, false
		for _, c := range claims {
			fresh, running = fresh || c.Fresh, running || c.Status == board.Running
		}
		if fresh || !running || ctx.Err() != nil || !time.Now().Before(over) {
			b.Waited(fresh)
			return claims
		}
		progress := Details{Jobs: []Job{}}
		text := &strings.Builder{}
		for _, c := range claims {
			progress.Jobs = append(progress.Jobs, describe(text, c))
		}
		if out, err := tool.Detailed(tool.TextOutput(text.String()), progress); err == nil {
			call.Update(out)
		}
	}
}

// describe writes how the job stands, for the model, and returns it for hosts.
func describe(text *strings.Builder, c board.Claim) Job {
	if !c.Known {
		fmt.Fprintf(text, "%s: there is no such job, or it was over long ago\n", c.ID)
		return Job{ID: c.ID, Status: board.Failed, ErrorText: "not found"}
	}
	j := Job{ID: c.ID, Type: c.Kind, Status: c.Status, Label: c.Label, DurationMs: c.Duration.Milliseconds()}
	fmt.Fprintf(text, "%s (%s): %s, %s\n", c.ID, c.Label, c.Status, c.Duration.Round(time.Millisecond))
	switch {
	case c.Fresh && c.Result.Failed:
		j.ErrorText = c.Result.Text
	case c.Fresh:
		j.ResultText = c.Result.Text
	case c.Status == board.Running && c.Progress != "":
		latest := c.Progress[max(0, len(c.Progress)-shownProgress):]
		fmt.Fprintf(text, "latest output:\n%s\n", strings.TrimRight(strings.ToValidUTF8(latest, ""), "\n"))
	}
	if c.Fresh {
		text.WriteString(strings.TrimRight(c.Result.Text, "\n") + "\n\n")
	}
	return j
}
