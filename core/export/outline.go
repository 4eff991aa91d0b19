package export

import (
	"context"
	"fmt"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tally"
	"veyyon.dev/veyyon/core/transcript"
)

const (
	// maxContents bounds the prompts that the table of contents lists; later ones
	// are left out of it.
	maxContents = 300
	// maxPrompt bounds how much of a prompt it shows, in runes.
	maxPrompt = 90
	// maxApart is how many entries may lie between a tool call and its result.
	// One farther away is shown where it stands.
	maxApart = 256
)

// outline is what must be known of all entries before the first is written.
type outline struct {
	path     []*transcript.Entry // from the root to the leaf
	branches map[*transcript.Entry][][]*transcript.Entry
	results  map[callKey]*transcript.Entry // of calls whose result was found; nil for others
	paired   map[*transcript.Entry]bool    // results that are shown with their call
	labels   map[string]string             // by the id of the entry
	prompts  []string                      // of the path, in order
	tally    tally.Tally                   // of all entries, since all were paid for
}

// callKey names a tool call: ids are only unique within one answer.
type callKey struct {
	answer *transcript.Entry
	id     string
}

// survey reads every entry once.
func survey(ctx context.Context, s Session) (*outline, error) {
	o := &outline{
		branches: map[*transcript.Entry][][]*transcript.Entry{}, results: map[callKey]*transcript.Entry{},
		paired: map[*transcript.Entry]bool{}, labels: map[string]string{},
	}
	onPath := map[*transcript.Entry]bool{}
	for e := s.Leaf(); e != nil; e = e.Parent {
		onPath[e] = true
	}
	at := map[*transcript.Entry]place{} // of entries off the path
	for _, e := range s.Entries() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if onPath[e] {
			o.path = append(o.path, e)
		}
		body, err := s.Body(e)
		if err != nil {
			return nil, fmt.Errorf("reading the session: %w", err)
		}
		if o.read(e, body, onPath[e]) && !onPath[e] {
			o.branchOff(e, onPath, at)
		}
	}
	return o, nil
}

// read takes note of an entry and tells whether it is anything to show.
func (o *outline) read(e *transcript.Entry, body transcript.Body, onPath bool) bool {
	switch b := body.(type) {
	case *transcript.Label:
		o.labels[b.TargetID] = b.Label
		return false
	case *transcript.Message:
		o.message(e, b.Message, onPath)
		return true
	case *transcript.CustomMessage:
		o.tally.Add(&message.Custom{Role: message.RoleCustom})
		return true
	case *transcript.Compaction, *transcript.BranchSummary, *transcript.SubagentSpawn:
		return true
	}
	return false
}

func (o *outline) message(e *transcript.Entry, m message.Message, onPath bool) {
	o.tally.Add(m)
	switch m := m.(type) {
	case *message.User:
		if onPath {
			o.prompts = append(o.prompts, firstWords(m.Content.Text(), maxPrompt))
		}
	case *message.Assistant:
		for _, call := range m.Content.ToolCalls() {
			o.results[callKey{e, call.ID}] = nil
		}
	case *message.ToolResult:
		o.pair(e, m.ToolCallID)
	}
}

// pair finds the call of a result among the entries before it.
func (o *outline) pair(result *transcript.Entry, id string) {
	answer := result.Parent
	for range maxApart {
		if answer == nil {
			return
		}
		key := callKey{answer, id}
		if found, called := o.results[key]; called {
			if found == nil {
				o.results[key], o.paired[result] = result, true
			}
			return
		}
		answer = answer.Parent
	}
}

// A place is where an entry off the path belongs: to which of the branches that
// leave the path at an entry of it.
type place struct {
	fork  *transcript.Entry // nil for a root of its own
	index int
}

// branchOff puts an entry into its branch. A branch goes to the entry of the
// path that it left; one with a root of its own goes to the start.
func (o *outline) branchOff(e *transcript.Entry, onPath map[*transcript.Entry]bool, at map[*transcript.Entry]place) {
	// Entries that are not shown have no place; the nearest one that has counts.
	above := e.Parent
	for above != nil && !onPath[above] {
		if p, ok := at[above]; ok {
			at[e] = p
			o.branches[p.fork][p.index] = append(o.branches[p.fork][p.index], e)
			return
		}
		above = above.Parent
	}
	at[e] = place{above, len(o.branches[above])}
	o.branches[above] = append(o.branches[above], []*transcript.Entry{e})
}
