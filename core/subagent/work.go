package subagent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// Order is a task for an agent.
type Order struct {
	Agent    Definition
	Name     string // wished for; "" for any
	Context  string // what all agents of one call are told, "" for nothing
	Task     string
	Dir      string // working directory, absolute
	Isolated bool   // works on a copy of the repository
	CallID   string // of the tool call that gives it
	Detached bool   // goes on behind that call
}

// Result is how an agent ended; one for each order (facts/agent 7.2).
type Result struct {
	Index         int                `json:"index"`
	ID            string             `json:"id"`
	Agent         string             `json:"agent"`
	AgentSource   event.AgentSource  `json:"agentSource"`
	Task          string             `json:"task"`
	ExitCode      int                `json:"exitCode"` // 0, or 1 for anything but success
	Output        string             `json:"output"`   // bounded, see OutputPath for the whole
	Stderr        string             `json:"stderr"`
	Truncated     bool               `json:"truncated"`
	DurationMs    int64              `json:"durationMs"`
	Tokens        int                `json:"tokens"`
	Requests      int                `json:"requests"`
	ContextTokens int                `json:"contextTokens,omitempty"`
	ContextWindow int                `json:"contextWindow,omitempty"`
	ModelOverride []string           `json:"modelOverride,omitempty"`
	ResolvedModel string             `json:"resolvedModel,omitempty"`
	Error         string             `json:"error,omitempty"`
	Aborted       bool               `json:"aborted,omitempty"`
	AbortReason   string             `json:"abortReason,omitempty"`
	Usage         *message.Usage     `json:"usage,omitempty"`
	OutputPath    string             `json:"outputPath,omitempty"`
	PatchPath     string             `json:"patchPath,omitempty"`
	BranchName    string             `json:"branchName,omitempty"`
	Extracted     json.RawMessage    `json:"extractedToolData,omitempty"` // what the agent's schema asks for
	RetryFailure  *event.AgentGaveUp `json:"retryFailure,omitempty"`
}

// Status is the result in one word.
func (r Result) Status() event.AgentStatus {
	switch {
	case r.Aborted:
		return event.AgentAborted
	case r.ExitCode != 0:
		return event.AgentFailed
	}
	return event.AgentCompleted
}

// Work is an agent at work, from Enlist to Run.
type Work struct {
	team    *Team
	order   Order
	parent  *session.Session
	at      place // the parent's
	yield   *yield
	tracker *tracker
	told    func(event.AgentProgress)
	began   time.Time
	warned  bool            // it has been told of its budget
	dir     string          // where it works
	end     context.Context // does not end with the call: for what must be told then
}

// Enlist gives the agent its id and tells the host that it has started. The
// caller calls Run, once.
func (t *Team) Enlist(ctx context.Context, parent *session.Session, o Order) *Work {
	at := t.place(parent)
	id, index := at.roster.claim(at.id, o.Name)
	life := event.AgentLife{
		ID: id, Agent: o.Agent.Name, AgentSource: o.Agent.Source, Description: o.Agent.Description, Status: event.AgentStarted,
		ParentToolCallID: o.CallID, Index: index, Detached: o.Detached,
	}
	if folder := parent.Folder(); folder != "" {
		life.SessionFile = filepath.Join(folder, id+".jsonl")
	}
	w := &Work{
		team: t, order: o, parent: parent, at: at, yield: &yield{schema: o.Agent.Output, commit: o.Isolated && t.opts.Commits == "ai"}, tracker: newTracker(life, o.Task),
		began: time.Now(), end: context.WithoutCancel(ctx),
	}
	at.roster.enter(w.tracker)
	w.tell(LevelProgress, event.SubagentLifecycle{Payload: life})
	return w
}

// Run works to the end and says how that came; it never fails otherwise. told
// hears of the progress, at most once in progressGap, on the caller's goroutine.
// The end of ctx aborts the agent, for which Run waits; so one terminal frame and
// one result follow each start, whatever happens.
func (w *Work) Run(ctx context.Context, told func(event.AgentProgress)) (result Result) {
	w.told = told
	if caught := panics.Try(func() { result = w.run(ctx) }); caught != nil {
		slog.Error("an agent panicked", "agent", w.tracker.life.ID, "panic", caught.Value, "stack", string(caught.Stack))
		result = w.result(ctx, nil, fmt.Errorf("internal error: %v", caught.Value))
	}
	w.close(result)
	return result
}

// Progress is how far the agent has come. Safe for concurrent use.
func (w *Work) Progress() event.AgentProgress {
	w.tracker.mu.Lock()
	defer w.tracker.mu.Unlock()
	return w.tracker.now(time.Now())
}

// Refuse ends the agent before it has begun, in place of Run.
func (w *Work) Refuse(err error) {
	w.told = func(event.AgentProgress) {}
	w.close(w.result(w.end, nil, err))
}

// close tells all who want to know that the agent has ended.
func (w *Work) close(result Result) {
	w.at.roster.leave(w.tracker)
	life := w.tracker.life
	life.Status = result.Status()
	w.tracker.end(life.Status)
	final, _ := w.tracker.progress()
	w.told(final)
	w.tell(LevelProgress, w.tracker.report(final), event.SubagentLifecycle{Payload: life})
	w.note(result)
}

// tell tells the host of the session at the top, if it knows the agent and wants
// to hear so much.
func (w *Work) tell(level Level, events ...event.Event) {
	if w.team.tells(level) && w.at.roster.knows(w.tracker) {
		_ = w.at.root.Tell(w.end, events...) // an ended session has no host
	}
}

// heard takes in the events of the agent's session, on its loop.
func (w *Work) heard(events ...event.Event) {
	w.tracker.see(events)
	if !w.team.tells(LevelEvents) {
		return
	}
	wrapped := make([]event.Event, 0, len(events))
	for _, e := range events {
		if _, ours := e.(event.SessionSettled); !ours { // no host knows it unasked
			wrapped = append(wrapped, event.SubagentEvent{ID: w.tracker.life.ID, Event: e})
		}
	}
	w.tell(LevelEvents, wrapped...)
}

// report passes on how far the agent has come, if that has changed.
func (w *Work) report() {
	if p, fresh := w.tracker.progress(); fresh {
		w.told(p)
		w.tell(LevelProgress, w.tracker.report(p))
	}
}

// note puts the end of the agent on record in the parent's transcript.
func (w *Work) note(r Result) {
	status := "completed"
	switch r.Status() {
	case event.AgentFailed:
		status = "failed"
	case event.AgentAborted:
		status = "cancelled"
	}
	usage, _ := message.Marshal(r.Usage) // plain fields always encode
	isolation := "none"
	if w.order.Isolated {
		isolation = w.team.opts.Isolation
	}
	_ = w.parent.Note(w.end, &transcript.SubagentSpawn{ // an ended session takes no notes
		AgentID: r.ID, AgentName: r.Agent, Task: r.Task, SessionFile: w.tracker.life.SessionFile, Isolation: isolation,
		Status: status, ExitCode: r.ExitCode, DurationMS: r.DurationMs, Usage: usage, Error: r.Error,
	})
}

// parentOnly are tools that agents never have: what belongs to the person, and to
// the session at the top.
var parentOnly = map[string]bool{"todo": true, "ask": true, "job": true}

// tools are what the agent may use: never more than its parent has at that
// moment.
func (w *Work) tools(parents func() tool.Set) func() tool.Set {
	allowed := map[string]bool{}
	for _, name := range w.order.Agent.Tools {
		allowed[name] = true
	}
	nested := w.team.deeper(w.at.depth+1) && len(w.order.Agent.Spawns) > 0
	return func() tool.Set {
		set := parents()
		own := []tool.Tool{w.yield}
		for _, spec := range set.Offered() {
			wanted := w.order.Agent.Tools == nil || allowed[spec.Name]
			if spec.Name == "task" {
				wanted = nested
			}
			if used, ok := set.Lookup(spec.Name); ok && wanted && !parentOnly[spec.Name] {
				own = append(own, used)
			}
		}
		return tool.NewSet(own...)
	}
}
