package catalog

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
)

var update = flag.Bool("update", false, "write models.json anew in its own layout")

var levels = []model.Level{
	model.LevelMinimal, model.LevelLow, model.LevelMedium, model.LevelHigh, model.LevelXHigh, model.LevelMax,
}

func TestTheBuiltinTableIsSound(t *testing.T) {
	table := Builtin()
	if table.Source == "" || table.Date == "" || len(table.Models) < 300 {
		t.Errorf("source %q, date %q, %d models", table.Source, table.Date, len(table.Models))
	}
	seen := map[string]bool{}
	modes := []string{"effort", "budget", "google-level", "anthropic-adaptive"}
	for _, m := range table.Models {
		if seen[m.Ref()] {
			t.Errorf("%s is there twice", m.Ref())
		}
		seen[m.Ref()] = true
		if m.ContextWindow <= 0 || !slices.Contains(m.Input, "text") || m.Cost.Input < 0 || m.Cost.Output < 0 {
			t.Errorf("%+v", m)
		}
		if !strings.HasPrefix(m.BaseURL, "https://") || strings.Contains(m.BaseURL, "{") {
			t.Errorf("%s is asked at %s", m.Ref(), m.BaseURL)
		}
		if m.Thinking == nil {
			continue
		}
		if !m.Reasoning || !slices.Contains(modes, m.Thinking.Mode) {
			t.Errorf("%s thinks by %q", m.Ref(), m.Thinking.Mode)
		}
		last := -1
		for _, effort := range m.Thinking.Efforts {
			at := slices.Index(levels, effort)
			if at <= last {
				t.Errorf("%s: efforts %v", m.Ref(), m.Thinking.Efforts)
			}
			last = at
		}
	}
	for _, provider := range []string{"anthropic", "openai", "google", "openrouter", "xai", "groq", "mistral", "deepseek", "cerebras", "together", "fireworks", "zai", "moonshot"} {
		if !slices.ContainsFunc(table.Models, func(m *model.Model) bool { return m.Provider == provider }) {
			t.Errorf("no model of %s", provider)
		}
	}
}

func TestTheDataFileIsInTheLayoutRefreshWrites(t *testing.T) {
	text, err := encode(Builtin())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("models.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Builtin(), again); diff != "" {
		t.Error(diff)
	}
	if !*update && string(text) != string(builtin) {
		t.Error("models.json is not as encode writes it; run with -update")
	}
}

func TestLoadPrefersARefreshedFileOnlyWhenItIsGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.json")
	if table, warning := Load(path); table != Builtin() || warning != nil {
		t.Error("without a file:", warning)
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"source":"here","date":"2030-01-01","providers":[{"id":"p","api":"openai-completions","baseUrl":"http://x","models":[
		{"id":"m","name":"M","input":["text"],"cost":{"input":1,"output":2}}]}]}`)
	table, warning := Load(path)
	if warning != nil {
		t.Fatal(warning)
	}
	want := []*model.Model{{
		ID: "m", Name: "M", API: model.APICompletions, Provider: "p", BaseURL: "http://x", Input: []string{"text"},
		Cost: model.Price{Input: 1, Output: 2}, Compat: []byte("{}"),
	}}
	if diff := cmp.Diff(want, table.Models); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{
		"", "{", "[]", `{"providers":[]}`, `{"providers":[{"id":"p","api":"a","baseUrl":"b","models":[{"id":""}]}]}`,
		`{"providers":[{"id":"p","api":"a","baseUrl":"b","models":[{"id":"x","name":"x","input":["text"],"thinking":{"mode":"effort"}}]}]}`,
	} {
		write(bad)
		if table, warning := Load(path); table != Builtin() || warning == nil || !strings.Contains(warning.Error(), path) {
			t.Errorf("%s: %v", bad, warning)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		if _, err := decode(builtin); err != nil {
			b.Fatal(err)
		}
	}
}
