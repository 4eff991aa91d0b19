package registry

import (
	"maps"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/auth"
)

// Secrets are the keys that are configured for any provider, as far as that is
// known without running a command: what must not leave for another. It may read
// the store of keys.
func (r *Registry) Secrets() []string {
	s := r.now.Load()
	lookup, _ := r.opts.Keys.Now() // Key and Warnings report an unreadable store
	found := map[string]bool{}
	for name := range auth.EnvNames {
		found[lookup(name)] = true
	}
	for name, p := range s.providers {
		found[lookup(name)] = true
		if key := p.apiKey(); !strings.HasPrefix(key, "!") {
			found[key] = true
		}
	}
	for _, name := range s.secretNames() {
		delete(found, name) // a variable's name is none
		found[r.opts.Keys.Env().Get(name)] = true
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}
