package session

import (
	"encoding/json"
	"errors"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/rule"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/core/turn"
)

// maxCuts bounds the answers that rules cut off for one prompt; later ones are
// let through unseen, as a rule that is heard again and again must not keep the
// model from ever ending.
const maxCuts = 8

// cutOff is an answer that a rule has cut off, while its turn unwinds.
type cutOff struct {
	rules []*rule.Rule
	held  []message.Message // the answer and its results, which may be thrown away
}

// cutting is how the turn tells the loop of it; hosts get the event in it.
type cutting struct {
	event.TTSRTriggered
	rules []*rule.Rule
}

// watch lets the rules see the turn. They are the turn's while it runs, and the
// loop's between turns.
func (st *state) watch(in *turn.Input) {
	rules := st.rules
	if rules == nil || st.conduct.cuts >= maxCuts {
		return
	}
	rules.Begin()
	in.Watch = func(part event.Part) *turn.Cut {
		broken := rules.See(part)
		if len(broken) == 0 {
			return nil
		}
		told := make([]*event.Rule, len(broken))
		for i, r := range broken {
			told[i] = &r.Rule
		}
		return &turn.Cut{Reason: errors.New(rule.Reason(broken)), Event: cutting{event.TTSRTriggered{Rules: told}, broken}}
	}
	in.Amend = func(call *message.ToolCall, output tool.Output) tool.Output {
		if broken := rules.OfCall(call.ID); len(broken) > 0 {
			output.Content = append(message.Blocks{message.NewText(rule.Reminder(broken))}, output.Content...)
		}
		return output
	}
}

// heldBack keeps a message of an answer that was cut off out of the context and
// the transcript, until it is known whether it is thrown away.
func (st *state) heldBack(m message.Message) bool {
	cut := st.run.cut
	if cut == nil || st.rules.Set().Keep() {
		return false
	}
	cut.held = append(cut.held, m)
	return true
}

// interject follows a turn whose answer a rule has cut off: the model is told of
// the rule and answers anew, as a part of the same prompt. If the run ends here
// for another reason, what had been said stands.
func (st *state) interject() {
	r, cut := st.run, st.run.cut
	r.cut = nil
	st.conduct.cuts++
	aborted, limited := r.ctx.Err() != nil, st.limit() != ""
	if aborted || limited {
		for _, m := range cut.held {
			st.record(m)
		}
	}
	switch {
	case aborted:
		st.endRun()
	case limited:
		st.breakOff()
	default:
		st.inject(append(cut.rules, st.rules.Rest()...), rule.Interruption)
		st.again()
	}
}

// heedRules tells the model of the rules that it has broken without being cut
// off, and whether there were any.
func (st *state) heedRules() bool {
	if st.rules == nil {
		return false
	}
	if told := st.rules.Told(); len(told) > 0 { // with the results of its calls
		st.noteRules(told)
	}
	rest := st.rules.Rest()
	if len(rest) == 0 {
		return false
	}
	st.inject(rest, rule.Reminder)
	return true
}

func (st *state) inject(rules []*rule.Rule, text func([]*rule.Rule) string) {
	details, _ := json.Marshal(map[string]any{"rules": rule.Names(rules)}) // names always encode
	st.whisperWith("ttsr-injection", text(rules), details)
	st.noteRules(rules)
}

// noteRules remembers beyond this process that the model knows the rules.
func (st *state) noteRules(rules []*rule.Rule) {
	st.wrote(st.log().Append(&transcript.RuleInjection{InjectedRules: rule.Names(rules)}))
}
