package tool

import "slices"

// A Set is an ordered collection of tools with distinct names. It is never
// changed; With returns a new one.
type Set struct {
	tools  []Tool
	byName map[string]Tool
}

// NewSet returns a set; of two tools with one name the first wins.
func NewSet(tools ...Tool) Set { return Set{}.With(tools...) }

// With returns the set and these tools.
func (s Set) With(more ...Tool) Set {
	next := Set{byName: make(map[string]Tool, len(s.tools)+len(more))}
	for _, list := range [][]Tool{s.tools, more} {
		for _, t := range list {
			name := t.Spec().Name
			if _, taken := next.byName[name]; taken {
				continue
			}
			next.byName[name] = t
			next.tools = append(next.tools, t)
		}
	}
	return next
}

// Join is With for the tools of another set.
func (s Set) Join(other Set) Set {
	if len(other.tools) == 0 {
		return s
	}
	return s.With(other.tools...)
}

// Without returns the set without the tools that leave names.
func (s Set) Without(leave func(Spec) bool) Set {
	if !slices.ContainsFunc(s.tools, func(t Tool) bool { return leave(t.Spec()) }) {
		return s
	}
	next := Set{byName: make(map[string]Tool, len(s.tools))}
	for _, t := range s.tools {
		if spec := t.Spec(); !leave(spec) {
			next.byName[spec.Name] = t
			next.tools = append(next.tools, t)
		}
	}
	return next
}

// Lookup finds a tool by its exact name.
func (s Set) Lookup(name string) (Tool, bool) {
	t, ok := s.byName[name]
	return t, ok
}

// Offered lists the specs of the tools that are not hidden, in order.
func (s Set) Offered() []Spec {
	specs := make([]Spec, 0, len(s.tools))
	for _, t := range s.tools {
		if spec := t.Spec(); !spec.Hidden {
			specs = append(specs, spec)
		}
	}
	return specs
}
