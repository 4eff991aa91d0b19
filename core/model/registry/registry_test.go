package registry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/datafile"
	"veyyon.dev/veyyon/core/model/scripted"
)

// world is what a test's registry reads.
type world struct {
	yml     string
	environ []string
	runtime map[string]string
	stored  map[string]string
	opts    Options
}

func (w world) open(t *testing.T) *Registry {
	t.Helper()
	dir := t.TempDir()
	store := auth.NewStore(filepath.Join(dir, "auth.json"))
	for provider, key := range w.stored {
		if err := store.Set(provider, key); err != nil {
			t.Fatal(err)
		}
	}
	env, err := auth.LoadEnv(w.environ)
	if err != nil {
		t.Fatal(err)
	}
	w.opts.Keys = auth.NewSource(w.runtime, store, env)
	if w.opts.ModelsYML == "" {
		w.opts.ModelsYML = filepath.Join(dir, "models.yml")
		if w.yml != "" {
			write(t, w.opts.ModelsYML, w.yml)
		}
	}
	return New(w.opts)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func refs(models []*model.Model) []string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Ref()
	}
	return names
}

const fake = `providers:
  fake:
    baseUrl: http://127.0.0.1:9/v1
    apiKey: FAKE_LLM_KEY
    api: openai-completions
    headers: {X-Team: TEAM, X-Plain: plain}
    compat: {maxTokensField: max_tokens}
    models:
      - id: scripted
        name: Scripted
        reasoning: true
        input: [text, image]
        contextWindow: 128000
        maxTokens: 8192
        cost: {input: 1, output: 2.5}
        compat: {supportsStore: false}
      - id: scripted-two
`

func TestAModelOfModelsYMLIsWholeAndFound(t *testing.T) {
	r := world{yml: fake, environ: []string{"FAKE_LLM_KEY=sk-fake", "TEAM=blue"}}.open(t)
	if w := r.Warnings(); len(w) > 0 {
		t.Fatal(w)
	}
	headers := map[string]string{"X-Team": "blue", "X-Plain": "plain"}
	want := []*model.Model{
		{
			ID: "scripted", Name: "Scripted", API: model.APICompletions, Provider: "fake", BaseURL: "http://127.0.0.1:9/v1",
			Reasoning: true, Input: []string{"text", "image"}, Cost: model.Price{Input: 1, Output: 2.5},
			ContextWindow: 128000, MaxTokens: 8192, Headers: headers,
			Compat:   []byte(`{"maxTokensField":"max_tokens","supportsStore":false}`),
			Thinking: &model.ThinkingConfig{Mode: "effort", Efforts: []model.Level{"minimal", "low", "medium", "high"}},
		},
		{
			ID: "scripted-two", Name: "scripted-two", API: model.APICompletions, Provider: "fake", BaseURL: "http://127.0.0.1:9/v1",
			Input: []string{"text"}, Headers: headers, Compat: []byte(`{"maxTokensField":"max_tokens"}`),
		},
	}
	if diff := cmp.Diff(want, r.Available()); diff != "" {
		t.Error(diff)
	}
	if key, err := r.Key(t.Context(), want[0]); key != "sk-fake" || err != nil {
		t.Error(key, err)
	}
	for ref, found := range map[string]bool{"fake/scripted": true, "FAKE/scripted": false, "fake/nope": false, "openai/gpt-5.5": false} {
		if m, ok := r.FindRef(ref); ok != found || ok && m.Ref() != ref {
			t.Error(ref, m, ok)
		}
	}
	if diff := cmp.Diff([]string{"FAKE_LLM_KEY", "TEAM"}, r.SecretNames()); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyProvidersWithAKeyAreAvailable(t *testing.T) {
	w := world{environ: []string{"GROQ_API_KEY=x"}, stored: map[string]string{"deepseek": "y"}, runtime: map[string]string{"xai": "z"}}
	r := w.open(t)
	providers := func() []string {
		var names []string
		for _, m := range r.Available() {
			names = append(names, m.Provider)
		}
		return slices.Compact(names)
	}
	if diff := cmp.Diff([]string{"xai", "deepseek", "groq"}, providers()); diff != "" {
		t.Error(diff)
	}
	w.opts.Disabled, w.opts.Enabled = []string{"xai"}, []string{"groq/*gpt*:high", "deepseek-v4-pro"}
	r = w.open(t)
	if diff := cmp.Diff([]string{"deepseek", "groq"}, providers()); diff != "" {
		t.Error(diff)
	}
	for _, m := range r.Available() {
		if m.ID != "deepseek-v4-pro" && !strings.Contains(m.ID, "gpt") {
			t.Error(m.Ref(), "is not enabled")
		}
	}
	if _, ok := r.Find("xai", "grok-4.7"); ok {
		t.Error("a disabled provider's model was found")
	}
	if got := (world{}).open(t).Available(); got == nil || len(got) > 0 {
		t.Errorf("without keys: %v", got)
	}
}

func TestModelsYMLChangesTheCatalogue(t *testing.T) {
	r := world{environ: []string{"OPENAI_API_KEY=env"}, yml: `providers:
  openai:
    baseUrl: https://proxy.example/v1
    apiKey: sk-literal
    modelOverrides:
      gpt-5.5: {name: Mine, contextWindow: 1000, reasoning: true, thinking: {efforts: [high, low, low]}}
  anthropic:
    baseUrl: https://a.example
    api: anthropic-messages
    auth: none
    models:
      - {id: claude-opus-5-5, name: Replaced}
      - {id: claude-mine, reasoning: true}
`}.open(t)
	if w := r.Warnings(); len(w) > 0 {
		t.Fatal(w)
	}
	mine, _ := r.Find("openai", "gpt-5.5")
	if mine.Name != "Mine" || mine.ContextWindow != 1000 || mine.BaseURL != "https://proxy.example/v1" || mine.Cost.Input == 0 {
		t.Errorf("%+v", mine)
	}
	if diff := cmp.Diff([]model.Level{"low", "high"}, mine.Thinking.Efforts); diff != "" {
		t.Error(diff)
	}
	if key, _ := r.Key(t.Context(), mine); key != "sk-literal" {
		t.Error("models.yml's key comes before the environment's, got", key)
	}
	count := 0
	for _, m := range r.Available() {
		if m.Ref() == "anthropic/claude-opus-5-5" {
			count++
			if m.Name != "Replaced" {
				t.Error(m.Name)
			}
		}
	}
	if own, ok := r.Find("anthropic", "claude-mine"); count != 1 || !ok || own.Thinking.Mode != "budget" {
		t.Error(count, own)
	}
}

func TestABadModelsFileIsNamedAndCostsNoMore(t *testing.T) {
	good := "  good: {baseUrl: 'http://x', api: openai-completions, auth: none, models: [{id: m}]}\n"
	head := "providers:\n" + good
	for _, c := range []struct{ text, want string }{
		{head + "  bad:\n    baseUrl: ftp://x\n", "models.yml:4: providers.bad.baseUrl: must be an absolute http or https URL"},
		{head + "  bad:\n    baseUrl: localhost:1\n", "models.yml:4: providers.bad.baseUrl: must be"},
		{head + "  bad:\n    api: smoke\n", `models.yml:4: providers.bad.api: "smoke" is not one of openai-completions,`},
		{head + "  bad:\n    auth: oauth\n", "models.yml:4: providers.bad.auth: must be apiKey or none"},
		{head + "  bad:\n", "models.yml:3: providers.bad: is empty"},
		{head + "  bad:\n    models: [{id: x}]\n", "models.yml:3: providers.bad: needs an apiKey, or auth: none"},
		{head + "  bad:\n    auth: none\n    models:\n    - id: x\n", "models.yml:6: providers.bad.models[0]: needs a baseUrl"},
		{head + "  bad:\n    auth: none\n    baseUrl: http://x\n    models:\n    - id: x\n", "providers.bad.models[0]: needs an api"},
		{head + "  bad:\n    auth: none\n    models:\n    - name: x\n", "models.yml:6: providers.bad.models[0]: needs an id"},
		{head + "  bad:\n    auth: none\n    models:\n    - id: x\n      contextWindow: -1\n", "models.yml:7: providers.bad.models[0].contextWindow: must not be negative"},
		{head + "  bad:\n    auth: none\n    models:\n    - id: x\n      input: [text, smell]\n", `models.yml:7: providers.bad.models[0].input: "smell" is not text or image`},
		{head + "  bad:\n    modelOverrides:\n      m:\n        thinking: {mode: effort, efforts: [loud]}\n", `models.yml:6: providers.bad.modelOverrides.m.thinking.efforts: "loud" is not one of minimal,`},
		{head + "  bad:\n    headers: {A: '!cmd'}\n", "models.yml:4: providers.bad.headers.A: cannot be a command"},
		{head + "  odd: {baseUrl: 'http://y', authHeader: true}\n", `a key has no effect: `},
	} {
		r := world{yml: c.text}.open(t)
		warnings := r.Warnings()
		if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.text, warnings, c.want)
		}
		if _, ok := r.Find("good", "m"); !ok {
			t.Errorf("%s\nthe good provider is lost", c.text)
		}
	}
	for _, text := range []string{"providers: [", "providers: 3\n", "providers:\n  x:\n    models: {}\n", "- 1\n", "\xff"} {
		r := world{yml: text, environ: []string{"XAI_API_KEY=x"}}.open(t)
		if w := r.Warnings(); len(w) != 1 || !strings.Contains(w[0].Error(), "models.yml") {
			t.Errorf("%q: %v", text, w)
		}
		if len(r.Available()) == 0 {
			t.Errorf("%q: the built-in models are lost", text)
		}
	}
}

func TestTheOlderNamesOfModelsYMLAreRead(t *testing.T) {
	for _, name := range []string{"models.yaml", "models.json"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), `{"providers": {"p": {"baseUrl": "http://x", "api": "openai-completions",
	"auth": "none", "models": [{"id": "m"}]}}}`)
		r := world{opts: Options{ModelsYML: filepath.Join(dir, "models.yml")}}.open(t)
		if _, ok := r.Find("p", "m"); !ok {
			t.Error(name, r.Warnings())
		}
	}
}

func TestReloadReplacesWhatWasRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.yml")
	write(t, path, fake)
	r := world{opts: Options{ModelsYML: path}}.open(t)
	var askers sync.WaitGroup
	for range 4 {
		askers.Go(func() { r.Available(); r.Find("fake", "scripted"); r.Warnings() })
	}
	write(t, path, "providers: [")
	r.Reload()
	askers.Wait()
	if _, ok := r.Find("fake", "scripted"); ok || len(r.Warnings()) != 1 {
		t.Error("still the old file:", r.Warnings())
	}
}

func TestABrokenRefreshedCatalogueIsAWarning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalogue.json")
	write(t, path, "{")
	r := world{opts: Options{CatalogPath: path}, environ: []string{"XAI_API_KEY=x"}}.open(t)
	if len(r.Warnings()) != 0 {
		t.Error("the catalogue was read at start")
	}
	if len(r.Available()) == 0 || len(r.Warnings()) != 1 || !strings.Contains(r.Warnings()[0].Error(), path) {
		t.Error(r.Warnings())
	}
}

func TestACustomModelIsFoundWithoutReadingTheCatalogue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalogue.json")
	write(t, path, "{")
	r := world{yml: fake, opts: Options{CatalogPath: path}}.open(t)
	_, found := r.Find("fake", "scripted")
	m, _, err := r.Match("fake/scripted", "")
	n, _, err2 := r.Match("scripted", "fake")
	if !found || err != nil || err2 != nil || m != n || r.Default("fake/scripted") != m || r.Default("fake/scripted:low") != m {
		t.Error(found, err, err2)
	}
	if len(r.Warnings()) != 0 {
		t.Error("the catalogue was read:", r.Warnings())
	}
}

func TestScriptedModelsAreFoundByNameOnly(t *testing.T) {
	play, err := scripted.Parse("s", []byte("[]"))
	if err != nil {
		t.Fatal(err)
	}
	w := world{opts: Options{Scripted: scripted.New(play).Models()}}
	r := w.open(t)
	if diff := cmp.Diff([]string{"scripted/script"}, refs(r.Available())); diff != "" {
		t.Error(diff)
	}
	for _, ref := range []string{"scripted/demo", "scripted/script"} {
		m, ok := r.FindRef(ref)
		if n, _, err := r.Match(ref, ""); !ok || err != nil || n != m || r.Default(ref) != m {
			t.Error(ref, ok, err)
		}
		if key, err := r.Key(t.Context(), m); key != "" || err != nil || !r.HasKey(m) {
			t.Error(key, err)
		}
	}
	for _, pattern := range []string{"demo", "dem", "script", "answers by rules"} {
		if m, _, err := r.Match(pattern, ""); err == nil && m.Provider == "scripted" {
			t.Errorf("%s chose %s", pattern, m.Ref())
		}
	}
	if m := r.Default(""); m != nil {
		t.Error("chosen silently:", m.Ref())
	}
	if got := r.Scope([]string{"*"}); len(got) > 0 {
		t.Error("in scope of *:", refs(got))
	}
	if got := r.Scope([]string{"scripted/*"}); len(got) != 1 {
		t.Error("not in scope of scripted/*:", refs(got))
	}
}

func TestTheDefaultIsTheNamedOneElseTheUsualOne(t *testing.T) {
	r := world{environ: []string{"GROQ_API_KEY=x", "DEEPSEEK_API_KEY=y"}}.open(t)
	for ref, want := range map[string]string{
		"":                            "deepseek/deepseek-v4-pro",
		"openai/gpt-5.5":              "deepseek/deepseek-v4-pro", // no key
		"groq/openai/gpt-oss-20b":     "groq/openai/gpt-oss-20b",
		"groq/openai/gpt-oss-20b:low": "groq/openai/gpt-oss-20b",
	} {
		if m := r.Default(ref); m == nil || m.Ref() != want {
			t.Errorf("%q: %v", ref, m)
		}
	}
}

func TestTheUsualModelsAreInTheCatalogue(t *testing.T) {
	r := world{}.open(t)
	for provider, id := range usual {
		if m, _, err := r.Match(provider+"/"+id, ""); err != nil || m.ID != id {
			t.Error(provider, id, err)
		}
	}
}

func TestLocalEnginesNeedAnAddressAndNoKey(t *testing.T) {
	r := world{environ: []string{"OLLAMA_HOST=box:11434", "LM_STUDIO_BASE_URL=http://x:1234/v1"}}.open(t)
	m, level, err := r.Match("ollama/qwen3:8b:low", "")
	if err != nil || level != "low" || m.ID != "qwen3:8b" || m.BaseURL != "http://box:11434/v1" {
		t.Error(m, level, err)
	}
	if m, ok := r.Find("lm-studio", "any"); !ok || m.BaseURL != "http://x:1234/v1" {
		t.Error(m, ok)
	}
	if m, _, err := r.Match("any", "lm-studio"); err != nil || m.Ref() != "lm-studio/any" {
		t.Error(m, err)
	}
	if key, err := r.Key(t.Context(), m); key != "" || err != nil {
		t.Error(key, err)
	}
	if _, _, err := r.Match("llama.cpp/any", ""); err == nil {
		t.Error("an engine without an address was found")
	}
	if len(r.Available()) != 0 {
		t.Error("engines are not asked what they have")
	}
	r = world{yml: "providers:\n  llama.cpp: {models: [{id: m}]}\n"}.open(t)
	if m, ok := r.Find("llama.cpp", "m"); !ok || m.BaseURL != "http://127.0.0.1:8080/v1" || m.API != model.APICompletions || !r.HasKey(m) {
		t.Error(m, ok, r.Warnings())
	}
}

func TestAProviderIsTheOneOfTheModelsDialect(t *testing.T) {
	speaker := scripted.New(nil)
	r := world{opts: Options{Providers: map[model.API]model.Provider{model.APIScripted: speaker}}}.open(t)
	if p, err := r.Provider(speaker.Models()[0]); p != speaker || err != nil {
		t.Error(p, err)
	}
	if _, err := r.Provider(&model.Model{Provider: "p", ID: "m", API: "smoke"}); err == nil || !strings.Contains(err.Error(), `p/m`) {
		t.Error(err)
	}
}

func FuzzModelsYML(f *testing.F) {
	f.Add([]byte(fake))
	f.Fuzz(func(t *testing.T, text []byte) {
		providers, warnings := parseModels(datafile.New("models.yml", text), auth.Env{})
		for _, warning := range warnings {
			if !strings.Contains(warning.Error(), "models.yml") {
				t.Error(warning)
			}
		}
		for id, p := range providers {
			for _, m := range p.models {
				if m.Provider != id || m.ID == "" || m.BaseURL == "" || m.API == "" || len(m.Input) == 0 {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
