package registry

import (
	"encoding/json"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model/datafile"
)

// However a file of models is damaged, what is said of it tells no key.
func TestWarningsAboutDamagedFilesTellNoKey(t *testing.T) {
	const key, password = "canary4711canary", "hunter4712hunter"
	whole := `providers:
  fake:
    baseUrl: http://me:` + password + `@127.0.0.1:1/v1
    api: openai-completions
    apiKey: ` + key + `
    headers:
      X-Token: ` + key + `
    models:
      - id: m
        contextWindow: 1000
`
	for i := range whole {
		for _, damage := range []string{"", ":", "*", "&", "[", "{", "'", `"`, "\n", "!", "!!int ", "- ", "|", "? ", "<<: "} {
			text := whole[:i] + damage + whole[i:]
			_, warnings := parseModels(datafile.New("models.yml", []byte(text)), auth.Env{})
			for _, w := range warnings {
				if said := w.Error(); strings.Contains(said, key[:8]) || strings.Contains(said, password[:8]) {
					t.Errorf("%q at %d: %s", damage, i, said)
				}
			}
		}
	}
}

// Hosts are shown the base URL, so what its name and password are for is told to
// the provider alone.
func TestThePasswordOfABaseURLIsKeptApart(t *testing.T) {
	r := world{
		yml: `providers:
  a: {baseUrl: "http://me:canary@a/v1", api: openai-completions, auth: none, models: [{id: m}, {id: n, baseUrl: "http://b"}]}
  openai: {baseUrl: "http://you:canary@c", apiKey: key-of-openai}
`,
		environ: []string{"OLLAMA_BASE_URL=http://u:canary@h:1"},
	}.open(t)
	for ref, want := range map[string]string{
		"a/m": "me:canary http://a/v1", "a/n": " http://b", "openai/gpt-6.2-sol": "you:canary http://c", "ollama/x": "u:canary http://h:1/v1",
	} {
		m, ok := r.FindRef(ref)
		if !ok {
			t.Errorf("%s is not there: %v", ref, r.Warnings())
			continue
		}
		if got := m.Login.String() + " " + m.BaseURL; got != want {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
		if shown, err := json.Marshal(m); err != nil || strings.Contains(string(shown), "canary") {
			t.Errorf("shown: %s %v", shown, err)
		}
	}
}

func TestAQueryInABaseURLIsRefused(t *testing.T) {
	_, warnings := parseModels(datafile.New("models.yml", []byte("providers:\n  a:\n    baseUrl: http://a/v1?key=canary\n")), auth.Env{})
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "must not have a query") || strings.Contains(warnings[0].Error(), "canary") {
		t.Error(warnings)
	}
}
