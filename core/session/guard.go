package session

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/turn"
)

// Budget bounds what one prompt may cost (settings session.maxTurns and
// session.maxTokens). It counts from the last message of a person, and 0 is no
// limit. A run that reaches it ends between two turns, with a reason.
type Budget struct {
	Turns  int // answers of the model
	Tokens int // read and written by these answers
	// Repeats is how often a model makes the same calls, with the same results,
	// until it is told; 0 is the usual number, and negative never. A few times
	// more and its run ends. Exempt are the tools whose calls do not count.
	Repeats int
	Exempt  []string
}

// repeats is Repeats as it holds.
func (b Budget) repeats() int {
	if b.Repeats < 0 {
		return math.MaxInt / 2
	}
	return cmp.Or(b.Repeats, usualRepeats)
}

const (
	// maxEmpty bounds the empty answers in a row that are thrown away and asked
	// for again; the next one stands, and ends the run.
	maxEmpty = 3
	// A model that does the same again with the same outcome is told of it at
	// the third time, and its run ends after five more.
	usualRepeats = 3
	moreRepeats  = 5
	// mostRepeats bounds the setting of the former; it bounds what is remembered.
	mostRepeats = 100
	// maxPeriod is how many turns a round may have that counts as the same.
	maxPeriod = 3
)

const (
	emptyText = "Your last answer was empty: it had neither text nor a tool call. " +
		"Go on with the task, or say what was done."
	emptyEndText = "Assistant returned empty stop after retry cap" // facts/agent 1.11
	repeatText   = "The last calls were the same as before and gave the same results. Repeating them does not help: " +
		"do something else, or stop and say what is in the way."
)

// emptyStop tells whether the model stopped without a word and without a call.
func emptyStop(m *message.Assistant) bool {
	stopped := m.StopReason == message.StopStop || m.StopReason == message.StopToolUse
	return stopped && !paused(m) && len(m.Content.ToolCalls()) == 0 && strings.TrimSpace(m.Content.Text()) == ""
}

// askForWords throws an empty answer away and asks again, a few times.
func (st *state) askForWords(m *message.Assistant) {
	c := &st.conduct
	switch {
	case c.empty >= maxEmpty:
		st.failed(m)
		st.emit(event.AutoRetryEnd{Attempt: c.empty, FinalError: emptyEndText})
		st.endRun()
		return
	case st.limit() != "":
		st.failed(m)
		st.breakOff()
		return
	}
	c.empty++
	st.forget(m)
	st.instruct(emptyText)
	st.again()
}

// breakOff ends the run at a limit and says which: to the host now, and to the
// model in its next request.
func (st *state) breakOff() {
	reason := st.limit()
	st.emit(event.Notice{Level: "warning", Message: reason + " The run was ended; the next prompt goes on from here.", Source: "guard"})
	st.whisper("run-ended", "The run was ended before you had finished. "+reason+" Go on only as the person asks now.")
	st.endRun()
}

// spent tells whether what no person asked for has to wait for the next prompt,
// since a limit has been reached. The host is told so once.
func (st *state) spent() bool {
	reason := st.limit()
	if reason != "" && st.s.board.Free() > 0 && !st.conduct.waits {
		st.conduct.waits = true
		st.emit(event.Notice{Level: "warning", Message: reason + " What background jobs have come to waits for the next prompt.", Source: "guard"})
	}
	return reason != ""
}

// limit says which limit keeps the run from going on, "" for none.
func (st *state) limit() string {
	c, limit := &st.conduct, st.s.opts.Budget
	switch {
	case limit.Turns > 0 && c.turns >= limit.Turns:
		return fmt.Sprintf("The limit of %d turns a prompt (session.maxTurns) has been reached.", limit.Turns)
	case limit.Tokens > 0 && c.tokens >= limit.Tokens:
		return fmt.Sprintf("The limit of %d tokens a prompt (session.maxTokens) has been reached.", limit.Tokens)
	}
	if n := c.repeats(); n >= limit.repeats()+moreRepeats {
		return fmt.Sprintf("The model made the same tool calls %d times with the same results.", n)
	}
	return ""
}

// remember notes what a turn did: its calls and what they gave. Waiting for a
// job is no repetition.
func (c *conduct) remember(o turn.Outcome, limit Budget) {
	calls := o.Message.Content.ToolCalls()
	if len(calls) == 0 {
		if !emptyStop(o.Message) {
			c.empty, c.past = 0, nil
		}
		return
	}
	c.empty = 0
	results := map[string]*message.ToolResult{}
	for _, r := range o.Results {
		results[r.ToolCallID] = r
	}
	sum := fnv.New64a()
	part := func(text string) {
		_ = binary.Write(sum, binary.LittleEndian, uint64(len(text))) // a hash takes all
		_, _ = sum.Write([]byte(text))
	}
	for _, call := range calls {
		if call.Name == "job" || slices.Contains(limit.Exempt, call.Name) {
			c.past = nil
			return
		}
		part(call.Name)
		part(string(call.Arguments))
		if r := results[call.ID]; r != nil {
			part(r.Content.Text())
		}
	}
	c.past = append(c.past, sum.Sum64())
	if extra := len(c.past) - maxPeriod*(min(limit.repeats(), mostRepeats)+moreRepeats); extra > 0 {
		c.past = c.past[extra:]
	}
	if c.repeats() < limit.repeats() {
		c.warned = false
	}
}

// repeats counts how often the model has just done the same, be it one turn or
// a round of a few.
func (c *conduct) repeats() int {
	most := 0
	for period := 1; period <= maxPeriod; period++ {
		same := 0
		for i := len(c.past) - 1; i >= period && c.past[i] == c.past[i-period]; i-- {
			same++
		}
		if n := same/period + 1; same > 0 && n > most {
			most = n
		}
	}
	return most
}

// warnOfRepeats tells the model once that it goes round in circles.
func (st *state) warnOfRepeats() {
	if c := &st.conduct; !c.warned && c.repeats() >= st.s.opts.Budget.repeats() {
		c.warned = true
		st.whisper("tool-call-loop-redirect", repeatText)
	}
}
