// Package model defines what a language model is to the rest of the program:
// its description, a request, the answer as it streams in, and the errors that
// can be told apart. Providers are packages below this one.
package model

import (
	"encoding/json"
	"net/url"
)

// Model describes one model, as the catalogue stores it and hosts see it. It
// holds no secrets.
//
// Protocol: facts/rpc 6.1.
type Model struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	API           API               `json:"api"`
	Provider      string            `json:"provider"`
	BaseURL       string            `json:"baseUrl"` // without name, password and query
	Login         *url.Userinfo     `json:"-"`       // the name and password of the base URL, nil for none; never shown
	Reasoning     bool              `json:"reasoning"`
	Input         []string          `json:"input"` // text, image
	Cost          Price             `json:"cost"`
	ContextWindow int               `json:"contextWindow,omitempty"` // tokens; 0 is unknown
	MaxTokens     int               `json:"maxTokens,omitempty"`     // tokens of output; 0 is unknown
	Thinking      *ThinkingConfig   `json:"thinking,omitempty"`
	Compat        json.RawMessage   `json:"compat"` // an object, {} when nothing is special
	Headers       map[string]string `json:"-"`      // sent with each request, never shown
	SupportsTools *bool             `json:"supportsTools,omitempty"`
}

// Price is in US dollars per million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// API names a wire dialect.
type API string

// The dialects.
const (
	APICompletions API = "openai-completions"
	APIResponses   API = "openai-responses"
	APIAnthropic   API = "anthropic-messages"
	APIGoogle      API = "google-generative-ai"
	APIScripted    API = "scripted"
)

// ThinkingConfig says how a reasoning model is told how hard to think.
type ThinkingConfig struct {
	Mode          string           `json:"mode"`    // effort, budget, google-level, anthropic-adaptive or anthropic-budget-effort
	Efforts       []Level          `json:"efforts"` // ascending, never empty
	DefaultLevel  Level            `json:"defaultLevel,omitempty"`
	EffortMap     map[Level]string `json:"effortMap,omitempty"`      // wire words that differ from the level
	RequireEffort bool             `json:"requiresEffort,omitempty"` // cannot be switched off
}

// Level is a thinking level. off and the efforts are effective levels; auto and
// inherit can only be asked for.
type Level string

// The levels, in ascending order of effort.
const (
	LevelOff     Level = "off"
	LevelMinimal Level = "minimal"
	LevelLow     Level = "low"
	LevelMedium  Level = "medium"
	LevelHigh    Level = "high"
	LevelXHigh   Level = "xhigh"
	LevelMax     Level = "max"
	LevelAuto    Level = "auto"
	LevelInherit Level = "inherit"
)

// Ref is how people write a model: provider/id.
func (m *Model) Ref() string { return m.Provider + "/" + m.ID }

// TakesImages tells whether images may be sent.
func (m *Model) TakesImages() bool {
	for _, kind := range m.Input {
		if kind == "image" {
			return true
		}
	}
	return false
}
