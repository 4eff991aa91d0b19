package session

import (
	"context"
	"encoding/json"
	"errors"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// Compaction says when and how the context is compacted (settings compaction.*);
// whether it is by itself is a Choice.
type Compaction struct {
	compaction.Limits
	Model          *model.Model // writes the summaries; nil leaves it to the session's
	MidTurn        bool         // also between the turns of a run
	AutoContinue   bool         // a model that had stopped before it is asked to go on after it
	SupersedeReads bool         // results of reads made again are dropped first
	DropUseless    bool         // and those their tool called useless
	// IdleAfter compacts an idle session of more than IdleTokens tokens; 0 never
	// does.
	IdleAfter  int // seconds
	IdleTokens int
}

// Why a compaction cannot be (facts/agent 4.5).
var (
	errCompacting       = fault.New(fault.Busy, "Compaction already in progress")
	errHandingOff       = fault.New(fault.Busy, "Cannot compact while a handoff is in progress")
	errCompacted        = fault.New(fault.Invalid, "Already compacted")
	errNothingToCompact = fault.New(fault.Invalid, "Nothing to compact (session too small)")
	errCompactCancelled = fault.New(fault.Cancelled, "Compaction cancelled")
	errNoModelToCompact = fault.New(fault.NoModel, "No model selected")
)

// Compact replaces old messages by a summary; instructions may say what to look
// at. The running turn is aborted first. The session counts as compacting once
// Compact has returned, and prompts accepted from then on begin after it. run
// waits for the end, and must be called. Abort cancels it (fault.Cancelled).
func (s *Session) Compact(ctx context.Context, instructions string) (run func(context.Context) (*event.CompactionResult, error), err error) {
	var w *writing
	err = try(ctx, s, func(st *state) (failed error) {
		w, failed = st.compact(instructions)
		return failed
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*event.CompactionResult, error) {
		w.await(ctx)
		return w.result, ofProvider(w.err)
	}, nil
}

func (st *state) compact(instructions string) (*writing, error) {
	switch {
	case st.stopped, st.moved:
		return nil, ErrClosed
	case st.held() && (st.handed || !st.writing.compact):
		return nil, errHandingOff
	case st.held():
		return nil, errCompacting
	case st.choice.Model == nil:
		return nil, errNoModelToCompact
	}
	if err := st.ready(); err != nil {
		return nil, err
	}
	w := st.openWriting(st.life, true)
	end := func(st *state, result *event.CompactionResult, err error) {
		w.result, w.err = result, err
		st.endWriting(w)
		st.beginNext()
	}
	w.begin = func() {
		planned, err := st.plan(st.contextTokens())
		if w.ctx.Err() != nil {
			err = errCompactCancelled
		}
		if err != nil {
			end(st, nil, err)
			return
		}
		planned.wishes.Focus = instructions
		st.summarise(w, planned, end)
	}
	st.abortRuns(ErrInterrupted)
	st.beginWriting()
	return w, nil
}

// planned is a compaction that is about to be written.
type planned struct {
	compaction.Plan
	wishes    compaction.Wishes
	firstKept string // id of the entry that the kept part begins with
	before    int    // tokens of the context
	ratio     float64
	details   json.RawMessage // of the compaction before
}

// plan plans to compact a context that really has so many tokens.
func (st *state) plan(tokens int) (*planned, error) {
	if st.log().Compacted() {
		return nil, errCompacted
	}
	p := &planned{before: tokens, ratio: st.ratio(tokens), wishes: st.wishes()}
	window := 0
	if st.choice.Model != nil {
		window = st.choice.Model.ContextWindow
	}
	ids := st.entryIDs()
	var ok bool
	p.Plan, ok = compaction.Make(st.messages, st.s.opts.Compaction.Keep(window, p.ratio), func(m message.Message) bool { return ids[m] != "" })
	if !ok {
		return nil, errNothingToCompact
	}
	first := st.log().ByID(ids[p.Kept[0]])
	for first.Parent != nil && first.Parent.Silent() {
		first = first.Parent // choices made right before it stay with it
	}
	p.firstKept = first.ID
	if last := st.log().LastCompaction(); last != nil {
		p.details = last.Details
	}
	return p, nil
}

// ratio is how many tokens there really are for each that we estimate.
func (st *state) ratio(tokens int) float64 {
	if estimated := st.estimated(); estimated > 0 && tokens > estimated {
		return float64(tokens) / float64(estimated)
	}
	return 1
}

func (st *state) wishes() compaction.Wishes {
	var w compaction.Wishes
	for _, task := range unfinished(st.todos) {
		w.Todos = append(w.Todos, task.Content)
	}
	return w
}

// summarise has the summary written and then compacts. end hears on the loop how
// it went; it closes the writing.
func (st *state) summarise(w *writing, p *planned, end func(*state, *event.CompactionResult, error)) {
	author := st.author(p.ratio)
	job := func(ctx context.Context) (written, error) { return author.summarise(ctx, p) }
	st.carryOut(w, job, func(st *state, text written, err error) {
		var result *event.CompactionResult
		switch {
		case w.ctx.Err() != nil:
			err = errCompactCancelled
		case err == nil:
			result, err = st.replaceOld(p, text)
		}
		end(st, result, err)
	})
}

// replaceOld puts the summary in place of what it stands for, in the transcript
// and in the context.
func (st *state) replaceOld(p *planned, text written) (*event.CompactionResult, error) {
	result := &event.CompactionResult{
		Summary: text.text, ShortSummary: compaction.Short(text.text), FirstKeptEntryID: p.firstKept, TokensBefore: p.before, Details: text.files.Details(),
		PreserveData: preserved(st.todos),
	}
	err := st.log().Append(&transcript.Compaction{
		Summary: result.Summary, ShortSummary: result.ShortSummary, FirstKeptEntryID: result.FirstKeptEntryID, TokensBefore: result.TokensBefore,
		Details: result.Details, PreserveData: result.PreserveData,
	})
	if errors.Is(err, transcript.ErrInvalid) {
		return nil, err
	}
	st.wrote(err)
	kept := st.messages[p.Cut:] // more than the plan's, when the host ran a command meanwhile
	kept, _ = compaction.Shrink(kept, st.room(p.ratio), message.Now())
	st.messages = append([]message.Message{&message.CompactionSummary{
		Role: message.RoleCompactionSummary, Summary: result.Summary, ShortSummary: result.ShortSummary,
		TokensBefore: result.TokensBefore, Timestamp: st.log().Leaf().Time.UnixMilli(),
	}}, kept...)
	st.generation++
	st.keepEntryIDs()
	st.size.begin(st.messages)
	result.TokensAfter = st.contextTokens()
	return result, nil
}

// room is how many tokens, by our estimate, the kept part may take at the most:
// half of what the context may hold, so that one huge result does not fill it
// again at once.
func (st *state) room(ratio float64) int {
	window := 0
	if st.choice.Model != nil {
		window = st.choice.Model.ContextWindow
	}
	threshold := st.s.opts.Compaction.Threshold(window)
	if threshold == 0 {
		return 1 << 40 // the window is not known: no limit
	}
	return int(float64(threshold) / (2 * ratio))
}

// preservedData is what a compaction entry keeps beside the summary.
type preservedData struct {
	Todos []tool.Phase `json:"todoPhases"`
}

func preserved(todos []tool.Phase) json.RawMessage {
	if todos == nil {
		todos = []tool.Phase{}
	}
	raw, err := message.Marshal(preservedData{todos})
	if err != nil {
		return nil // unreachable: strings always encode
	}
	return raw
}
