package compaction

import (
	"fmt"

	"veyyon.dev/veyyon/core/message"
)

// Which old tool results are taken out of the context before it is compacted
// (facts/agent 4.4), in tokens.
const (
	recentOutput = 40_000 // of the newest results are left alone
	minSaving    = 20_000 // old results are only truncated if that saves as much
	minPruned    = 50     // results shorter than that are left alone
)

// What stands in place of results.
const (
	uselessText    = "[Uneventful result elided]"
	supersededText = "[Superseded by a later call that read the same]"
)

// Pruning says which results may be replaced.
type Pruning struct {
	SupersedeReads bool  // results of reads that were made again later
	DropUseless    bool  // results that their tool called useless
	At             int64 // the time, as messages carry it
}

// Prune replaces the contents of tool results that say nothing any more. It
// returns the context with copies of those results in it, and about how many
// tokens that saves; with 0 it is the same context. The transcript keeps them
// whole.
func Prune(context []message.Message, p Pruning) (pruned []message.Message, saved int) {
	texts := map[int]string{}
	calls := callsOf(context)
	later := map[string]bool{} // keys of calls with a good result behind this place
	outputs, old, oldTokens := 0, []int{}, 0
	for i := len(context) - 1; i >= 0; i-- {
		r, ok := context[i].(*message.ToolResult)
		if !ok {
			continue
		}
		tokens := Tokens(r)
		key := sameRead(calls[r.ToolCallID])
		again := key != "" && later[key]
		if key != "" && !r.IsError {
			later[key] = true
		}
		switch {
		case tokens < minPruned || r.PrunedAt != 0:
		case p.DropUseless && r.Useless:
			texts[i] = uselessText
		case p.SupersedeReads && again:
			texts[i] = supersededText
		case outputs > recentOutput:
			old, oldTokens = append(old, i), oldTokens+tokens
		}
		outputs += tokens
	}
	if oldTokens >= minSaving {
		for _, i := range old {
			texts[i] = fmt.Sprintf("[Output truncated - %d tokens]", Tokens(context[i]))
		}
	}
	return replace(context, texts, p.At)
}

// replace puts copies with these texts in place of the results.
func replace(context []message.Message, texts map[int]string, at int64) (replaced []message.Message, saved int) {
	if len(texts) == 0 {
		return context, 0
	}
	replaced = append(replaced, context...)
	for i, text := range texts {
		clone := *context[i].(*message.ToolResult) // both callers choose among results only
		clone.Content, clone.PrunedAt = message.Blocks{message.NewText(text)}, at
		saved += Tokens(context[i]) - Tokens(&clone)
		replaced[i] = &clone
	}
	return replaced, saved
}

func callsOf(context []message.Message) map[string]*message.ToolCall {
	calls := map[string]*message.ToolCall{}
	for _, m := range context {
		if a, ok := m.(*message.Assistant); ok {
			for _, call := range a.Content.ToolCalls() {
				calls[call.ID] = call
			}
		}
	}
	return calls
}

// sameRead is equal for calls that read the same; "" for others.
func sameRead(call *message.ToolCall) string {
	if call == nil || call.Name != "read" {
		return ""
	}
	return string(call.Arguments)
}

// minShrunk is how far tool results are shortened to fit, in tokens.
const minShrunk = 128

// Shrink shortens the longest tool results until the context takes about budget
// tokens, or nothing can be shortened any more: a single result must not fill
// the window again and again. It returns copies as Prune does. Images of a result
// that is shortened are left out.
func Shrink(context []message.Message, budget int, at int64) (shrunk []message.Message, saved int) {
	total, longest := Total(context), 0
	for _, m := range context {
		if r, ok := m.(*message.ToolResult); ok {
			longest = max(longest, Tokens(r))
		}
	}
	limit := longest
	for rest := total; rest > budget && limit > minShrunk; {
		limit = max(minShrunk, limit/2)
		rest = total
		for _, m := range context {
			if r, ok := m.(*message.ToolResult); ok && Tokens(r) > limit {
				rest -= Tokens(r) - limit
			}
		}
	}
	texts := map[int]string{}
	for i, m := range context {
		if r, ok := m.(*message.ToolResult); ok && limit < longest && Tokens(r) > limit+minShrunk/4 {
			texts[i] = clip(plain(r.Content), limit*bytesPerToken)
		}
	}
	return replace(context, texts, at)
}
