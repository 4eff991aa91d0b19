package rule

import (
	"slices"

	"veyyon.dev/veyyon/core/event"
)

// window is how many bytes of what was written before a piece are looked at
// together with it; a match that is longer may not be seen.
const window = 4 << 10

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
	text  []byte // the last of what was written
	cut   bool   // text does not begin where the stream does
	// matched are the rules whose pattern was found while it is not known yet
	// whether they are about this call.
	matched []*Rule
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
		w.streams[part.ContentIndex] = &stream{kind: text}
	case event.ThinkingStart:
		w.streams[part.ContentIndex] = &stream{kind: thinking}
	case event.CallStart:
		w.streams[part.ContentIndex] = &stream{kind: tools, tool: part.Tool}
	}
	s := w.streams[part.ContentIndex]
	if s == nil {
		return nil
	}
	switch part.Kind {
	case event.TextDelta, event.ThinkingDelta:
		return w.look(s, part.ContentIndex, []byte(part.Delta))
	case event.CallDelta:
		added := s.args.feed(part.Delta)
		if s.tool != "edit" && s.tool != "write" {
			added = []byte(part.Delta)
		}
		return w.look(s, part.ContentIndex, added)
	case event.CallEnd:
		s.ended = true
		found := w.look(s, part.ContentIndex, nil)
		for i := range w.noted {
			if w.noted[i].index == part.ContentIndex {
				w.noted[i].call = part.Call.ID
			}
		}
		return found
	}
	return nil
}

// look searches what was written, with a new piece at its end.
func (w *Watcher) look(s *stream, index int, piece []byte) (cut []*Rule) {
	s.text = append(s.text, piece...)
	for _, r := range w.set.rules {
		if !w.due(r) {
			continue
		}
		holds := r.holds(s, w.set.dir)
		if holds == no {
			continue
		}
		matched := slices.Contains(s.matched, r)
		if !matched && (len(piece) == 0 || !r.found(s)) {
			continue
		}
		if holds == unsure {
			if !matched {
				s.matched = append(s.matched, r)
			}
			continue
		}
		w.fired[r.Name] = w.turn
		if w.set.interrupts(r, s.kind) {
			cut = append(cut, r)
		} else {
			w.noted = append(w.noted, note{rule: r, index: index})
		}
	}
	if extra := len(s.text) - window; extra > window { // now and then: moving it costs
		s.text, s.cut = append(s.text[:0], s.text[extra:]...), true
	}
	return cut
}

func (r *Rule) found(s *stream) bool {
	return slices.ContainsFunc(r.conditions, func(c condition) bool {
		return !(c.start && s.cut) && c.pattern.Match(s.text)
	})
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
