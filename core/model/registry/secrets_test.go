package registry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecretsAreTheKeysOfAllSourcesAndNoNames(t *testing.T) {
	r := world{
		yml: `providers:
  a: {baseUrl: http://a, api: openai-completions, apiKey: A_KEY, models: [{id: m}]}
  b: {baseUrl: http://b, api: openai-completions, apiKey: written-down, models: [{id: m}]}
  c: {baseUrl: http://c, api: openai-completions, apiKey: "!pass c", models: [{id: m}]}
`,
		environ: []string{"A_KEY=from-env", "ANTHROPIC_API_KEY=second", "ANTHROPIC_OAUTH_TOKEN=first", "GOOGLE_API_KEY=other", "PATH=/bin"},
		stored:  map[string]string{"xai": "stored"},
		runtime: map[string]string{"xai": "given"},
	}.open(t)
	if diff := cmp.Diff([]string{"first", "from-env", "given", "other", "second", "stored", "written-down"}, r.Secrets()); diff != "" {
		t.Error(diff)
	}
}
