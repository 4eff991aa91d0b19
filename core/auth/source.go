package auth

// Source finds the key of a provider: the one given on the command line, else
// the stored one, else the environment's. Safe for concurrent use.
type Source struct {
	runtime map[string]string
	store   *Store
	env     Env
}

// NewSource joins the three. runtime holds keys that live only as long as the
// process (--api-key), by provider; the caller must not change it afterwards.
// store may be nil.
func NewSource(runtime map[string]string, store *Store, env Env) *Source {
	return &Source{runtime: runtime, store: store, env: env}
}

// Env is the environment behind it.
func (s *Source) Env() Env { return s.env }

// Runtime is the key given for this process, "" when there is none.
func (s *Source) Runtime(provider string) string { return s.runtime[provider] }

// Lookup is the key of a provider as it is now, "" when there is none. The
// error is that of an unreadable store; the key then comes from elsewhere.
func (s *Source) Lookup(provider string) (string, error) {
	find, err := s.Now()
	return find(provider), err
}

// Now reads the store once and returns a lookup as of this moment, for asking
// after many providers. The lookup works whatever the error.
func (s *Source) Now() (lookup func(provider string) string, err error) {
	var stored map[string]string
	if s.store != nil {
		stored, err = s.store.Keys()
	}
	return func(provider string) string {
		if key := s.runtime[provider]; key != "" {
			return key
		}
		if key := stored[provider]; key != "" {
			return key
		}
		return s.env.First(EnvNames[provider])
	}, err
}
