package main

import (
	"os"
	"path/filepath"
	"time"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/anthropic"
	"veyyon.dev/veyyon/core/model/google"
	"veyyon.dev/veyyon/core/model/openai"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/model/scripted"
	"veyyon.dev/veyyon/core/model/wire"
	"veyyon.dev/veyyon/core/veil"
)

// findModels makes the registry: catalogue, models.yml, keys and dialects.
func (l *launch) findModels() error {
	var play *scripted.Play
	if l.flags.Script != "" {
		var err error
		if play, err = scripted.Read(l.dirs.Resolve(l.flags.Script, l.dir)); err != nil {
			return err
		}
	}
	env, err := auth.LoadEnv(os.Environ(), filepath.Join(l.dir, ".env"), filepath.Join(l.dirs.Agent, ".env"),
		filepath.Join(l.dirs.Home, ".env"), filepath.Join(l.dirs.User, ".env"))
	if err != nil {
		l.warn("an .env file was passed over", err)
	}
	l.runtimeKeys = map[string]string{}
	l.keys = auth.NewSource(l.runtimeKeys, l.store(), env)
	l.secrets = l.veil(env)
	l.models = newRegistry(l.dirs, l.settings, l.keys, play, l.secrets)
	for _, warning := range l.models.Warnings() {
		l.warn("the models are not complete", warning)
	}
	return nil
}

// store keeps the keys of the profile.
func (l *launch) store() *auth.Store { return auth.NewStore(filepath.Join(l.dirs.Agent, "auth.json")) }

func newRegistry(dirs config.Dirs, s *config.Settings, keys *auth.Source, play *scripted.Play, secrets *veil.Veil) *registry.Registry {
	client := wire.NewClient()
	setTimeout(&client.FirstEvent, config.FirstEventTimeout.Of(s))
	setTimeout(&client.Idle, config.IdleTimeout.Of(s))
	script, t, slots := scripted.New(play), tuning(s), model.NewInFlight(config.InFlight.Of(s))
	ours := func(p model.Provider) model.Provider { return slots.Bound(model.Tuned(p, t)) }
	providers := map[model.API]model.Provider{
		model.APICompletions: ours(openai.NewCompletions(client)), model.APIResponses: ours(openai.NewResponses(client)),
		model.APIAnthropic: ours(anthropic.New(client)), model.APIGoogle: ours(google.New(client)), model.APIScripted: slots.Bound(script),
	}
	if secrets != nil {
		for api, provider := range providers {
			providers[api] = secrets.Over(provider)
		}
	}
	return registry.New(registry.Options{
		CatalogPath: catalogPath(dirs), ModelsYML: filepath.Join(dirs.Agent, "models.yml"),
		Keys: keys, Enabled: s.Models(), Disabled: s.HiddenProviders(), Scripted: script.Models(), Order: words(config.ModelProviders.Of(s)),
		Providers: providers,
	})
}

// words are the entries of a list that are words.
func words(list []any) (out []string) {
	for _, entry := range list {
		if word, ok := entry.(string); ok {
			out = append(out, word)
		}
	}
	return out
}

// setTimeout takes a setting in seconds; -1 leaves the built-in limit.
func setTimeout(limit *time.Duration, seconds int) {
	if seconds >= 0 {
		*limit = time.Duration(seconds) * time.Second
	}
}

func catalogPath(dirs config.Dirs) string { return filepath.Join(dirs.Cache, "models.json") }
