package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"veyyon.dev/veyyon/core/model"
)

// origins are the providers taken from models.dev, in the order of the
// catalogue, with what models.dev does not say: which dialect to speak, where.
var origins = []struct {
	dev, id string // their name there and here
	api     model.API
	baseURL string
}{
	{"anthropic", "anthropic", model.APIAnthropic, "https://api.anthropic.com"},
	{"openai", "openai", model.APIResponses, "https://api.openai.com/v1"},
	{"google", "google", model.APIGoogle, "https://generativelanguage.googleapis.com/v1beta"},
	{"xai", "xai", model.APIResponses, "https://api.x.ai/v1"},
	{"openrouter", "openrouter", model.APICompletions, "https://openrouter.ai/api/v1"},
	{"deepseek", "deepseek", model.APICompletions, "https://api.deepseek.com"},
	{"mistral", "mistral", model.APICompletions, "https://api.mistral.ai/v1"},
	{"groq", "groq", model.APICompletions, "https://api.groq.com/openai/v1"},
	{"cerebras", "cerebras", model.APICompletions, "https://api.cerebras.ai/v1"},
	{"zai-coding-plan", "zai", model.APICompletions, "https://api.z.ai/api/coding/paas/v4"},
	{"moonshotai", "moonshot", model.APICompletions, "https://api.moonshot.ai/v1"},
	{"minimax", "minimax", model.APIAnthropic, "https://api.minimax.io/anthropic"},
	{"together", "together", model.APICompletions, "https://api.together.ai/v1"},
	{"togetherai", "together", model.APICompletions, "https://api.together.ai/v1"},
	{"fireworks-ai", "fireworks", model.APICompletions, "https://api.fireworks.ai/inference/v1"},
	{"baseten", "baseten", model.APICompletions, "https://inference.baseten.co/v1"},
	{"nvidia", "nvidia", model.APICompletions, "https://integrate.api.nvidia.com/v1"},
	{"huggingface", "huggingface", model.APICompletions, "https://router.huggingface.co/v1"},
	{"xiaomi", "xiaomi", model.APICompletions, "https://api.xiaomimimo.com/v1"},
}

// devProvider and devModel are the shape of models.dev's api.json, as far as it
// is used.
type devProvider struct {
	Models map[string]devModel `json:"models"`
}

type devModel struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Reasoning  bool   `json:"reasoning"`
	ToolCall   bool   `json:"tool_call"`
	Modalities struct {
		Input  []string `json:"input"`
		Output []string `json:"output"`
	} `json:"modalities"`
	Cost struct {
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
		CacheRead  float64 `json:"cache_read"`
		CacheWrite float64 `json:"cache_write"`
	} `json:"cost"`
	Limit struct {
		Context int `json:"context"`
		Output  int `json:"output"`
	} `json:"limit"`
}

// fromModelsDev converts models.dev's api.json. Of the providers this program
// can talk to, it takes the models that read and write text and call tools and
// are not deprecated, sorted by id within a provider. How models think is not
// in that file: for those of the built-in catalogue it is carried over, for
// others guessed by their dialect.
func fromModelsDev(raw []byte) ([]model.Model, error) {
	var providers map[string]devProvider
	if err := json.Unmarshal(raw, &providers); err != nil {
		return nil, fmt.Errorf("not a table of models.dev: %w", err)
	}
	known := make(map[string]*model.Model, len(Builtin().Models))
	for _, m := range Builtin().Models {
		known[m.Ref()] = m
	}
	var models []model.Model
	for _, from := range origins {
		found := providers[from.dev].Models
		for _, id := range slices.Sorted(maps.Keys(found)) {
			dev := found[id]
			if dev.ID == "" {
				dev.ID = id
			}
			if !dev.usable() {
				continue
			}
			m := dev.convert(from.id, from.api, from.baseURL)
			if old := known[m.Ref()]; old != nil {
				m.API, m.BaseURL, m.Compat, m.Thinking = old.API, old.BaseURL, old.Compat, old.Thinking
			}
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		return nil, errors.New("not a table of models.dev: no model of a known provider in it")
	}
	return models, nil
}

func (d devModel) usable() bool {
	return d.ToolCall && d.Status != "deprecated" && d.Limit.Context > 0 && d.Limit.Output >= 0 &&
		slices.Contains(d.Modalities.Input, "text") && slices.Contains(d.Modalities.Output, "text")
}

func (d devModel) convert(provider string, api model.API, baseURL string) model.Model {
	m := model.Model{
		ID: d.ID, Name: d.Name, API: api, Provider: provider, BaseURL: baseURL, Reasoning: d.Reasoning, Input: []string{"text"},
		Cost:          model.Price{Input: d.Cost.Input, Output: d.Cost.Output, CacheRead: d.Cost.CacheRead, CacheWrite: d.Cost.CacheWrite},
		ContextWindow: d.Limit.Context, MaxTokens: d.Limit.Output, Compat: json.RawMessage("{}"),
	}
	if m.Name == "" {
		m.Name = m.ID
	}
	if slices.Contains(d.Modalities.Input, "image") {
		m.Input = append(m.Input, "image")
	}
	if m.Reasoning {
		m.Thinking = guess(api)
	}
	return m
}

// guess is how a model newer than this program is likely to be told how hard to
// think: as the latest ones of its dialect are.
func guess(api model.API) *model.ThinkingConfig {
	config := &model.ThinkingConfig{Mode: "effort", Efforts: []model.Level{model.LevelLow, model.LevelMedium, model.LevelHigh}}
	switch api {
	case model.APIAnthropic:
		config.Mode = "anthropic-adaptive"
	case model.APIGoogle:
		config.Mode, config.RequireEffort = "google-level", true
	}
	return config
}
