package session

import (
	"slices"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/core/turn"
)

// conduct is what the model has done since a person last said something, in
// however many runs; reminders and guards go by it.
type conduct struct {
	turns    int // answers that did not fail
	tokens   int // that they cost, read and written
	empty    int // empty answers in a row
	reminded int // reminders of unfinished tasks
	worked   bool
	changes  int // calls that may change something, since the todo list was last touched
	nudged   int
	cuts     int      // answers that rules cut off
	past     []uint64 // what the latest turns did, oldest first, see guard.go
	warned   bool     // of repeating itself
	waits    bool     // results of jobs do, for a limit; the host knows
}

// byPerson tells whether a person speaks.
func byPerson(m message.Message) bool {
	c, ok := m.(*message.Custom)
	return m.Speaker() == message.RoleUser || ok && callsSkill(c)
}

// observe notes what a turn did.
func (st *state) observe(o turn.Outcome) {
	c := &st.conduct
	if o.Err == nil {
		st.unforce()
		c.turns++
		c.tokens += o.Message.Usage.TotalTokens
	}
	c.worked = c.worked || len(o.Results) > 0
	tools := st.s.opts.Tools()
	for _, r := range o.Results {
		if used, ok := tools.Lookup(r.ToolName); r.ToolName == "todo" {
			c.changes = 0
		} else if ok && used.Spec().Tier != tool.TierRead {
			c.changes++
		}
	}
	if st.run.cut == nil { // an answer that was cut off did nothing
		c.remember(o, st.s.opts.Budget)
	}
}

// advise tells the model, before its next answer, what its latest calls give
// reason for.
func (st *state) advise(o turn.Outcome) {
	if slices.ContainsFunc(o.Results, func(r *message.ToolResult) bool { return r.ToolName == "todo" && r.IsError }) {
		st.whisper("todo-error-reminder", todoFailedText)
	}
	st.heedRules()
	st.nudge()
	st.warnOfRepeats()
}

// whisper tells the model something that hosts do not show. It is kept, so that
// the model finds it again in the next request and after a resume.
func (st *state) whisper(kind, text string) { st.whisperWith(kind, text, nil) }

func (st *state) whisperWith(kind, text string, details []byte) {
	content := message.Blocks{message.NewText(text)}
	m := &message.Custom{
		Role: message.RoleCustom, CustomType: kind, Content: content, Details: details, Attribution: "agent", Timestamp: message.Now(),
	}
	st.take(m)
	err := st.log().Append(&transcript.CustomMessage{CustomType: kind, Content: content, Details: details, Attribution: "agent"})
	st.noteEntry(m, err)
	st.wrote(err)
}

// instruct is whisper in the program's own voice.
func (st *state) instruct(text string) {
	st.record(&message.Developer{
		Role: message.RoleDeveloper, Content: message.Blocks{message.NewText(text)}, Attribution: "agent", Timestamp: message.Now(),
	})
}
