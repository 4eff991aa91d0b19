package rule

import (
	"slices"

	"veyyon.dev/veyyon/core/event"
)

// A Watcher holds the answers of one session against its rules. One goroutine
// at a time: the turn's while it runs.
type Watcher struct {
	set     *Set
	turn    int
	fired   map[string]int // the turn in which a rule was last heard, by name
	streams map[int]*stream
	noted   []note // broken without an interruption, and not told yet
	told    []*Rule
}

// stream is one text, thought or tool call of an answer.
type stream struct {
	kind  kind
	tool  string
	args  arguments
	ended bool
	open  []*pursuit // in the order of the rules
}

// pursuit is a rule that may still be broken in a stream.
type pursuit struct {
	rule     *Rule
	searches []*search
	found    bool // by a search; whether the rule is about this call may not be known yet
}

// note is a broken rule; call is the id of the call that broke it, "" for prose
// and for a call that was not completed.
type note struct {
	rule  *Rule
	call  string
	index int // of the stream
}

// NewWatcher begins with the names of the rules that the session has heard.
func NewWatcher(set *Set, heard []string) *Watcher {
	w := &Watcher{set: set, fired: make(map[string]int, len(heard))}
	for _, name := range heard {
		w.fired[name] = 0
	}
	return w
}

// Set is the rules.
func (w *Watcher) Set() *Set { return w.set }

// Begin begins an answer.
func (w *Watcher) Begin() {
	w.turn++
	w.streams = map[int]*stream{}
	for i := range w.noted {
		w.noted[i].index = -1 // of an answer before this one
	}
}

// See takes a step of the answer and returns the rules that it breaks and that
// cut it off, nil for none.
func (w *Watcher) See(part event.Part) []*Rule {
	switch part.Kind {
	case event.TextStart:
		w.open(part.ContentIndex, &stream{kind: text})
	case event.ThinkingStart:
		w.open(part.ContentIndex, &stream{kind: thinking})
	case event.CallStart:
		w.open(part.ContentIndex, &stream{kind: tools, tool: part.Tool})
	}
	s := w.streams[part.ContentIndex]
	if s == nil {
		return nil
	}
	piece := []byte(part.Delta)
	switch part.Kind {
	case event.CallDelta:
		added := s.args.feed(part.Delta)
		if s.tool == "edit" || s.tool == "write" {
			piece = added
		}
	case event.TextEnd, event.ThinkingEnd, event.CallEnd:
		s.ended = true
	}
	found := w.look(s, part.ContentIndex, piece)
	if part.Call != nil {
		for i := range w.noted {
			if w.noted[i].index == part.ContentIndex {
				w.noted[i].call = part.Call.ID
			}
		}
	}
	return found
}

// open begins a stream and the pursuit of all that may be broken in it.
func (w *Watcher) open(index int, s *stream) {
	w.streams[index] = s
	for _, r := range w.set.rules {
		if !w.due(r) || r.holds(s, w.set.dir) == no {
			continue
		}
		p := &pursuit{rule: r}
		for _, c := range r.conditions {
			p.searches = append(p.searches, newSearch(c.prog))
		}
		s.open = append(s.open, p)
	}
}

// look takes what has come in a stream, and what is now known of it.
func (w *Watcher) look(s *stream, index int, piece []byte) (cut []*Rule) {
	s.open = slices.DeleteFunc(s.open, func(p *pursuit) (over bool) {
		holds := p.rule.holds(s, w.set.dir)
		if holds == no || !p.find(piece, s.ended) {
			return holds == no || s.ended
		}
		if holds == unsure {
			return false
		}
		w.fired[p.rule.Name] = w.turn
		if w.set.interrupts(p.rule, s.kind) {
			cut = append(cut, p.rule)
		} else {
			w.noted = append(w.noted, note{rule: p.rule, index: index})
		}
		return true
	})
	return cut
}

func (p *pursuit) find(piece []byte, ended bool) bool {
	for _, s := range p.searches {
		p.found = p.found || s.feed(piece) || ended && s.end()
	}
	return p.found
}

// due tells whether a rule is to be heard.
func (w *Watcher) due(r *Rule) bool {
	last, fired := w.fired[r.Name]
	return !fired || w.set.opts.AfterGap && w.turn-last >= max(w.set.opts.Gap, 1)
}

// OfCall takes the rules that a call broke without an interruption.
func (w *Watcher) OfCall(id string) []*Rule {
	rules := w.take(func(n note) bool { return n.call == id })
	w.told = append(w.told, rules...)
	return rules
}

// Rest takes the broken rules that no call's result has told of.
func (w *Watcher) Rest() []*Rule { return w.take(func(note) bool { return true }) }

// Told takes the rules that OfCall has given out.
func (w *Watcher) Told() []*Rule {
	told := w.told
	w.told = nil
	return told
}

func (w *Watcher) take(wanted func(note) bool) (rules []*Rule) {
	w.noted = slices.DeleteFunc(w.noted, func(n note) bool {
		if !wanted(n) {
			return false
		}
		rules = append(rules, n.rule)
		return true
	})
	return rules
}
