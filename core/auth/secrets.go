package auth

import (
	"maps"
	"regexp"
	"slices"
	"sync"
)

// tellsSecret is the name of a variable that holds a secret (facts/platform 10).
var tellsSecret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(KEY|SECRET|TOKEN|PASSWORD|PASS|AUTH|CREDENTIAL|PRIVATE|OAUTH)(_|$)`)
})

// Secrets are the values of all variables whose name says that they are secret.
func (e Env) Secrets() []string {
	var found []string
	for name, value := range e.vars {
		if tellsSecret().MatchString(name) {
			found = append(found, value)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Secrets are all keys the source knows, of whatever provider: what must not be
// shown. It reads the store.
func (s *Source) Secrets() []string {
	found := map[string]bool{}
	for _, key := range s.runtime {
		found[key] = true
	}
	if s.store != nil {
		stored, _ := s.store.Keys() // Lookup reports an unreadable store
		for _, key := range stored {
			found[key] = true
		}
	}
	for _, names := range EnvNames {
		for _, name := range names {
			found[s.env.Get(name)] = true
		}
	}
	for _, name := range otherSecrets {
		found[s.env.Get(name)] = true
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}
