package main

import (
	"path/filepath"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/secret"
	"veyyon.dev/veyyon/core/veil"
)

// veil keeps secrets from models, if the settings say so; nil when they do not.
func (l *launch) veil(env auth.Env) *veil.Veil {
	if !config.SecretsOn.Of(l.settings) {
		return nil
	}
	entries, errs := veil.Read(filepath.Join(l.dirs.Agent, "secrets.yml"), filepath.Join(l.dir, ".veyyon", "secrets.yml"))
	for _, err := range errs {
		l.warn("a secret is not hidden", err)
	}
	// Of those that are both in a file and in the environment, the file says how.
	return veil.New(append(entries, veil.Plain(env.Secrets())...), func() []string { return l.models.Secrets() })
}

// discreet is what takes secrets out of pages for people: keys, and what models
// do not see.
func (l *launch) discreet() func(string) string {
	hide := secret.Cautious(l.models.Secrets())
	if l.secrets == nil {
		return hide
	}
	veiled := l.secrets.Texts()
	return func(text string) string { return hide(veiled(text)) }
}
