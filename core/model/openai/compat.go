package openai

import (
	"strings"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// compat says in what an endpoint differs from OpenAI's own. Model.Compat
// overrides what is known of the provider.
type compat struct {
	DeveloperRole   bool   `json:"supportsDeveloperRole"`      // instructions have the role developer; else system and user
	MaxTokensField  string `json:"maxTokensField"`             // max_tokens or max_completion_tokens
	ThinkingFormat  string `json:"thinkingFormat"`             // openai, openrouter, zai, qwen, qwen-chat-template or deepseek
	ReasoningEffort bool   `json:"supportsReasoningEffort"`    // reasoning_effort is accepted
	StreamedUsage   bool   `json:"supportsUsageInStreaming"`   // stream_options is accepted
	CacheKey        bool   `json:"supportsPromptCacheKey"`     // prompt_cache_key is accepted
	CacheControl    bool   `json:"supportsCacheControl"`       // cache_control of content parts is accepted
	ResultName      bool   `json:"requiresToolResultName"`     // a tool result names its tool
	NineLetterIDs   bool   `json:"requiresMistralToolIds"`     // call ids are nine letters or digits
	EncryptedReason bool   `json:"supportsEncryptedReasoning"` // Responses: sealed reasoning can be asked for
}

// compatOf is what holds for the model.
func compatOf(m *model.Model) (compat, error) {
	own := is(m, "openai", "api.openai.com")
	c := compat{
		DeveloperRole:   own,
		MaxTokensField:  "max_tokens",
		ThinkingFormat:  "openai",
		ReasoningEffort: m.Thinking != nil || !is(m, "xai", "api.x.ai"), // its older models refuse the field
		StreamedUsage:   true,
		CacheKey:        own || m.API == model.APIResponses,
		EncryptedReason: true,
	}
	if own {
		c.MaxTokensField = "max_completion_tokens"
	}
	switch {
	case is(m, "openrouter", "openrouter.ai"):
		c.ThinkingFormat = "openrouter"
		c.CacheControl = strings.HasPrefix(m.ID, "anthropic/")
	case is(m, "zai", "api.z.ai"):
		c.ThinkingFormat = "zai"
	case is(m, "deepseek", "api.deepseek.com"):
		c.ThinkingFormat = "deepseek"
	case is(m, "mistral", "api.mistral.ai"):
		c.ResultName, c.NineLetterIDs = true, true
	}
	err := wire.ReadCompat(m, &c)
	return c, err
}

func is(m *model.Model, provider, host string) bool {
	return m.Provider == provider || strings.Contains(m.BaseURL, "//"+host)
}

// endpoint joins the base URL and the path of a dialect.
func endpoint(m *model.Model, path string) string {
	base := m.BaseURL
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	return strings.TrimSuffix(base, "/") + path
}

// effort is the provider's word for a thinking level, "" for none.
func effort(m *model.Model, level model.Level) string {
	if !m.Reasoning {
		return ""
	}
	if m.Thinking != nil {
		if word, ok := m.Thinking.EffortMap[level]; ok {
			return word
		}
	}
	if level == model.LevelOff || level == "" {
		return ""
	}
	return string(level)
}
