package registry

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/scripted"
)

// MatchError is a --model or --provider that names nothing; the text is the
// protocol's.
type MatchError struct{ text string }

func (e *MatchError) Error() string { return e.text }

// Match finds the model that --model means, among all there are, with or
// without a key; provider is that of --provider, or "". The pattern is
// provider/id, an id, or a part of one, perhaps with a :level, which is then
// returned. Models with a key are preferred. The error is a *MatchError.
//
// Source: facts/platform 1.7.
func (r *Registry) Match(pattern, provider string) (*model.Model, model.Level, error) {
	s := r.now.Load()
	if m, ok := s.named[pattern]; ok && (provider == "" || provider == m.Provider) {
		return m, "", nil // the usual case of a custom model; spares reading the catalogue
	}
	if m, ok := s.named[provider+"/"+pattern]; ok {
		return m, "", nil
	}
	models := s.all()
	if len(models) == 0 {
		return nil, "", &MatchError{"No models available. Check your installation or add models to models.json."}
	}
	if provider == "" {
		models = filter(models, byPattern)
	} else if models = of(models, provider); len(models) == 0 && !s.local(provider) {
		return nil, "", &MatchError{fmt.Sprintf("Unknown provider %q. Run \"veyyon models\" to see available providers/models.", provider)}
	}
	models = preferred(models, r.opts.Order)
	hasKey := r.hasKey(s)
	if pattern == "" && provider != "" && len(models) > 0 { // --provider alone
		return usualOf(models), "", nil
	}
	if m := choose(models, pattern, provider, hasKey); m != nil {
		return m, "", nil
	}
	short, level := SplitLevel(pattern)
	if level != "" {
		if m := choose(models, short, provider, hasKey); m != nil {
			return m, level, nil
		}
	}
	if m, ok := s.find(strings.TrimPrefix(provider+"/"+short, "/")); ok {
		return m, level, nil // of a local engine, whose models we do not know
	}
	if at := strings.LastIndexByte(pattern, ':'); at > 0 && level == "" {
		if choose(models, pattern[:at], provider, hasKey) != nil {
			return nil, "", &MatchError{fmt.Sprintf("Model %q not found: %q is no thinking level. Use %s, or leave it out.", pattern, pattern[at+1:], levelNames())}
		}
	}
	return nil, "", &MatchError{fmt.Sprintf("Model %q not found. Run \"veyyon models\" to see available models.", pattern)}
}

// levelNames lists what may stand behind the colon of a pattern.
func levelNames() string {
	var names []string
	for _, level := range ladder {
		names = append(names, string(level))
	}
	return strings.Join(names, ", ") + " or " + string(model.LevelAuto)
}

// Scope gives the available models that any of the patterns means, in the order
// of the patterns (--models). A pattern is a glob over provider/id and id, or a
// name as for Match; a :level is ignored.
func (r *Registry) Scope(patterns []string) []*model.Model {
	available := r.Available()
	models := filter(available, byPattern)
	var found []*model.Model
	for _, pattern := range patterns {
		from := models
		if strings.HasPrefix(pattern, scripted.ID+"/") {
			from = available
		}
		for _, m := range scope(from, pattern) {
			if !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
	}
	return found
}

// SplitLevel cuts a :level off the end of a pattern; level is "" when there is
// none.
func SplitLevel(pattern string) (short string, level model.Level) {
	at := strings.LastIndexByte(pattern, ':')
	if at < 0 {
		return pattern, ""
	}
	level = model.Level(pattern[at+1:])
	if !slices.Contains(ladder, level) && level != model.LevelAuto {
		return pattern, ""
	}
	return pattern[:at], level
}

func scope(models []*model.Model, pattern string) []*model.Model {
	if found := fitting(models, pattern); len(found) > 0 {
		return found
	}
	if short, level := SplitLevel(pattern); level != "" {
		return fitting(models, short)
	}
	return nil
}

func fitting(models []*model.Model, pattern string) []*model.Model {
	if !strings.ContainsAny(pattern, "*?[{") {
		if m := choose(models, pattern, "", func(*model.Model) bool { return true }); m != nil {
			return []*model.Model{m}
		}
		return nil
	}
	var found []*model.Model
	for _, m := range models {
		if glob(pattern, m.Ref()) || glob(pattern, m.ID) {
			found = append(found, m)
		}
	}
	return found
}

// glob matches without regard to case; * goes over slashes too, as ids of
// routers have some.
func glob(pattern, name string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := doublestar.Match(flat.Replace(strings.ToLower(pattern)), flat.Replace(strings.ToLower(name)))
	return ok && err == nil
}

// choose picks the model a pattern means, nil when none does: exactly
// provider/id, exactly an id, letters in order within a named provider, a part
// of an id or a name.
func choose(models []*model.Model, pattern, provider string, hasKey func(*model.Model) bool) *model.Model {
	if pattern == "" {
		return nil
	}
	pattern = strings.ToLower(pattern)
	exact := filter(models, func(m *model.Model) bool { return strings.ToLower(m.Ref()) == pattern })
	if len(exact) == 0 {
		exact = filter(models, func(m *model.Model) bool { return strings.ToLower(m.ID) == pattern })
	}
	if len(exact) > 0 {
		return withKey(exact, hasKey)
	}
	if head, tail, ok := strings.Cut(pattern, "/"); ok {
		if own := of(models, head); len(own) > 0 {
			return choose(own, tail, head, hasKey)
		}
	}
	if provider != "" {
		return fuzzy(models, pattern)
	}
	return best(filter(models, func(m *model.Model) bool {
		return strings.Contains(strings.ToLower(m.ID), pattern) || strings.Contains(strings.ToLower(m.Name), pattern)
	}), hasKey)
}

// preferred are the models with those of these providers first, in their order.
func preferred(models []*model.Model, order []string) []*model.Model {
	if len(order) == 0 {
		return models
	}
	place := func(m *model.Model) int {
		if i := slices.Index(order, m.Provider); i >= 0 {
			return i
		}
		return len(order)
	}
	sorted := slices.Clone(models)
	slices.SortStableFunc(sorted, func(a, b *model.Model) int { return cmp.Compare(place(a), place(b)) })
	return sorted
}

// withKey is the first with a key, else the first.
func withKey(models []*model.Model, hasKey func(*model.Model) bool) *model.Model {
	if at := slices.IndexFunc(models, hasKey); at >= 0 {
		return models[at]
	}
	return models[0]
}

var date = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-\d{8}$|-\d{4}-\d{2}-\d{2}$`) })

// best prefers models with a key, then of the first provider, then names
// without a date, then the lexically greatest, which tends to be the newest.
func best(models []*model.Model, hasKey func(*model.Model) bool) *model.Model {
	if len(models) == 0 {
		return nil
	}
	keyed := filter(models, hasKey)
	if len(keyed) == 0 {
		keyed = models
	}
	first := filter(keyed, func(m *model.Model) bool { return m.Provider == keyed[0].Provider })
	return slices.MaxFunc(first, func(a, b *model.Model) int {
		if dated := date().MatchString(b.ID); dated != date().MatchString(a.ID) {
			if dated {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.ID, b.ID)
	})
}

// fuzzy finds the id that has the letters of the pattern in order, in the
// shortest stretch; of several the shortest id.
func fuzzy(models []*model.Model, pattern string) *model.Model {
	type hit struct {
		m       *model.Model
		stretch int
	}
	var hits []hit
	for _, m := range models {
		if n := stretch(strings.ToLower(m.ID), pattern); n > 0 {
			hits = append(hits, hit{m, n})
		}
	}
	if len(hits) == 0 {
		return nil
	}
	return slices.MinFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.stretch, b.stretch), cmp.Compare(len(a.m.ID), len(b.m.ID)), cmp.Compare(b.m.ID, a.m.ID))
	}).m
}

// stretch is the length of the shortest part of text with these letters in
// order, 0 when there is none.
func stretch(text, letters string) int {
	shortest := 0
	for from := range len(text) {
		at, n := from, 0
		for ; at < len(text) && n < len(letters); at++ {
			if text[at] == letters[n] {
				n++
			}
		}
		if n < len(letters) {
			break
		}
		if shortest == 0 || at-from < shortest {
			shortest = at - from
		}
	}
	return shortest
}

func usualOf(models []*model.Model) *model.Model {
	for _, m := range models {
		if usual[m.Provider] == m.ID {
			return m
		}
	}
	return models[0]
}

// of gives the models of a provider, whose name is compared without case.
func of(models []*model.Model, provider string) []*model.Model {
	return filter(models, func(m *model.Model) bool { return strings.EqualFold(m.Provider, provider) })
}

// byPattern tells whether a pattern may choose the model; scripted ones must be
// named.
func byPattern(m *model.Model) bool { return m.API != model.APIScripted }

func filter(models []*model.Model, keep func(*model.Model) bool) []*model.Model {
	var kept []*model.Model
	for _, m := range models {
		if keep(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

func splitRef(ref string) (provider, id string) {
	provider, id, _ = strings.Cut(ref, "/")
	return provider, id
}

func sortedKeys[T any](table map[string]T) []string { return slices.Sorted(maps.Keys(table)) }
