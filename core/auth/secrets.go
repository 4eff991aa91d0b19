package auth

import (
	"maps"
	"slices"
)

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
