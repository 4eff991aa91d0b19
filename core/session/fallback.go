package session

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/transcript"
)

// Fallback says which models take over from one that fails (settings
// retry.modelFallback, retry.fallbackChains, retry.fallbackRevertPolicy).
type Fallback struct {
	// Chains holds provider/id of those that take over, in order, by whom they
	// take over from: provider/id, provider/* or a role.
	Chains map[string][]string
	Role   string // of this session's model; default when empty
	Keep   bool   // stay with the one that took over
}

// modelRest is how long a model that failed is left alone when its provider
// names no time.
const modelRest = time.Minute

// fallback is the state of it. The zero value is that of a model that a person
// chose.
type fallback struct {
	primary *model.Model         // whose place was taken, nil while it answers itself
	resting map[string]time.Time // until when models are left alone, by provider/id
	waiting bool                 // the one that took over has not answered yet
}

func (f Fallback) role() string { return cmp.Or(f.Role, "default") }

// chain lists who may take over from the model.
func (f Fallback) chain(m *model.Model) []string {
	for _, key := range []string{m.Ref(), m.Provider + "/*", f.role(), "default"} {
		if chain, ok := f.Chains[key]; ok {
			return chain
		}
	}
	return nil
}

// fallBack lets the next model that can be used take over from the one that
// just failed, and tells whether there was one.
func (st *state) fallBack(failure *model.Error) bool {
	f, opts, failed := &st.fallback, st.s.opts.Fallback, st.choice.Model
	primary := cmp.Or(f.primary, failed)
	chain := opts.chain(primary)
	if len(chain) == 0 {
		return false
	}
	rest := max(modelRest, failure.RetryAfter)
	if failure.RetryAfter == 0 && failure.Class&model.ClassUsageLimit != 0 {
		rest = quotaWait
	}
	if f.resting == nil {
		f.resting = map[string]time.Time{}
	}
	f.resting[failed.Ref()] = time.Now().Add(rest)
	for _, ref := range append(slices.Clone(chain), primary.Ref()) {
		m, ok := st.s.opts.Models.FindRef(ref)
		if !ok || m.Ref() == failed.Ref() || time.Now().Before(f.resting[m.Ref()]) {
			continue
		}
		f.primary, f.waiting = primary, true
		if m.Ref() == primary.Ref() {
			f.primary, m = nil, primary
		}
		st.takeOver(m)
		st.emit(event.FallbackApplied{From: failed.Ref(), To: m.Ref(), Role: opts.role()})
		return true
	}
	slog.Warn("no other model of the fallback chain can be used", "failed", failed.Ref(), "chain", chain)
	return false
}

// takeOver makes m the model that is asked, without it being a person's choice.
func (st *state) takeOver(m *model.Model) {
	before := st.level()
	st.choice.Model = m
	st.wrote(st.log().Append(&transcript.ModelChange{Model: m.Ref(), Role: "fallback"}))
	st.levelChanged(before)
}

// fellBack reports that the model that took over has answered.
func (st *state) fellBack() {
	if st.fallback.waiting {
		st.fallback.waiting = false
		st.emit(event.FallbackSucceeded{Model: st.choice.Model.Ref(), Role: st.s.opts.Fallback.role()})
	}
}

// revert gives the model that was chosen its place back, once it has rested.
func (st *state) revert() {
	f := &st.fallback
	if f.primary == nil || st.s.opts.Fallback.Keep || time.Now().Before(f.resting[f.primary.Ref()]) || !st.s.opts.Models.HasKey(f.primary) {
		return
	}
	m := f.primary
	f.primary, f.waiting = nil, false
	st.takeOver(m)
}
