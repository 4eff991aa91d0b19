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
  c: {baseUrl: http://c, api: openai-completions, apiKey: "!echo printed", models: [{id: m}]}
  d: {baseUrl: "http://me:password@d", auth: none, api: openai-completions, headers: {X-Token: in-header, X-Team: ours}, models: [{id: m}]}
  openai: {headers: {Authorization: Bearer for-all}, modelOverrides: {gpt-6: {headers: {X-Key: for-one}}}}
`,
		environ: []string{"A_KEY=from-env", "ANTHROPIC_API_KEY=second", "ANTHROPIC_OAUTH_TOKEN=first", "GOOGLE_API_KEY=other", "PATH=/bin"},
		stored:  map[string]string{"xai": "stored"},
		runtime: map[string]string{"xai": "given"},
	}.open(t)
	m, _ := r.Find("c", "m")
	if _, err := r.Key(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	want := []string{"first", "for-all", "for-one", "from-env", "given", "in-header", "other", "password", "printed", "second", "stored", "written-down"}
	if diff := cmp.Diff(want, r.Secrets()); diff != "" {
		t.Error(diff)
	}
}
