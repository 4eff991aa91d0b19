package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/datafile"
)

// modelsFile is the shape of models.yml. Source: facts/agent 10.3.
type modelsFile struct {
	Providers map[string]*providerText `json:"providers"`
}

type providerText struct {
	BaseURL   string                `json:"baseUrl"`
	API       model.API             `json:"api"`
	APIKey    string                `json:"apiKey"`
	Auth      string                `json:"auth"`
	Headers   map[string]string     `json:"headers"`
	Compat    map[string]any        `json:"compat"`
	Overrides map[string]*modelText `json:"modelOverrides"`
	Models    []*modelText          `json:"models"`
}

// modelText is a model of its own, or what differs in one of the catalogue.
type modelText struct {
	ID            string                `json:"id"`
	Name          string                `json:"name"`
	API           model.API             `json:"api"`
	BaseURL       string                `json:"baseUrl"`
	Reasoning     *bool                 `json:"reasoning"`
	Thinking      *model.ThinkingConfig `json:"thinking"`
	Input         []string              `json:"input"`
	SupportsTools *bool                 `json:"supportsTools"`
	Cost          *model.Price          `json:"cost"`
	ContextWindow *int                  `json:"contextWindow"`
	MaxTokens     *int                  `json:"maxTokens"`
	Headers       map[string]string     `json:"headers"`
	Compat        map[string]any        `json:"compat"`
}

// settings are what models.yml says of one provider, checked.
type settings struct {
	*providerText
	models []*model.Model
}

// parser reads models.yml; what is wrong becomes a warning, and costs the
// provider it is about, or the file when it cannot be decoded.
type parser struct {
	file     *datafile.File
	env      auth.Env
	warnings []error
}

// readModels reads the file at path or, without one, its older names beside it.
func readModels(path string, env auth.Env) (map[string]settings, []error) {
	if path == "" {
		return nil, nil
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	for _, name := range []string{path, base + ".yaml", base + ".json"} {
		file, err := datafile.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, []error{fmt.Errorf("models are not read: %w", err)}
		}
		return parseModels(file, env)
	}
	return nil, nil
}

func parseModels(file *datafile.File, env auth.Env) (map[string]settings, []error) {
	var text modelsFile
	if err := file.Decode(&text); err != nil {
		return nil, []error{fmt.Errorf("models are not read: %w", err)}
	}
	p := &parser{file: file, env: env}
	if err := file.CheckKeys(&modelsFile{}); err != nil {
		p.warnings = append(p.warnings, fmt.Errorf("a key has no effect: %w", err))
	}
	providers := map[string]settings{}
	for _, id := range slices.Sorted(maps.Keys(text.Providers)) {
		provider, fault := p.provider(id, text.Providers[id])
		if fault != nil {
			p.warnings = append(p.warnings, fmt.Errorf("provider %s is left out: %w", id, fault))
			continue
		}
		providers[id] = provider
	}
	return providers, p.warnings
}

func (p *parser) provider(id string, text *providerText) (settings, *datafile.Fault) {
	at := []any{"providers", id}
	if text == nil {
		return settings{}, p.file.Faultf(at, "is empty")
	}
	if local, ok := engines[id]; ok {
		local.complete(text, p.env)
	}
	switch {
	case text.BaseURL != "" && wrongURL(text.BaseURL) != "":
		return settings{}, p.file.Faultf(append(at, "baseUrl"), "%s", wrongURL(text.BaseURL))
	case text.API != "" && !slices.Contains(dialects, text.API):
		return settings{}, p.file.Faultf(append(at, "api"), "%s", unknownAPI(text.API))
	case text.Auth != "" && text.Auth != "none" && text.Auth != "apiKey":
		return settings{}, p.file.Faultf(append(at, "auth"), "must be apiKey or none")
	case len(text.Models) > 0 && text.APIKey == "" && text.Auth != "none":
		return settings{}, p.file.Faultf(at, "needs an apiKey, or auth: none")
	}
	for name, value := range text.Headers {
		if strings.HasPrefix(value, "!") {
			return settings{}, p.file.Faultf(append(at, "headers", name), "cannot be a command")
		}
	}
	if _, err := json.Marshal(text.Compat); err != nil {
		return settings{}, p.file.Faultf(append(at, "compat"), "cannot be written as JSON")
	}
	provider := settings{providerText: text}
	for i, own := range text.Models {
		m, key, problem := p.model(id, text, own)
		if problem != "" {
			return settings{}, p.file.Faultf(append(at, append([]any{"models", i}, key...)...), "%s", problem)
		}
		provider.models = append(provider.models, m)
	}
	for _, of := range slices.Sorted(maps.Keys(text.Overrides)) {
		if key, problem := text.Overrides[of].check(); problem != "" {
			return settings{}, p.file.Faultf(append(at, append([]any{"modelOverrides", of}, key...)...), "%s", problem)
		}
	}
	return provider, nil
}

// model makes a model of its own; key leads to the problem in its text.
func (p *parser) model(provider string, defaults *providerText, text *modelText) (m *model.Model, key []any, problem string) {
	if key, problem := text.check(); problem != "" {
		return nil, key, problem
	}
	if text.ID == "" {
		return nil, nil, "needs an id"
	}
	m = &model.Model{
		ID: text.ID, Name: text.ID, API: defaults.API, Provider: provider,
		Input: []string{"text"}, Compat: json.RawMessage("{}"),
	}
	p.dress(m, defaults)
	p.apply(m, text)
	switch {
	case m.BaseURL == "":
		return nil, nil, "needs a baseUrl, of its own or of the provider"
	case m.API == "":
		return nil, nil, "needs an api, of its own or of the provider"
	case m.Reasoning && m.Thinking == nil:
		m.Thinking = defaultThinking(m.API)
	}
	return m, nil, ""
}

// dress gives a model what its provider says for all.
func (p *parser) dress(m *model.Model, provider *providerText) {
	setURL(m, provider.BaseURL)
	m.Headers = p.headers(m.Headers, provider.Headers)
	m.Compat = merge(m.Compat, provider.Compat)
}

// apply gives a model what its own text says.
func (p *parser) apply(m *model.Model, text *modelText) {
	set(&m.Name, text.Name)
	set(&m.API, text.API)
	setURL(m, text.BaseURL)
	setTo(&m.Reasoning, text.Reasoning)
	setTo(&m.Cost, text.Cost)
	setTo(&m.ContextWindow, text.ContextWindow)
	setTo(&m.MaxTokens, text.MaxTokens)
	if text.Thinking != nil {
		m.Thinking = text.Thinking
	}
	if text.Input != nil {
		m.Input = text.Input
	}
	if text.SupportsTools != nil {
		m.SupportsTools = text.SupportsTools
	}
	m.Headers = p.headers(m.Headers, text.Headers)
	m.Compat = merge(m.Compat, text.Compat)
}

// headers adds to those of a model; a value that names a variable stands for
// what that holds.
func (p *parser) headers(old, more map[string]string) map[string]string {
	if len(more) == 0 {
		return old
	}
	all := maps.Clone(old)
	if all == nil {
		all = map[string]string{}
	}
	for name, value := range more {
		if held := p.env.Get(value); held != "" {
			value = held
		}
		all[name] = value
	}
	return all
}

var (
	dialects = []model.API{model.APICompletions, model.APIResponses, model.APIAnthropic, model.APIGoogle}
	modes    = []string{"effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"}
)

func unknownAPI(api model.API) string {
	names := make([]string, len(dialects))
	for i, d := range dialects {
		names[i] = string(d)
	}
	return fmt.Sprintf("%q is not one of %s", api, strings.Join(names, ", "))
}

// check says what is wrong with the text by itself; key leads there.
func (t *modelText) check() (key []any, problem string) {
	switch {
	case t == nil:
		return nil, "is empty"
	case t.BaseURL != "" && wrongURL(t.BaseURL) != "":
		return []any{"baseUrl"}, wrongURL(t.BaseURL)
	case t.API != "" && !slices.Contains(dialects, t.API):
		return []any{"api"}, unknownAPI(t.API)
	case t.ContextWindow != nil && *t.ContextWindow < 0:
		return []any{"contextWindow"}, "must not be negative"
	case t.MaxTokens != nil && *t.MaxTokens < 0:
		return []any{"maxTokens"}, "must not be negative"
	case t.Input != nil && !slices.Contains(t.Input, "text"):
		return []any{"input"}, "must have text in it"
	}
	for _, kind := range t.Input {
		if kind != "text" && kind != "image" {
			return []any{"input"}, fmt.Sprintf("%q is not text or image", kind)
		}
	}
	for name, value := range t.Headers {
		if strings.HasPrefix(value, "!") {
			return []any{"headers", name}, "cannot be a command"
		}
	}
	if _, err := json.Marshal(t.Compat); err != nil {
		return []any{"compat"}, "cannot be written as JSON"
	}
	return t.checkThinking()
}

// checkThinking also sorts the efforts and fills in the mode.
func (t *modelText) checkThinking() (key []any, problem string) {
	config := t.Thinking
	if config == nil {
		return nil, ""
	}
	if config.Mode == "" {
		config.Mode = "effort"
	}
	if !slices.Contains(modes, config.Mode) {
		return []any{"thinking", "mode"}, "must be one of " + strings.Join(modes, ", ")
	}
	if len(config.Efforts) == 0 {
		return []any{"thinking"}, "needs efforts"
	}
	efforts := ladder[1:]
	for _, effort := range config.Efforts {
		if !slices.Contains(efforts, effort) {
			return []any{"thinking", "efforts"}, fmt.Sprintf("%q is not one of %s", effort, joinLevels(efforts))
		}
	}
	slices.SortFunc(config.Efforts, func(a, b model.Level) int { return slices.Index(ladder, a) - slices.Index(ladder, b) })
	config.Efforts = slices.Compact(config.Efforts)
	return nil, ""
}

// wrongURL says what is wrong with a base URL, "" for nothing.
func wrongURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return "must be an absolute http or https URL"
	case strings.ContainsAny(text, "?#"):
		return "must not have a query: what a request needs besides belongs into headers"
	}
	return ""
}

// setURL gives a model its base URL. Hosts are shown that, so the name and the
// password in it stand by themselves.
func setURL(m *model.Model, text string) {
	if text == "" {
		return
	}
	m.BaseURL, m.Login = text, nil
	if u, err := url.Parse(text); err == nil && u.User != nil {
		m.Login, u.User = u.User, nil
		m.BaseURL = u.String()
	}
}

// merge lays keys over a JSON object.
func merge(object json.RawMessage, more map[string]any) json.RawMessage {
	if len(more) == 0 {
		return object
	}
	all := map[string]any{}
	if json.Unmarshal(object, &all) != nil {
		all = map[string]any{} // half filled after an error
	}
	maps.Copy(all, more)
	raw, err := json.Marshal(all)
	if err != nil {
		return object // unreachable: compat has been checked
	}
	return raw
}

func set[T ~string](field *T, value T) {
	if value != "" {
		*field = value
	}
}

func setTo[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
