package registry

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// tellsSecret is the name of a header whose value must not be shown.
var tellsSecret = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)auth|cookie|key|secret|token`) })

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
	for _, m := range s.own() {
		if m.Login != nil {
			password, _ := m.Login.Password()
			secrets = append(secrets, password)
		}
		for name, value := range m.Headers {
			if tellsSecret().MatchString(name) {
				fields := strings.Fields(value) // a word such as Bearer, and what counts
				secrets = append(secrets, fields[max(0, len(fields)-1):]...)
			}
		}
	}
	secrets = append(secrets, r.keys.printed()...)
	slices.Sort(secrets)
	return slices.Compact(secrets)
}
