package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
)

func sample(t testing.TB) []byte {
	raw, err := os.ReadFile("testdata/modelsdev.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestModelsDevIsConverted(t *testing.T) {
	got, err := fromModelsDev(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Model{
		{
			ID: "claude-opus-5-5", Name: "Claude Opus 5.5", API: model.APIAnthropic, Provider: "anthropic",
			BaseURL: "https://api.anthropic.com", Reasoning: true, Input: []string{"text", "image"},
			Cost:          model.Price{Input: 4, Output: 20, CacheRead: 0.2, CacheWrite: 5},
			ContextWindow: 1_000_000, MaxTokens: 128_000, Compat: json.RawMessage("{}"),
			Thinking: &model.ThinkingConfig{ // carried over from the built-in table
				Mode: "anthropic-adaptive", Efforts: []model.Level{"low", "medium", "high", "xhigh", "max"}, RequireEffort: true,
			},
		},
		{
			ID: "claude-tomorrow", Name: "Claude Tomorrow", API: model.APIAnthropic, Provider: "anthropic",
			BaseURL: "https://api.anthropic.com", Reasoning: true, Input: []string{"text"},
			ContextWindow: 2_000_000, MaxTokens: 64_000, Compat: json.RawMessage("{}"),
			Thinking: &model.ThinkingConfig{Mode: "anthropic-adaptive", Efforts: []model.Level{"low", "medium", "high"}},
		},
		{
			ID: "b/plain", Name: "b/plain", API: model.APICompletions, Provider: "together", BaseURL: "https://api.together.ai/v1",
			Input: []string{"text"}, Cost: model.Price{Input: 0.1, Output: 0.2}, ContextWindow: 32768, Compat: json.RawMessage("{}"),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "[]", "{}", `{"amazon-bedrock":{}}`} {
		if _, err := fromModelsDev([]byte(bad)); err == nil || !strings.Contains(err.Error(), "models.dev") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// asModelsDev writes the built-in table in models.dev's shape.
func asModelsDev(t *testing.T) []byte {
	t.Helper()
	providers := map[string]map[string]map[string]any{}
	for _, from := range origins {
		providers[from.dev] = map[string]map[string]any{"models": {}}
		for _, m := range Builtin().Models {
			if m.Provider == from.id {
				providers[from.dev]["models"][m.ID] = map[string]any{
					"id": m.ID, "name": m.Name, "tool_call": true, "reasoning": m.Reasoning,
					"modalities": map[string]any{"input": m.Input, "output": []string{"text"}},
					"limit":      map[string]any{"context": m.ContextWindow, "output": m.MaxTokens},
					"cost": map[string]any{
						"input": m.Cost.Input, "output": m.Cost.Output, "cache_read": m.Cost.CacheRead, "cache_write": m.Cost.CacheWrite,
					},
				}
			}
		}
	}
	delete(providers, "together") // the other of its two names is there
	raw, err := json.Marshal(providers)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func serve(t *testing.T, status int, body []byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestARefreshedTableIsWhatLoadFinds(t *testing.T) {
	dest := filepath.Join(t.TempDir(), "cache", "models.json")
	url := serve(t, http.StatusOK, asModelsDev(t))
	table, err := Refresh(t.Context(), http.DefaultClient, strings.Replace(url, "http://", "http://me:canary@", 1)+"?token=canary", dest)
	if err != nil {
		t.Fatal(err)
	}
	loaded, warning := Load(dest)
	if warning != nil {
		t.Fatal(warning)
	}
	if diff := cmp.Diff(table, loaded); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Builtin().Models, loaded.Models); diff != "" { // figures and thinking went all the way round
		t.Error(diff)
	}
	if loaded.Source != url || loaded.Date == "" {
		t.Error(loaded.Source, loaded.Date)
	}
}

func TestABadDownloadLeavesTheFileAsItWas(t *testing.T) {
	dest := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(dest, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		url  string
		want string
	}{
		{t.Context(), serve(t, http.StatusOK, nil), "not a table"},
		{t.Context(), serve(t, http.StatusOK, []byte("<html>")), "not a table"},
		{t.Context(), serve(t, http.StatusOK, sample(t)), ErrTooSmall.Error()},
		{t.Context(), serve(t, http.StatusInternalServerError, asModelsDev(t)), "500"},
		{cancelled, serve(t, http.StatusOK, asModelsDev(t)), context.Canceled.Error()},
		{t.Context(), "http://127.0.0.1:1", "refused"},
		{t.Context(), "http://me:canary@127.0.0.1:1/x?key=canary", "downloading http://127.0.0.1:1/x: dial tcp"},
		{t.Context(), "http://me:canary@h:x/", "downloading the table: invalid port"},
	} {
		_, err := Refresh(c.ctx, http.DefaultClient, c.url, dest)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		} else if strings.Contains(err.Error(), "canary") {
			t.Error("it tells a secret:", err)
		}
		if c.want == ErrTooSmall.Error() && !errors.Is(err, ErrTooSmall) {
			t.Error("cannot be told apart:", err)
		}
		if kept, _ := os.ReadFile(dest); string(kept) != "before" {
			t.Fatalf("the file is now %q", kept)
		}
	}
}

func FuzzFromModelsDev(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, raw []byte) {
		models, err := fromModelsDev(raw)
		if err == nil && len(models) == 0 {
			t.Error("no models and no error")
		}
	})
}
