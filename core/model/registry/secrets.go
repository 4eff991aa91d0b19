package registry

import (
	"slices"
	"strings"
)

// Secrets are the keys that are configured for any provider, as far as they are
// known without running a command: what must not be shown. It reads the store of
// keys.
func (r *Registry) Secrets() []string {
	s, env := r.now.Load(), r.opts.Keys.Env()
	secrets := r.opts.Keys.Secrets()
	for _, name := range s.secretNames() {
		secrets = append(secrets, env.Get(name))
	}
	for _, p := range s.providers {
		// The key itself, unless it is a command or names a variable.
		if key := p.apiKey(); key != "" && !strings.HasPrefix(key, "!") && env.Get(key) == "" {
			secrets = append(secrets, key)
		}
	}
	slices.Sort(secrets)
	return slices.Compact(secrets)
}
