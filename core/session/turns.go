package session

import (
	"context"
	"errors"
	"slices"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/turn"
)

// maxPauses bounds the answers in a row in which a provider only paused; at the
// next one the run ends as if the model had stopped.
const maxPauses = 8

// startTurn asks the model, with the tools, model and level of this moment.
func (st *state) startTurn() {
	r, m := st.run, st.choice.Model
	provider, err := st.s.opts.Models.Provider(m)
	if err != nil {
		provider = unavailable{err}
	}
	tools := st.tools()
	in := turn.Input{
		Provider: provider,
		Request: &model.Request{
			Model: m, System: st.instructions(), Messages: st.seen.of(st.messages), Tools: toolSpecs(tools.Offered()),
			Thinking: st.level(), CacheKey: st.cacheKey(),
			Memo: st.memo,
		},
		Tools: tools, Dir: st.s.Dir(), Session: toolView{st.s, st.life}, Spill: st.s.opts.Spill, Full: st.s.opts.Full != nil && st.s.opts.Full(),
		CallID: st.callIDs.unique, // the turn's while it runs: the loop notes ids only of messages the turn has finished
	}
	models := st.s.opts.Models
	in.Key = func(ctx context.Context) (string, error) { return models.Key(ctx, m) }
	in.Abort, in.Unwind = r.cancel, st.s.opts.Unwind
	if _, ok := tools.Lookup(st.forced); ok {
		r.forced, in.Request.Force = true, st.forced
	}
	if r.steering {
		in.Steered = st.s.steered.Load
	}
	if gate := st.s.Gate(); gate != nil {
		in.Approve = gate.Check
	}
	st.watch(&in)
	r.turn = turn.Start(r.ctx, in)
}

// steps takes a burst of the turn's events.
func (st *state) steps(burst []event.Event) {
	for len(burst) > 0 {
		updates := 0 // they change nothing here, and go on together
		for updates < len(burst) && isUpdate(burst[updates]) {
			updates++
		}
		if updates > 0 {
			st.emit(burst[:updates]...)
		} else {
			st.step(burst[0])
			updates = 1
		}
		burst = burst[updates:]
	}
}

func isUpdate(e event.Event) bool {
	_, is := e.(*event.MessageUpdate)
	return is
}

// step takes one event of the turn. What a message says is stored before the
// host hears of it.
func (st *state) step(e event.Event) {
	if cut, ok := e.(cutting); ok {
		st.run.cut, e = &cutOff{rules: cut.rules}, cut.TTSRTriggered
	}
	end, ended := e.(event.MessageEnd)
	if ended {
		st.keep(end.Message)
	}
	st.emit(e)
	if answer, ok := end.Message.(*message.Assistant); ok {
		st.retryDone(answer)
	}
}

// keep adds a message of the turn to the run. A failed answer is stored only
// once it is known to stand, see turnOver.
func (st *state) keep(m message.Message) {
	st.run.messages = append(st.run.messages, m)
	if st.heldBack(m) {
		return
	}
	switch m := m.(type) {
	case *message.Assistant:
		if provisional(m) {
			st.take(m)
			return
		}
	case *message.ToolResult:
		if phases, ok := todosOf(m); ok {
			st.todos = phases
		}
	}
	st.record(m)
}

// provisional tells whether another answer may take the place of this one.
func provisional(m *message.Assistant) bool { return mayBeRetried(m) || emptyStop(m) }

// mayBeRetried tells whether the answer failed before any call in it was
// complete.
func mayBeRetried(m *message.Assistant) bool {
	return m.StopReason == message.StopError && len(m.Content.ToolCalls()) == 0
}

// turnOver decides what comes after a turn.
func (st *state) turnOver() {
	r := st.run
	outcome := r.turn.Outcome()
	r.turn = nil
	st.emit(event.TurnEnd{Message: outcome.Message, ToolResults: outcome.Results})
	st.observe(outcome)
	r.overflowed = r.overflowed && outcome.Err != nil
	switch {
	case r.cut != nil:
		st.interject()
	case outcome.Message.StopReason == message.StopAborted:
		st.endRun()
	case outcome.Err != nil:
		if !st.overflowed(outcome) && !st.retry(outcome) {
			st.failed(outcome.Message)
			st.endRun()
		}
	case r.ctx.Err() != nil:
		if len(outcome.Results) > 0 {
			st.abortedTurn()
		}
		st.failed(outcome.Message)
		st.endRun()
	case len(outcome.Results) > 0 && st.s.opts.Over != nil && st.s.opts.Over():
		st.endRun()
	case emptyStop(outcome.Message):
		st.askForWords(outcome.Message)
	case (len(outcome.Results) > 0 || paused(outcome.Message)) && st.limit() != "":
		st.breakOff()
	case len(outcome.Results) > 0:
		r.pauses = 0
		st.advise(outcome)
		st.afterTools()
	case paused(outcome.Message) && r.pauses < maxPauses:
		r.pauses++
		st.nextTurn(st.takeSteering())
	default:
		st.afterAnswer(outcome.Message)
	}
}

// failed stores an answer that did not count so far and that nothing replaces.
func (st *state) failed(m *message.Assistant) {
	if provisional(m) {
		st.store(m)
	}
}

func paused(m *message.Assistant) bool {
	return m.StopDetails != nil && m.StopDetails.Type == "pause_turn"
}

// stopOrGoOn is reached when the model has nothing more to do: queued messages
// continue the run, steering before follow-ups.
func (st *state) stopOrGoOn() {
	queued := st.takeSteering()
	if len(queued) == 0 {
		queued = st.takeFollowUps()
	}
	if len(queued) == 0 && !st.spent() {
		queued = st.jobResults()
	}
	switch {
	case len(queued) > 0:
		st.heedRules()
		st.nextTurn(queued)
	case st.limit() == "" && st.heedRules():
		st.nextTurn(nil)
	case st.remind():
		st.again()
	default:
		st.endRun()
	}
}

// nextTurn goes on in the same run, with these messages first, and the results
// of background jobs before them.
func (st *state) nextTurn(queued []message.Message) {
	if slices.ContainsFunc(queued, byPerson) {
		st.conduct = conduct{}
	}
	st.emit(event.TurnStart{})
	if st.run.ctx.Err() == nil {
		queued = append(st.jobResults(), queued...)
	}
	for _, m := range queued {
		st.say(m)
	}
	st.startTurn()
}

// abortedTurn closes a run that was aborted while its tools ran: hosts expect
// its last answer to say so.
func (st *state) abortedTurn() {
	draft := model.NewDraft(st.choice.Model, model.DraftOptions{})
	m := draft.Fail(message.StopAborted, context.Cause(st.run.ctx).Error())
	st.emit(event.TurnStart{})
	st.say(m)
	st.emit(event.TurnEnd{Message: m, ToolResults: []*message.ToolResult{}})
}

// unavailable is a provider that cannot be had.
type unavailable struct{ err error }

func (u unavailable) Stream(_ context.Context, _ *model.Request, _ *model.Draft) error {
	var known *model.Error
	if errors.As(u.err, &known) {
		return known
	}
	return &model.Error{Message: u.err.Error()}
}

func toolSpecs(offered []tool.Spec) []model.ToolSpec {
	specs := make([]model.ToolSpec, len(offered))
	for i, spec := range offered {
		specs[i] = model.ToolSpec{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters}
	}
	return specs
}
