package registry

import (
	"encoding/json"
	"net/url"
	"strings"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
)

// engine is a model server people run on their own machine. It needs no key and
// speaks Chat Completions. It is there only when its variable is set or
// models.yml names it; nothing is probed.
type engine struct {
	vars    []string // of its address; the first set wins
	address string   // when models.yml does not say otherwise
}

// Source: facts/agent 10.3.
var engines = map[string]engine{
	"ollama":    {[]string{"OLLAMA_BASE_URL", "OLLAMA_HOST"}, "http://127.0.0.1:11434"},
	"llama.cpp": {[]string{"LLAMA_CPP_BASE_URL"}, "http://127.0.0.1:8080"},
	"lm-studio": {[]string{"LM_STUDIO_BASE_URL"}, "http://127.0.0.1:1234"},
}

// complete fills in what models.yml leaves out for an engine.
func (e engine) complete(text *providerText, env auth.Env) {
	if text.BaseURL == "" {
		address := env.First(e.vars)
		if address == "" {
			address = e.address
		}
		text.BaseURL = endpoint(address)
	}
	if text.API == "" {
		text.API = model.APICompletions
	}
	if text.APIKey == "" {
		text.Auth = "none"
	}
}

// engineModel describes a model that an engine may have, without asking it.
func engineModel(env auth.Env, provider, id string) (*model.Model, bool) {
	local, ok := engines[provider]
	if !ok || id == "" || env.First(local.vars) == "" {
		return nil, false
	}
	base := endpoint(env.First(local.vars))
	if wrongURL(base) != "" {
		return nil, false
	}
	m := &model.Model{
		ID: id, Name: id, API: model.APICompletions, Provider: provider, Input: []string{"text"}, Compat: json.RawMessage("{}"),
	}
	setURL(m, base)
	return m, true
}

// endpoint makes a base URL of an address as people write it: localhost:11434,
// or a URL with or without /v1.
func endpoint(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	if u, err := url.Parse(address); err == nil && strings.Trim(u.Path, "/") == "" {
		return strings.TrimSuffix(address, "/") + "/v1"
	}
	return address
}
