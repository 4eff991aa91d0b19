package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/core/turn"
)

// The bounds of an agent's work. At its budget of requests an agent is asked to
// come to an end, at one and a half times that it is stopped; one that stops
// without a yield is reminded so often.
const (
	usualBudget  = 200
	maxReminders = 3
)

// Texts that the agent reads.
const (
	reminderText = "You stopped without calling `yield`. If your task is done, call `yield` with your report now; if it is not, go on."
	budgetText   = "You have made many requests. Come to an end now: call `yield` with what you have, and say what is left."
	noYieldText  = "SYSTEM WARNING: Subagent exited without calling yield tool after 3 reminders."
)

var (
	errBudget  = fault.New(fault.Cancelled, "The agent has used up its budget of requests")
	errTooLong = fault.New(fault.Cancelled, "The agent has used up its time")
	errOver    = fault.New(fault.Cancelled, "The agent has ended its work")
)

// run does the work of the agent.
func (w *Work) run(ctx context.Context) (result Result) {
	w.dir = w.order.Dir
	if limit := w.team.opts.Runtime; limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, limit, errTooLong)
		defer stop()
	}
	var copied *checkout
	if w.order.Isolated {
		var err error
		if copied, err = openCheckout(ctx, w.order.Dir, w.team.opts.Env); err != nil {
			return w.result(ctx, nil, err)
		}
		defer copied.close(w.end)
		w.dir = copied.dir
	}
	result = w.inSession(ctx)
	if copied != nil {
		w.bringBack(copied, &result)
	}
	return result
}

// inSession does the work in a session, which has ended when it returns.
func (w *Work) inSession(ctx context.Context) Result {
	child, err := w.open(ctx)
	if err != nil {
		return w.result(ctx, nil, err)
	}
	defer w.endSession(child)
	err = w.drive(ctx, child)
	return w.result(ctx, child, err)
}

// open begins the agent's session. Its loop ends with endSession, and is waited
// for there.
func (w *Work) open(ctx context.Context) (*session.Session, error) {
	opts, err := w.parent.Child(ctx)
	if err != nil {
		return nil, err
	}
	w.choose(&opts)
	w.tracker.asks(opts.Choice.Model)
	opts.Gate = opts.Gate.Agent(w.tracker.life.ID, w.order.Dir, w.copied())
	opts.Choice.Interrupt = session.InterruptWait // a word about the budget is to end no calls
	opts.Dir, opts.Tools, opts.Emit, opts.Over = w.dir, w.tools(opts.Tools), w.heard, w.yield.over
	// It has to have ended before its parent gives the call up that waits for it.
	opts.Unwind = cmp.Or(opts.Unwind, turn.UnwindWait) * 2 / 3
	if _, nested := opts.Models.(limited); !nested { // an agent's agent has its slots already
		opts.Models = limited{opts.Models, w.team.slots}
	}
	offered := opts.Tools().Offered()
	system := w.system(offered)
	opts.System = func() []string { return system }
	if opts.Log, err = w.log(system, offered); err != nil {
		return nil, err
	}
	child := session.New(opts)
	w.team.enter(child, place{root: w.at.root, roster: w.at.roster, id: w.tracker.life.ID, depth: w.at.depth + 1, self: w.order.Agent})
	go child.Loop(w.end) // ends with endSession
	return child, nil
}

// endSession ends the agent's session and waits for it.
func (w *Work) endSession(child *session.Session) {
	child.Stop(w.end, errOver, true)
	<-child.Done()
	w.team.leave(child)
}

// choose picks the model: the first of the definition's that can be used, the one
// of all agents, or the parent's.
func (w *Work) choose(opts *session.Options) {
	for _, selector := range append(slices.Clip(w.order.Agent.Models), w.team.opts.Model) {
		m, level, ok := w.team.opts.Resolve(selector)
		if !ok {
			continue
		}
		opts.Choice.Model = m
		w.tracker.overridden(selector)
		if level != "" {
			opts.Choice.Thinking = level
		}
		break
	}
	if level := w.order.Agent.Thinking; level != "" {
		opts.Choice.Thinking = level
	}
}

// copied is the copy of the working tree that the agent works in, "" for none.
func (w *Work) copied() string {
	if !w.order.Isolated {
		return ""
	}
	return w.dir
}

func (w *Work) system(offered []tool.Spec) []string {
	blocks := []string{w.order.Agent.Prompt}
	if w.team.opts.System != nil {
		blocks = append(blocks, w.team.opts.System(w.dir, toolNames(offered)))
	}
	blocks = append(blocks, "When you are done, call `yield` with your report. It is all that is passed on of your work.")
	if w.order.Context != "" {
		blocks = append(blocks, "CONTEXT\n\n"+w.order.Context)
	}
	return blocks
}

// log begins the agent's transcript beside its parent's.
func (w *Work) log(system []string, offered []tool.Spec) (*transcript.Log, error) {
	place := transcript.Options{CWD: w.dir, Parent: w.parent.Path(), Blobs: w.team.opts.Blobs}
	log, err := transcript.New(place)
	if file := w.tracker.life.SessionFile; file != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, fmt.Errorf("making the folder of an agent's transcript: %w", err)
		}
		log, err = transcript.Open(file, place)
	}
	if err != nil {
		return nil, err
	}
	spawns, _ := message.Marshal(w.order.Agent.Spawns) // names always encode
	err = log.Append(&transcript.SessionInit{
		SystemPrompt: strings.Join(system, "\n\n"), Task: w.order.Task, Tools: toolNames(offered), OutputSchema: w.order.Agent.Output, Spawns: spawns,
	})
	if err != nil {
		_ = log.Close() // the first error tells
		return nil, err
	}
	return log, nil
}

func toolNames(offered []tool.Spec) []string {
	names := make([]string, len(offered))
	for i, spec := range offered {
		names[i] = spec.Name
	}
	return names
}

// drive sets the task, and reminds the agent until it has yielded. An error is
// why it did not get there.
func (w *Work) drive(ctx context.Context, child *session.Session) error {
	text := w.order.Task
	for reminders := 0; ; reminders++ {
		if err := w.prompt(ctx, child, text); err != nil || w.yield.over() {
			return err
		}
		failed, err := w.failure(child)
		switch {
		case err != nil:
			return err
		case failed != "":
			return errors.New(failed)
		case reminders == maxReminders:
			return nil // without a yield
		}
		text = reminderText
	}
}

// prompt has one prompt answered, with an eye on the budget.
func (w *Work) prompt(ctx context.Context, child *session.Session, text string) error {
	ended := make(chan error, 2) // room for both ways to end
	accepted, err := child.Prompt(ctx, session.Prompt{
		Text: text, Fail: func(err error) { ended <- err }, Done: func(session.PromptEnd) { ended <- nil },
	})
	if err != nil {
		return err
	}
	accepted.Release()
	return w.watch(ctx, child, ended)
}

// watch waits until the agent's run has ended. It aborts the run when ctx ends or
// the budget is used up, and returns why.
func (w *Work) watch(ctx context.Context, child *session.Session, ended <-chan error) error {
	tick := time.NewTicker(progressGap)
	defer tick.Stop()
	stop, reason := ctx.Done(), error(nil)
	budget := cmp.Or(w.order.Agent.Requests, w.team.opts.Requests, usualBudget)
	for {
		select {
		case err := <-ended:
			return cmp.Or(reason, err)
		case <-child.Done():
			return session.ErrClosed
		case <-stop:
			stop, reason = nil, context.Cause(ctx)
			w.abort(child)
		case <-tick.C:
			w.report()
			switch _, requests := w.tracker.spent(); {
			case requests >= budget+budget/2 && reason == nil:
				reason = errBudget
				w.abort(child)
			case requests >= budget && !w.warned && !w.team.opts.Silent:
				w.warned = true
				if _, err := child.Steer(w.end, session.Prompt{Text: budgetText}); err != nil {
					slog.Debug("an agent cannot be told of its budget", "err", err)
				}
			}
		}
	}
}

// abort tells the agent's run to end; its end is seen by prompt.
func (w *Work) abort(child *session.Session) {
	_, _ = child.Abort(w.end) // a session that has ended is what is wanted
}

// failure is why the agent's last answer failed, "" when it did not.
func (w *Work) failure(child *session.Session) (string, error) {
	messages, err := child.Messages(w.end)
	if err != nil {
		return "", err
	}
	for i := len(messages) - 1; i >= 0; i-- {
		if m, ok := messages[i].(*message.Assistant); ok {
			if m.StopReason == message.StopError || m.StopReason == message.StopAborted {
				return m.ErrorMessage, nil
			}
			return "", nil
		}
	}
	return "", nil
}

// lastText is the text of the agent's last answer, "" for none.
func (w *Work) lastText(child *session.Session) string {
	if child == nil {
		return ""
	}
	text, _, err := child.LastAssistantText(w.end)
	if err != nil {
		return ""
	}
	return text
}
