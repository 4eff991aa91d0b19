// Package task is the tool by which a model hands work to other agents.
package task

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	board "veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/tool"
)

// maxTasks bounds the agents of one call; more are refused.
const maxTasks = 64

//go:embed task.md
var description string

// Options say how the tool works.
type Options struct {
	Team  *subagent.Team
	Dir   string // whose agents the description lists: the session's directory
	Batch bool   // one call may start several agents (agent.batch)
	Async bool   // agents may go on behind the call (async.enabled)
	Eager bool   // the model is to hand over what it can (agent.delegation)
}

// New returns the tool. The definitions of agents are read anew for each call;
// the description lists those of now.
func New(opts Options) tool.Tool {
	return task{opts, tool.Spec{
		Name: "task", Label: "Task", Description: describe(opts), Parameters: parameters(opts), Tier: tool.TierExec,
	}}
}

type task struct {
	opts Options
	spec tool.Spec
}

func (t task) Spec() tool.Spec { return t.spec }

func describe(opts Options) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(description))
	if opts.Eager {
		b.WriteString("\n\nHand over whatever stands by itself, rather than doing it in your own context.")
	}
	if opts.Async {
		b.WriteString("\n\nWith `async` the call returns at once, the agents go on as background jobs, and each report comes to you by itself once its agent has ended; look after them with `job`. Without it the agents end with this call: an abort ends them.")
	}
	b.WriteString("\n\nAgents:")
	for _, d := range opts.Team.Agents(opts.Dir).All() {
		fmt.Fprintf(&b, "\n- %s: %s", d.Name, d.Description)
	}
	return b.String()
}

func parameters(opts Options) json.RawMessage {
	one := map[string]any{
		"task":  text("What to do, and what to report"),
		"agent": text("The kind of agent; task when it is left out"),
		"name":  text("A short name, to tell agents apart"),
		"cwd":   text("The directory to work in, if not yours"),
	}
	if opts.Team.Isolates() {
		one["isolated"] = map[string]any{"type": "boolean", "description": "Work on a copy of the git repository; the changes are brought back in the end"}
	}
	all := map[string]any{}
	required := []string{"task"}
	if opts.Batch {
		all["tasks"] = map[string]any{
			"type": "array", "minItems": 1, "maxItems": maxTasks,
			"items": map[string]any{"type": "object", "properties": one, "required": required, "additionalProperties": false},
		}
		all["context"] = text("What all of the agents are told besides, such as the aim of the whole")
		required = []string{"tasks"}
	} else {
		all = one
	}
	if opts.Async {
		all["async"] = map[string]any{"type": "boolean", "description": "Go on in the background"}
	}
	raw, _ := message.Marshal(map[string]any{ // plain values always encode
		"type": "object", "properties": all, "required": required, "additionalProperties": false,
	})
	return raw
}

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

type wish struct {
	Name     string `json:"name"`
	Agent    string `json:"agent"`
	Task     string `json:"task"`
	Isolated bool   `json:"isolated"`
	Cwd      string `json:"cwd"`
}

type arguments struct {
	wish
	Context string `json:"context"`
	Tasks   []wish `json:"tasks"`
	Async   bool   `json:"async"`
}

// Details is what hosts are told (facts/agent 7.2).
type Details struct {
	ProjectAgentsDir *string               `json:"projectAgentsDir"`
	Results          []subagent.Result     `json:"results"` // never nil
	TotalDurationMs  int64                 `json:"totalDurationMs"`
	Usage            *message.Usage        `json:"usage,omitempty"`
	OutputPaths      []string              `json:"outputPaths,omitempty"`
	Progress         []event.AgentProgress `json:"progress,omitempty"`
	Async            *Async                `json:"async,omitempty"`
}

// Async tells of agents that go on in the background; JobID is the first.
type Async struct {
	State  string   `json:"state"` // running
	JobID  string   `json:"jobId"`
	Type   string   `json:"type"` // task
	JobIDs []string `json:"jobIds"`
}

// Run starts the agents and waits for them, unless they are to go on behind the
// call. An agent that fails is a result like others; the call fails when all do.
func (t task) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	parent, ok := session.Of(call.Session)
	if !ok {
		return tool.Output{}, fmt.Errorf("there is no session to start agents for")
	}
	var args arguments
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	orders, err := t.orders(parent, args, call)
	if err != nil {
		return tool.Output{}, err
	}
	began := time.Now()
	var async *Async
	var lines []string
	if b, has := session.Board(call.Session); has && args.Async {
		var behind []subagent.Order
		if behind, orders = part(orders); len(behind) > 0 {
			if async, lines, err = t.detach(ctx, b, parent, behind); err != nil && len(orders) == 0 {
				return tool.Output{}, err
			}
		}
	}
	results := t.wait(ctx, parent, orders, call)
	return output(results, async, lines, time.Since(began), call)
}

// part tells those that may go on behind the call from those whose definition
// says that they block.
func part(orders []subagent.Order) (behind, blocking []subagent.Order) {
	for _, o := range orders {
		if o.Agent.Blocking {
			blocking = append(blocking, o)
		} else {
			behind = append(behind, o)
		}
	}
	return behind, blocking
}

// orders checks what is asked for. The errors are for the model.
func (t task) orders(parent *session.Session, args arguments, call tool.Call) ([]subagent.Order, error) {
	wishes := args.Tasks
	if len(wishes) == 0 && args.Task != "" {
		wishes = []wish{args.wish}
	}
	switch {
	case len(wishes) == 0:
		return nil, fault.New(fault.Invalid, "Missing tasks")
	case len(wishes) > maxTasks:
		return nil, fault.Newf(fault.Invalid, "Too many tasks: %d, at most %d", len(wishes), maxTasks)
	}
	known := t.opts.Team.Agents(call.Dir)
	orders, names := make([]subagent.Order, len(wishes)), map[string]bool{}
	for i, w := range wishes {
		kind := w.Agent
		if kind == "" {
			kind = "task"
		}
		d, ok := known.Lookup(kind)
		if !ok {
			return nil, fault.Newf(fault.Invalid, "Unknown agent %q. Available: %s", kind, list(known))
		}
		if err := t.opts.Team.May(parent, d); err != nil {
			return nil, err
		}
		switch {
		case strings.TrimSpace(w.Task) == "":
			return nil, fault.Newf(fault.Invalid, "Missing task of task %d", i+1)
		case w.Name != "" && names[w.Name]:
			return nil, fault.Newf(fault.Invalid, "Duplicate task name %q", w.Name)
		}
		names[w.Name] = true
		dir := call.Dir
		if w.Cwd != "" {
			dir = file.Resolve(call.Dir, w.Cwd)
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return nil, fault.Newf(fault.Invalid, "Not a directory: %s", w.Cwd)
			}
		}
		orders[i] = subagent.Order{
			Agent: d, Name: w.Name, Context: args.Context, Task: w.Task, Dir: dir, Isolated: w.Isolated && t.opts.Team.Isolates(), CallID: call.ID,
		}
	}
	return orders, nil
}

func list(known subagent.Agents) string {
	var names []string
	for _, d := range known.All() {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// updateEvery is how often a host is told how the agents stand.
const updateEvery = 150 * time.Millisecond

// wait runs the agents at the same time and waits for all.
func (t task) wait(ctx context.Context, parent *session.Session, orders []subagent.Order, call tool.Call) []subagent.Result {
	standing := &standing{progress: make([]event.AgentProgress, len(orders))}
	results := make([]subagent.Result, len(orders))
	ended := make(chan struct{})
	var agents sync.WaitGroup
	for i, order := range orders { // their ids and frames are in the order of the call
		work := t.opts.Team.Enlist(ctx, parent, order)
		standing.enter(i, work.Progress()) // hosts count on an entry for each
		agents.Go(func() {
			results[i] = work.Run(ctx, func(p event.AgentProgress) { standing.set(i, p) })
		})
	}
	go func() { defer close(ended); agents.Wait() }() // ends with the agents, which hear ctx
	tick := time.NewTicker(updateEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return results
		case <-tick.C:
			if progress, fresh := standing.get(); fresh {
				out, err := tool.Detailed(tool.TextOutput(inShort(progress)), Details{Results: []subagent.Result{}, Progress: progress})
				if err == nil {
					call.Update(out)
				}
			}
		}
	}
}

// standing is how the agents of a call stand.
type standing struct {
	mu       sync.Mutex
	progress []event.AgentProgress
	fresh    bool
}

// enter notes an agent that has done nothing worth a report yet.
func (s *standing) enter(i int, p event.AgentProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress[i] = p
}

func (s *standing) set(i int, p event.AgentProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress[i], s.fresh = p, true
}

func (s *standing) get() ([]event.AgentProgress, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.fresh
	s.fresh = false
	return slices.Clone(s.progress), fresh
}

func inShort(progress []event.AgentProgress) string {
	var lines []string
	for _, p := range progress {
		lines = append(lines, fmt.Sprintf("%s (%s): %s, %s", p.ID, p.Agent, p.Status, tool.Count(p.ToolCount, "tool call")))
	}
	return strings.Join(lines, "\n")
}

// output puts together what the model and the host see: how the agents ended,
// and which go on. The call fails when all that it waited for have, and none
// goes on.
func output(results []subagent.Result, async *Async, lines []string, took time.Duration, call tool.Call) (tool.Output, error) {
	details := Details{Results: results, TotalDurationMs: took.Milliseconds(), Async: async}
	if dir := subagent.ProjectDir(call.Dir); dir != "" {
		details.ProjectAgentsDir = &dir
	}
	var texts []string
	if len(lines) > 0 {
		texts = append(texts, strings.Join(lines, "\n"))
	}
	failed := 0
	for _, r := range results {
		texts = append(texts, r.Shown())
		if r.ExitCode != 0 {
			failed++
		}
		if r.Usage != nil {
			sum := *r.Usage
			if details.Usage != nil {
				sum = details.Usage.Plus(sum)
			}
			details.Usage = &sum
		}
		if r.OutputPath != "" {
			details.OutputPaths = append(details.OutputPaths, r.OutputPath)
		}
	}
	text, _ := tool.Shorten(strings.Join(texts, "\n\n---\n\n"), "task", call)
	out := tool.TextOutput(text)
	out.IsError = async == nil && failed == len(results)
	return tool.Detailed(out, details)
}

// detach lets each agent go on as a background job, and says so in a line each.
// The error tells that none could be started; the lines then say it too.
func (t task) detach(ctx context.Context, b *board.Board, parent *session.Session, orders []subagent.Order) (*Async, []string, error) {
	async := &Async{State: string(board.Running), Type: string(board.Task)}
	var lines, failures []string
	for _, order := range orders {
		order.Detached = true
		work := t.opts.Team.Enlist(ctx, parent, order)
		id, err := b.Start(board.Task, label(order), func(ctx context.Context, note func(string)) board.Result {
			r := work.Run(ctx, func(p event.AgentProgress) { note(strings.Join(p.RecentOutput, "\n")) })
			return board.Result{Text: r.Shown(), Failed: r.ExitCode != 0, Usage: r.Usage}
		})
		if err != nil {
			work.Refuse(err)
			failures = append(failures, err.Error())
			continue
		}
		async.JobIDs = append(async.JobIDs, id)
		lines = append(lines, fmt.Sprintf("%s: %s goes on in the background", id, label(order)))
	}
	if len(failures) > 0 {
		lines = append(lines, "Failed to start background task job(s): "+strings.Join(failures, "; "))
	}
	if len(async.JobIDs) == 0 {
		return nil, lines, fault.New(fault.Invalid, lines[0])
	}
	async.JobID = async.JobIDs[0]
	return async, lines, nil
}

// label is what a job of the board is called.
func label(o subagent.Order) string {
	name := o.Agent.Name
	if o.Name != "" {
		name += " " + o.Name
	}
	if o.Dir != "" {
		name += " in " + filepath.Base(o.Dir)
	}
	return name
}
