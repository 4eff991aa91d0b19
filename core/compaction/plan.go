package compaction

import (
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/message"
)

// minRemoved is how many tokens a compaction must take out of the context to be
// worth a request: a summary is hardly ever shorter.
const minRemoved = 256

// A Plan says what a compaction of a context does.
type Plan struct {
	// Previous is the summary that the context begins with, without its file
	// lists; "" for none.
	Previous string
	History  []message.Message // what is summarised as a whole; may be empty
	// Prefix is the beginning of the turn that the cut goes through; empty when
	// it goes through none.
	Prefix []message.Message
	Kept   []message.Message // stays as it is; never empty
	Cut    int               // where Kept begins in the context
}

// Make plans to keep about so many tokens of the newest messages. mayCut tells
// where the caller can cut; nil allows all. The cut never stands at a tool
// result, nor between a call and its result, wherever that stands. ok is false
// when nothing is left to summarise.
func Make(context []message.Message, keep int, mayCut func(message.Message) bool) (p Plan, ok bool) {
	begin := 0
	if len(context) > 0 {
		if s, is := context[0].(*message.CompactionSummary); is {
			begin, p.Previous = 1, withoutFiles(s.Summary)
		}
	}
	cut := place(context, begin, keep, mayCut)
	if cut <= begin || Total(context[begin:cut]) < minRemoved {
		return Plan{}, false
	}
	turn := turnStart(context, begin, cut)
	p.History, p.Prefix = context[begin:turn:turn], context[turn:cut:cut]
	p.Kept, p.Cut = slices.Clone(context[cut:]), cut
	return p, true
}

// Removed are the messages that the summary stands for.
func (p Plan) Removed() []message.Message { return slices.Concat(p.History, p.Prefix) }

// place is where to cut: the first good place at or behind the point where the
// kept part has reached keep tokens; without one, the last good place before it.
// 0 means nowhere.
func place(context []message.Message, begin, keep int, mayCut func(message.Message) bool) int {
	at, kept := len(context), 0
	for at > begin && kept < keep {
		at--
		kept += Tokens(context[at])
	}
	if kept < keep || at == begin && kept < 2*keep {
		return 0 // all of it is to be kept, or little more
	}
	parts := parted(context)
	good := func(i int) bool {
		return !parts[i] && cuttable(context[i]) && (mayCut == nil || mayCut(context[i]))
	}
	for i := max(at, begin+1); i < len(context); i++ { // a cut at the beginning takes nothing away
		if good(i) {
			return i
		}
	}
	for i := at - 1; i > begin; i-- {
		if good(i) {
			return i
		}
	}
	return 0
}

// cuttable tells whether a kept part may begin with such a message.
func cuttable(m message.Message) bool {
	switch m.(type) {
	case *message.User, *message.Assistant, *message.BashExecution, *message.Custom, *message.BranchSummary:
		return true
	}
	return false
}

// parted tells of each place whether a cut there parts a call from its result.
// A result belongs to the nearest call of its id before it.
func parted(context []message.Message) []bool {
	calls := map[string]int{}
	opened := make([]int, len(context)+1) // calls that begin to wait here, less those that end to
	for i, m := range context {
		switch m := m.(type) {
		case *message.Assistant:
			for _, call := range m.Content.ToolCalls() {
				calls[call.ID] = i
			}
		case *message.ToolResult:
			if from, known := calls[m.ToolCallID]; known {
				opened[from+1]++
				opened[i+1]--
			}
		}
	}
	parts, waiting := make([]bool, len(context)), 0
	for i := range parts {
		waiting += opened[i]
		parts[i] = waiting > 0
	}
	return parts
}

// turnStart is where the turn begins that a cut goes through; the cut itself
// when it goes through none.
func turnStart(context []message.Message, begin, cut int) int {
	if _, is := context[cut].(*message.Assistant); !is {
		return cut
	}
	for i := cut - 1; i >= begin; i-- {
		if _, is := context[i].(*message.User); is {
			return i
		}
	}
	return cut
}

// splitTurn stands above the summary of the turn that was cut, and splitRule
// between what was before and that (facts/agent 4.5).
const (
	splitTurn = "**Turn Context (split turn):**\n\n"
	splitRule = "\n\n---\n\n"
)

// Join makes the summary of its parts; either may be empty.
func Join(history, prefix string, files Files) string {
	text := strings.TrimSpace(history)
	if prefix = strings.TrimSpace(prefix); prefix != "" {
		if text != "" {
			text += splitRule
		}
		text += splitTurn + prefix
	}
	return text + files.text()
}

// shortRunes bounds a short summary.
const shortRunes = 120

// Short is the first line of a summary that says something: lists of sessions
// show it. "" when there is none.
func Short(summary string) string {
	for line := range strings.Lines(summary) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") {
			continue // a heading in bold
		}
		line = strings.TrimLeft(line, "-*> ")
		if line == "" || line[0] == '#' || line[0] == '<' {
			continue
		}
		if runes := []rune(line); len(runes) > shortRunes {
			line = string(runes[:shortRunes-1]) + "…"
		}
		return line
	}
	return ""
}
