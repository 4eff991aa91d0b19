package approval

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/tool"
)

// errAway is why a dialog is taken back: nobody is there to answer it.
var errAway = errors.New("the host has left this conversation")

// Options are what a gate is made of.
type Options struct {
	Policy   Policy
	Approver host.Approver // nil when nobody can be asked
	Timeout  time.Duration // of a question; 0 waits for ever
	Remember bool          // answers that hold for the session are offered
	// Kinds parts the calls that an answer holds for into kinds: an edit that
	// deletes or moves a file is not one that changes it.
	Kinds  bool
	Texts  Texts
	Bypass bool // nobody is asked, as if all were approved, until SetBypass says otherwise
}

// A Gate stands before the tools of one session and of the agents that work for
// it, which share what the person has said. Its methods are safe for concurrent
// use; only Check waits, for the person.
type Gate struct {
	*common
	agent  string   // "" for the session itself
	within []string // where calls may reach
	homes  []string // the session's directory and copies of it, where rules hold for programs with a relative path
}

// common is what a session and its agents share.
type common struct {
	opts   Options
	asking *semaphore.Weighted // one dialog at a time

	mu         sync.Mutex
	bypass     bool
	planning   bool               // only what reads may run
	remembered map[string]Verdict // by what keyOf says
	present    context.Context    // ends when the host leaves
	leave      context.CancelCauseFunc
}

// NewGate returns the gate of a session that works in dir.
func NewGate(opts Options, dir string) *Gate {
	c := &common{opts: opts, asking: semaphore.NewWeighted(1), bypass: opts.Bypass, remembered: map[string]Verdict{}}
	c.present, c.leave = context.WithCancelCause(context.Background())
	return &Gate{common: c, within: []string{dir}, homes: []string{dir}}
}

// Agent is the gate of an agent that works for the session, nil when that has
// none. It may reach no further, but for a copy of dir that was made for it to
// work in; copied is "" for none.
func (g *Gate) Agent(id, dir, copied string) *Gate {
	if g == nil {
		return nil
	}
	child := &Gate{common: g.common, agent: id, within: g.within, homes: g.homes}
	if copied == "" {
		return child
	}
	if len(Call{Within: g.within}.beyond(dir)) == 0 {
		child.within = append(slices.Clip(g.within), copied)
	}
	if slices.Contains(g.homes, dir) {
		child.homes = append(slices.Clip(g.homes), copied)
	}
	return child
}

// Leave says that the host turns to another session: dialogs are taken back, and
// until Return the calls that need an answer are refused. A gate that is nil does
// nothing.
func (g *Gate) Leave() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(errAway)
}

// Return says that the host is back. A gate that is nil does nothing.
func (g *Gate) Return() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.present.Err() != nil {
		g.present, g.leave = context.WithCancelCause(context.Background())
	}
}

// Bypassed tells whether nobody is asked.
func (g *Gate) Bypassed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bypass
}

// SetBypass says whether nobody is to be asked. What is denied stays denied.
func (g *Gate) SetBypass(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bypass = on
}

// SetPlanning says whether only calls may run that read, whatever was said.
func (g *Gate) SetPlanning(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.planning = on
}

// planned refuses what changes something while the session plans.
func (g *Gate) planned(c Call) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.planning && c.Tier != tool.TierRead
}

// Check decides whether a call runs. A refusal takes the place of the tool's
// output. When ask is there, the person has to be asked: it waits for the answer,
// and refuses likewise; the end of its context takes the dialog back.
func (g *Gate) Check(spec tool.Spec, call tool.Call) (refusal *tool.Output, ask func(context.Context) *tool.Output) {
	c := Call{Tool: spec.Name, Tier: spec.Tier, Args: call.Args, Dir: call.Dir, Within: g.within, Homes: g.homes}
	if c.local() {
		c.Tier = tool.TierRead // the session's own
	}
	d := g.opts.Policy.Decide(c)
	if g.planned(c) {
		d = Decision{Verdict: Deny, Reason: planText(c)}
	}
	if d.Verdict == Prompt {
		if known, ok := g.known(c, d); ok {
			return output(known), nil
		}
		return nil, func(ctx context.Context) *tool.Output { return output(g.settle(ctx, call.ID, c, d)) }
	}
	return output(d), nil
}

// settle turns the wish to ask into a verdict.
func (g *Gate) settle(ctx context.Context, id string, c Call, d Decision) Decision {
	g.mu.Lock()
	present := g.present
	g.mu.Unlock()
	if g.opts.Approver == nil || present.Err() != nil {
		return unavailable(c)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(present, func() { cancel(context.Cause(present)) })()
	if err := g.asking.Acquire(ctx, 1); err != nil {
		return interrupted(ctx, c)
	}
	defer g.asking.Release(1)
	if known, ok := g.known(c, d); ok { // the dialog before may have settled it
		return known
	}
	return g.ask(ctx, id, c, d)
}

// known is what needs no question: the person has said it.
func (g *Gate) known(c Call, d Decision) (Decision, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bypass {
		return Decision{Verdict: Allow}, true
	}
	verdict := g.remembered[g.keyOf(c)]
	switch {
	case verdict == Deny:
		return refused(Denied, g.opts.Texts.before(c.Tool)), true
	case verdict == Allow && !d.Again:
		return Decision{Verdict: Allow}, true
	}
	return Decision{}, false
}

func (g *Gate) remember(c Call, v Verdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remembered[g.keyOf(c)] = v
}

// keyOf names the calls that an answer for this one holds for.
func (g *Gate) keyOf(c Call) string {
	if kind := c.fate(); g.opts.Kinds && kind != "" {
		return c.Tool + ":" + kind
	}
	return c.Tool
}

// ask puts the question.
func (g *Gate) ask(ctx context.Context, id string, c Call, d Decision) Decision {
	grant, err := g.opts.Approver.Approve(ctx, host.Permission{
		CallID: id, Tool: c.Tool, Args: c.Args, Text: g.title(c, d), Title: c.gist(),
		Lasting: g.opts.Remember, LastingAllow: g.opts.Remember && !d.Again, Timeout: g.opts.Timeout,
	})
	texts := g.opts.Texts
	switch {
	case errors.Is(err, host.ErrGone):
		return refused(Unavailable, err.Error())
	case ctx.Err() != nil:
		return interrupted(ctx, c)
	case err != nil:
		return refused(Unavailable, err.Error())
	}
	switch grant {
	case host.Allowed:
		return Decision{Verdict: Allow}
	case host.AllowedAlways:
		g.remember(c, Allow)
		return Decision{Verdict: Allow}
	case host.DeniedAlways:
		g.remember(c, Deny)
	case host.Dismissed:
		return refused(Dismissed, texts.dismissed(c.Tool))
	case host.TimedOut:
		return refused(TimedOut, texts.dismissed(c.Tool))
	}
	return refused(Denied, texts.denied(c.Tool))
}
