package registry

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
)

const family = `providers:
  alpha:
    baseUrl: http://a
    api: openai-completions
    auth: none
    models:
    - {id: rabbit-latest, name: Rabbit}
    - {id: rabbit-1-20250101}
    - {id: rabbit-2-20250601}
    - {id: Fox/Red, name: The Red Fox}
    - {id: lion-1}
    - {id: lion-2}
    - {id: "owl:7b"}
    - {id: "owl:7b:free"}
  beta:
    baseUrl: http://b
    api: openai-completions
    auth: none
    models:
    - {id: lion-2}
    - {id: bear-20250101}
    - {id: bear-20250301}
`

func TestPreferredProvidersComeFirst(t *testing.T) {
	r := world{yml: family, opts: Options{Order: []string{"gamma", "beta"}}}.open(t)
	for pattern, want := range map[string]string{"lion-2": "beta/lion-2", "alpha/lion-2": "alpha/lion-2", "lion-1": "alpha/lion-1"} {
		m, _, err := r.Match(pattern, "")
		if err != nil || m.Ref() != want {
			t.Errorf("%s is %v, %v; want %s", pattern, m, err, want)
		}
	}
}

func TestModelsAreMatchedByTheRulesInOrder(t *testing.T) {
	r := world{yml: family, environ: []string{"OPENROUTER_API_KEY=x"}}.open(t)
	for _, c := range []struct {
		pattern, provider, want string
		level                   model.Level
	}{
		{"alpha/lion-1", "", "alpha/lion-1", ""},
		{"ALPHA/LION-1", "", "alpha/lion-1", ""},
		{"lion-2", "", "alpha/lion-2", ""}, // the first of two
		{"lion-2", "beta", "beta/lion-2", ""},
		{"beta/lion-2", "Beta", "beta/lion-2", ""},
		{"fox/red", "", "alpha/Fox/Red", ""},              // an id with a slash
		{"red fox", "", "alpha/Fox/Red", ""},              // part of the name
		{"rabbi", "", "alpha/rabbit-latest", ""},          // undated before dated
		{"bear", "", "beta/bear-20250301", ""},            // the latest date
		{"alpha/rbt2", "", "alpha/rabbit-2-20250601", ""}, // letters in order
		{"ln2", "alpha", "alpha/lion-2", ""},
		{"lion-1:high", "", "alpha/lion-1", "high"},
		{"alpha/lion-1:off", "", "alpha/lion-1", "off"},
		{"lion-1:auto", "", "alpha/lion-1", "auto"},
		{"owl:7b", "", "alpha/owl:7b", ""}, // a colon that is part of the id
		{"owl:7b:max", "", "alpha/owl:7b", "max"},
		{"claude-opus-5-5", "", "anthropic/claude-opus-5-5", ""}, // exact, though without a key
		{"grok-4.7", "openrouter", "openrouter/x-ai/grok-4.7", ""},
		{"openai/gpt-oss-120b", "", "openrouter/openai/gpt-oss-120b", ""}, // an exact id; the one with a key
		{"", "anthropic", "anthropic/claude-opus-5-5", ""},
		{"", "beta", "beta/lion-2", ""},
	} {
		m, level, err := r.Match(c.pattern, c.provider)
		if err != nil || m.Ref() != c.want || level != c.level {
			t.Errorf("%q of %q: %v %q, %v; want %s %q", c.pattern, c.provider, m, level, err, c.want, c.level)
		}
	}
}

func TestWhatMatchesNothingIsSaidInTheProtocolsWords(t *testing.T) {
	r := world{yml: family}.open(t)
	for _, c := range []struct{ pattern, provider, want string }{
		{"unicorn", "", `Model "unicorn" not found. Run "veyyon models" to see available models.`},
		{"lion-1:loud", "", `Model "lion-1:loud" not found: "loud" is no thinking level. Use off, minimal, low, medium, high, xhigh, max or auto, or leave it out.`},
		{"alpha/lion-1:", "", `Model "alpha/lion-1:" not found: "" is no thinking level. Use off, minimal, low, medium, high, xhigh, max or auto, or leave it out.`},
		{"unicorn:loud", "", `Model "unicorn:loud" not found. Run "veyyon models" to see available models.`},
		{"", "", `Model "" not found. Run "veyyon models" to see available models.`},
		{"alpha/zzz", "", `Model "alpha/zzz" not found. Run "veyyon models" to see available models.`},
		{"lion-1", "gamma", `Unknown provider "gamma". Run "veyyon models" to see available providers/models.`},
	} {
		m, _, err := r.Match(c.pattern, c.provider)
		if kind := new(MatchError); !errors.As(err, &kind) || err.Error() != c.want {
			t.Errorf("%q of %q: %v, %v", c.pattern, c.provider, m, err)
		}
	}
}

func TestAScopeTakesGlobsAndNames(t *testing.T) {
	r := world{yml: family, environ: []string{"OPENROUTER_API_KEY=x"}}.open(t)
	for _, c := range []struct {
		patterns []string
		want     []string
	}{
		{[]string{"BETA/*"}, []string{"beta/lion-2", "beta/bear-20250101", "beta/bear-20250301"}},
		{[]string{"lion-?", "beta/lion*"}, []string{"alpha/lion-1", "alpha/lion-2", "beta/lion-2"}},
		{[]string{"{lion,owl}*:high"}, []string{"alpha/lion-1", "alpha/lion-2", "alpha/owl:7b", "alpha/owl:7b:free", "beta/lion-2"}},
		{[]string{"alpha/lion-1", "rabbi:low"}, []string{"alpha/lion-1", "alpha/rabbit-latest"}},
		{[]string{"alpha/*ed"}, []string{"alpha/Fox/Red"}},
		{[]string{"openrouter/openai/gpt-oss-*"}, []string{"openrouter/openai/gpt-oss-120b", "openrouter/openai/gpt-oss-20b", "openrouter/openai/gpt-oss-safeguard-20b"}},
		{[]string{"cerebras/*", "[", "none"}, []string{}},
	} {
		if diff := cmp.Diff(c.want, refs(r.Scope(c.patterns))); diff != "" {
			t.Errorf("%v: %s", c.patterns, diff)
		}
	}
}
