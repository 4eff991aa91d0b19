package compaction

import (
	"regexp"
	"sync"

	"veyyon.dev/veyyon/core/secret"
)

// minSecret is how many bytes a configured key must have to be looked for:
// shorter ones would hit ordinary words.
const minSecret = 8

// shapes are keys as well-known services make them, whoever they belong to. The
// expression is compiled when it is first needed.
var shapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}` + // OpenAI, Anthropic and those like them
		`|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_-]{20,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}|\bxox[abpors]-[A-Za-z0-9-]{10,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`)
})

// Hider returns what takes secrets out of a text: these, which are configured,
// and all that look like keys. It is safe for concurrent use.
func Hider(secrets []string) func(string) string {
	hide := secret.Hider(secrets, minSecret)
	return func(text string) string { return shapes().ReplaceAllString(hide(text), secret.Hidden) }
}
