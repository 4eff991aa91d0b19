package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlagsAndSettingsReachTheProvider(t *testing.T) {
	type request struct {
		Authorization, Model, CacheKey, Effort string
		Walrus                                 bool // the system prompt tells of it
		Temperature                            float64
	}
	requests := make(chan request, 1)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			CacheKey string `json:"prompt_cache_key"`
			Effort   string `json:"reasoning_effort"`

			Temperature float64
			Messages    []struct{ Content any }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		system, _ := json.Marshal(body.Messages[0].Content) // was JSON before
		requests <- request{r.Header.Get("Authorization"), body.Model, body.CacheKey, body.Effort, strings.Contains(string(system), "walrus"), body.Temperature}
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(provider.Close)
	agent := t.TempDir()
	must(t, os.WriteFile(filepath.Join(agent, "models.yml"), []byte(`providers:
  fake:
    baseUrl: `+provider.URL+`
    api: openai-completions
    apiKey: literal
    models: [{id: thinker, reasoning: true, compat: {supportsPromptCacheKey: true}}]
`), 0o600))
	must(t, os.WriteFile(filepath.Join(agent, "config.yml"), []byte("temperature: 0.5\n"), 0o600))
	s := launchServer(t, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "VEYYON_CODING_AGENT_DIR="+agent) },
		"--model", "fake/thinker", "--thinking", "low", "--api-key", "k-1", "--provider-session-id", "s-1", "--append-system-prompt", "- the walrus")
	s.send(`{"id":"p","type":"prompt","message":"hello"}`)
	got := <-requests
	if diff := cmp.Diff(request{"Bearer k-1", "thinker", "s-1", "low", true, 0.5}, got); diff != "" {
		t.Error(diff)
	}
	s.await(`"type":"agent_end"`)
}
