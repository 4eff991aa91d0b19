// Package registry knows which models there are and which can be used: those of
// the catalogue, those of models.yml, and the keys for them.
package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
)

// Options are what a Registry is made of.
type Options struct {
	CatalogPath string       // the refreshed catalogue; need not exist
	ModelsYML   string       // the profile's models.yml; need not exist. models.yaml and models.json beside it are read too
	Keys        *auth.Source // never nil
	Enabled     []string     // patterns (setting enabledModels); when there are any, only models that fit are available
	Disabled    []string     // providers that are left out altogether (setting disabledProviders)
	Order       []string     // providers to prefer when a name fits models of several (setting modelProviderOrder)
	Providers   map[model.API]model.Provider
	// Scripted are models that need no key. They can be found by name and are
	// never chosen otherwise; the demo model is not listed as available either.
	Scripted []*model.Model
}

// A Registry answers from a snapshot that Reload replaces. Safe for concurrent
// use. The models it gives out are never changed.
type Registry struct {
	opts Options
	now  atomic.Pointer[snapshot]
	keys commands
}

// New reads models.yml. What is wrong with it is in Warnings; the catalogue is
// read when it is first needed.
func New(opts Options) *Registry {
	r := &Registry{opts: opts}
	r.Reload()
	return r
}

// Reload reads models.yml and the catalogue again.
func (r *Registry) Reload() { r.now.Store(newSnapshot(r.opts)) }

// Warnings tell what was left out and why, each with file, line and key.
func (r *Registry) Warnings() []error { return r.now.Load().warned() }

// Available lists the models that can be used: of a provider with a key or
// without need of one. The order is that of the catalogue, then models.yml.
func (r *Registry) Available() []*model.Model {
	s := r.now.Load()
	usable := r.usable(s)
	models := []*model.Model{}
	for _, m := range s.all() {
		if usable(m) && !hidden(m) {
			models = append(models, m)
		}
	}
	return models
}

// All lists every model, with or without a key.
func (r *Registry) All() []*model.Model { return r.now.Load().all() }

// Find gives the available (or scripted) model with exactly these names.
func (r *Registry) Find(provider, id string) (*model.Model, bool) {
	return r.FindRef(provider + "/" + id)
}

// FindRef is Find for provider/id in one word.
func (r *Registry) FindRef(ref string) (*model.Model, bool) {
	s := r.now.Load()
	m, ok := s.find(ref)
	if !ok || !r.usable(s)(m) {
		return nil, false
	}
	return m, true
}

// Default is the model to begin with when none was asked for: the one ref names
// (from the settings, perhaps with a :level) if it can be used, else the usual
// model of the first provider that has a key, else the first available. It is
// nil when there is none, and a scripted one only when ref names it.
func (r *Registry) Default(ref string) *model.Model {
	short, _ := SplitLevel(ref)
	for _, name := range []string{short, ref} {
		if m, ok := r.FindRef(name); ok {
			return m
		}
	}
	available := filter(r.Available(), byPattern)
	if len(available) == 0 {
		return nil
	}
	return usualOf(available)
}

// usual is the model of a provider that most want.
var usual = map[string]string{
	"anthropic":  "claude-opus-5-5",
	"openai":     "gpt-6.2-sol",
	"google":     "gemini-3.1-pro-preview",
	"openrouter": "anthropic/claude-opus-5.5",
	"xai":        "grok-4.7",
	"groq":       "openai/gpt-oss-120b",
	"mistral":    "devstral-medium-latest",
	"deepseek":   "deepseek-v4-pro",
	"cerebras":   "gpt-oss-120b",
	"zai":        "glm-5.3",
	"moonshot":   "kimi-k3.1-pro",
	"minimax":    "MiniMax-M3",
}

// ErrNoKey tells that a provider needs a key and there is none.
var ErrNoKey = errors.New("no API key")

// keyError is ErrNoKey in the protocol's words.
type keyError struct{ text string }

func (e *keyError) Error() string { return e.text }

func (e *keyError) Is(target error) bool { return target == ErrNoKey }

// Key finds the key for a request to the model, "" when it needs none: the one
// given on the command line, else that of models.yml, else the stored one, else
// the environment's. It may wait for a command of models.yml, up to 10 s.
// Without a key the error is ErrNoKey; no error shows a key.
func (r *Registry) Key(ctx context.Context, m *model.Model) (string, error) {
	s := r.now.Load()
	own := s.providers[m.Provider]
	if key := r.opts.Keys.Runtime(m.Provider); key != "" {
		return key, nil
	}
	if command, ok := strings.CutPrefix(own.apiKey(), "!"); ok {
		key, err := r.keys.key(ctx, command)
		if err != nil && ctx.Err() == nil {
			return "", &keyError{fmt.Sprintf("No API key found for %s. In models.yml: %v.", m.Provider, err)}
		}
		return key, err
	}
	if own.apiKey() != "" {
		if key := r.opts.Keys.Env().Get(own.apiKey()); key != "" {
			return key, nil
		}
		return own.apiKey(), nil
	}
	key, err := r.opts.Keys.Lookup(m.Provider)
	if key != "" || s.keyless(m) {
		return key, nil
	}
	return "", &keyError{noKey(m.Provider, err)}
}

func noKey(provider string, stored error) string {
	text := fmt.Sprintf("No API key found for %s.", provider)
	if names := auth.EnvNames[provider]; len(names) > 0 {
		text += fmt.Sprintf(" Set %s, or sign in.", names[len(names)-1])
	}
	if stored != nil {
		text += fmt.Sprintf(" The stored keys cannot be used: %v.", stored)
	}
	return text
}

// HasKey tells at once whether the model needs no key or one is configured.
func (r *Registry) HasKey(m *model.Model) bool { return r.hasKey(r.now.Load())(m) }

// Provider gives what speaks the model's dialect.
func (r *Registry) Provider(m *model.Model) (model.Provider, error) {
	provider, ok := r.opts.Providers[m.API]
	if !ok {
		return nil, fmt.Errorf("model %s: nothing speaks the api %q", m.Ref(), m.API)
	}
	return provider, nil
}

// SecretNames are the environment variables that models.yml takes keys from; a
// child process should not see them.
func (r *Registry) SecretNames() []string { return r.now.Load().secretNames() }

// usable returns the test of what is available, as of now.
func (r *Registry) usable(s *snapshot) func(*model.Model) bool {
	hasKey := r.hasKey(s)
	return func(m *model.Model) bool {
		return m.API == model.APIScripted || hasKey(m) && r.enabled(m)
	}
}

func (r *Registry) hasKey(s *snapshot) func(*model.Model) bool {
	lookup, _ := r.opts.Keys.Now() // Key and Warnings report an unreadable store
	return func(m *model.Model) bool {
		return s.keyless(m) || s.providers[m.Provider].apiKey() != "" || lookup(m.Provider) != ""
	}
}

func (r *Registry) enabled(m *model.Model) bool {
	if len(r.opts.Enabled) == 0 {
		return true
	}
	return slices.ContainsFunc(r.opts.Enabled, func(pattern string) bool {
		return len(scope([]*model.Model{m}, pattern)) > 0
	})
}
