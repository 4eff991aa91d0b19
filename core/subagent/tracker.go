package subagent

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// What a report of progress shows at the most.
const (
	recentTools = 5
	recentLines = 8       // not empty
	recentBytes = 8 << 10 // of output they are taken from
	shownArgs   = 200     // bytes
	progressGap = 150 * time.Millisecond
)

// tracker follows the events of one agent. A mutex owns what it counts, since
// hosts ask for it at any time.
type tracker struct {
	life  event.AgentLife // as it began; never changed
	task  string
	known bool // to the host; the roster's

	mu      sync.Mutex
	began   time.Time
	updated time.Time
	at      event.AgentProgress
	usage   message.Usage
	output  []byte // the end of what it has said
	calls   []call // those that run, the oldest first
	dirty   bool   // something has happened since the last report
}

// call is a tool call that runs.
type call struct {
	id, tool, args string
	began          int64 // milliseconds since the epoch
}

func newTracker(life event.AgentLife, task string) *tracker {
	now := time.Now()
	return &tracker{life: life, task: task, began: now, updated: now, at: event.AgentProgress{
		Index: life.Index, ID: life.ID, Agent: life.Agent, AgentSource: life.AgentSource, Status: event.AgentPending,
		Task: task, Description: life.Description, RecentTools: []event.RecentTool{}, RecentOutput: []string{},
	}}
}

// see takes in events of the agent's session, in their order.
func (t *tracker) see(events []event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range events {
		t.one(e)
	}
	t.updated, t.dirty = time.Now(), true
}

func (t *tracker) one(e event.Event) {
	switch e := e.(type) {
	case event.AgentStart:
		t.at.Status = event.AgentRunning
	case *event.MessageUpdate:
		if e.Part.Kind == event.TextDelta {
			t.say(e.Part.Delta)
		}
	case event.MessageEnd:
		if m, ok := e.Message.(*message.Assistant); ok {
			t.answered(m)
		}
	case event.ToolStart:
		t.calls = append(t.calls, call{id: e.ToolCallID, tool: e.ToolName, args: clipped(string(e.Args)), began: time.Now().UnixMilli()})
	case event.ToolEnd:
		t.ended(e.ToolCallID)
		if e.ToolName == "task" {
			t.spend(nestedUsage(e.Result.Details))
		}
	case event.AutoRetryStart:
		t.at.RetryState = &event.AgentRetry{
			Attempt: e.Attempt, MaxAttempts: e.MaxAttempts, DelayMs: e.DelayMs, ErrorMessage: e.ErrorMessage, StartedAtMs: time.Now().UnixMilli(),
		}
	case event.AutoRetryEnd:
		t.at.RetryState = nil
		if !e.Success {
			t.at.RetryFailure = &event.AgentGaveUp{Attempt: e.Attempt, ErrorMessage: e.FinalError}
		}
	}
}

// ended moves a call from those that run to those that have.
func (t *tracker) ended(id string) {
	at := slices.IndexFunc(t.calls, func(c call) bool { return c.id == id })
	if at < 0 {
		return // it was refused before it began
	}
	done := t.calls[at]
	t.calls = slices.Delete(t.calls, at, at+1)
	t.at.ToolCount++
	recent := t.at.RecentTools // hosts may still read it: the next one is a copy
	t.at.RecentTools = append(slices.Clone(recent[max(0, len(recent)-recentTools+1):]),
		event.RecentTool{Tool: done.tool, Args: done.args, EndMs: time.Now().UnixMilli()})
}

// overridden notes the selector that has found the agent's model, in place of its
// parent's.
func (t *tracker) overridden(selector string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.ModelOverride = []string{selector}
}

// asks notes the model that the agent begins with; nil for none.
func (t *tracker) asks(m *model.Model) {
	if m == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.ResolvedModel, t.at.ContextWindow = m.Ref(), m.ContextWindow
}

func (t *tracker) answered(m *message.Assistant) {
	t.say("\n")
	t.at.Requests++
	t.at.ResolvedModel = m.Provider + "/" + m.Model
	t.spend(m.Usage)
	if prompt := m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite; prompt > 0 {
		t.at.ContextTokens = prompt
	}
}

func (t *tracker) spend(u message.Usage) {
	t.usage = t.usage.Plus(u)
	t.at.Tokens, t.at.Cost = t.usage.TotalTokens, t.usage.Cost.Total
}

// nestedUsage is what the agents of a finished task call have used.
func nestedUsage(details json.RawMessage) message.Usage {
	var told struct {
		Usage message.Usage `json:"usage"`
	}
	_ = json.Unmarshal(details, &told) // what cannot be read has used nothing that we know of
	return told.Usage
}

func (t *tracker) say(text string) {
	t.output = append(t.output, text...)
	if over := len(t.output) - 2*recentBytes; over > 0 { // cut now and then, not each time
		t.output = slices.Delete(t.output, 0, over+recentBytes)
	}
}

func clipped(text string) string {
	if len(text) <= shownArgs {
		return text
	}
	return strings.ToValidUTF8(text[:shownArgs], "") + "…"
}

// end sets the status it has ended with.
func (t *tracker) end(status event.AgentStatus) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.Status, t.updated = status, time.Now()
}

// progress is how far the agent has come. fresh tells whether anything has
// happened since it was last asked for.
func (t *tracker) progress() (p event.AgentProgress, fresh bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh, t.dirty = t.dirty, false
	return t.now(time.Now()), fresh
}

// now is the progress, with the lock.
func (t *tracker) now(at time.Time) event.AgentProgress {
	p := t.at
	p.DurationMs = at.Sub(t.began).Milliseconds()
	if n := len(t.calls); n > 0 { // the latest stands for all
		p.CurrentTool, p.CurrentToolArgs, p.CurrentToolStartMs = t.calls[n-1].tool, t.calls[n-1].args, t.calls[n-1].began
	}
	p.RecentOutput = []string{}
	lines := strings.Split(strings.ToValidUTF8(string(t.output[max(0, len(t.output)-recentBytes):]), ""), "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" && len(p.RecentOutput) < recentLines {
			p.RecentOutput = append(p.RecentOutput, line)
		}
	}
	slices.Reverse(p.RecentOutput)
	return p
}

// spent is what the agent has used, and how many requests that took.
func (t *tracker) spent() (message.Usage, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.usage, t.at.Requests
}

func (t *tracker) snapshot(at time.Time) Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.now(at)
	return Snapshot{
		ID: t.life.ID, Index: t.life.Index, Agent: t.life.Agent, AgentSource: t.life.AgentSource, Description: t.life.Description,
		Status: p.Status, Task: t.task, SessionFile: t.life.SessionFile, LastUpdate: t.updated.UnixMilli(), Progress: &p,
		ParentToolCallID: t.life.ParentToolCallID,
	}
}

// report is the progress as hosts are told.
func (t *tracker) report(p event.AgentProgress) event.SubagentProgress {
	return event.SubagentProgress{Payload: event.AgentReport{
		Index: p.Index, Agent: p.Agent, AgentSource: p.AgentSource, Task: t.task, ParentToolCallID: t.life.ParentToolCallID,
		Progress: p, SessionFile: t.life.SessionFile, Detached: t.life.Detached,
	}}
}
