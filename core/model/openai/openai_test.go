package openai

import (
	"encoding/json"
	"testing"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
	"veyyon.dev/veyyon/core/model/wire/wiretest"
)

func completions(c *wire.Client) model.Provider { return NewCompletions(c) }
func responses(c *wire.Client) model.Provider   { return NewResponses(c) }

func TestCompletionsStreamsBecomeMessages(t *testing.T) {
	wiretest.Streams(t, completions, wiretest.Question(model.APICompletions), "completions_*.txtar")
}

func TestResponsesStreamsBecomeMessages(t *testing.T) {
	wiretest.Streams(t, responses, wiretest.Question(model.APIResponses), "responses_*.txtar")
}

func TestConversationIsAskedInCompletions(t *testing.T) {
	wiretest.Golden(t, completions, wiretest.Conversation(model.APICompletions), "completions_request")
}

func TestConversationIsAskedInResponses(t *testing.T) {
	wiretest.Golden(t, responses, wiretest.Conversation(model.APIResponses), "responses_request")
}

func TestOpenAIItselfIsAskedInItsOwnWords(t *testing.T) {
	req := wiretest.Conversation(model.APICompletions)
	req.Model.Provider, req.Model.BaseURL = "openai", ""
	req.NoTools = true
	wiretest.Golden(t, completions, req, "completions_openai_request")

	req = wiretest.Conversation(model.APIResponses)
	req.Model.Provider, req.Model.BaseURL = "openai", ""
	req.Model.Thinking = &model.ThinkingConfig{Mode: "effort", EffortMap: map[model.Level]string{model.LevelOff: "none"}}
	req.Thinking = model.LevelOff
	wiretest.Golden(t, responses, req, "responses_openai_request")
}

func TestAToolIsForced(t *testing.T) {
	for api, want := range map[model.API]string{
		model.APICompletions: `{"type":"function","function":{"name":"read"}}`, model.APIResponses: `{"type":"function","name":"read"}`,
	} {
		req := wiretest.Conversation(api)
		req.Force = "read"
		choice := any(nil)
		if api == model.APICompletions {
			choice = chatRequestOf(req, compat{}, replay.Rules{}).ToolChoice
		} else {
			choice = responsesRequestOf(req, compat{}, replay.Rules{}).ToolChoice
		}
		if raw, err := wire.Marshal(choice); string(raw) != want || err != nil {
			t.Errorf("%s: %s %v", api, raw, err)
		}
	}
}

func TestThinkingIsAskedForInTheEndpointsWay(t *testing.T) {
	for format, want := range map[string][2]string{ // off, high
		"openai":             {`{}`, `{"reasoning_effort":"high"}`},
		"openrouter":         {`{"reasoning":{"enabled":false}}`, `{"reasoning":{"effort":"high"}}`},
		"zai":                {`{"thinking":{"type":"disabled"}}`, `{"thinking":{"type":"enabled"}}`},
		"deepseek":           {`{"thinking":{"type":"disabled"}}`, `{"reasoning_effort":"high","thinking":{"type":"enabled"}}`},
		"qwen":               {`{"enable_thinking":false}`, `{"enable_thinking":true}`},
		"qwen-chat-template": {`{"chat_template_kwargs":{"enable_thinking":false}}`, `{"chat_template_kwargs":{"enable_thinking":true}}`},
	} {
		for i, level := range []model.Level{model.LevelOff, model.LevelHigh} {
			req := wiretest.Question(model.APICompletions)
			req.Thinking = level
			raw, err := wire.Marshal(map[string]string{"thinkingFormat": format})
			if err != nil {
				t.Fatal(err)
			}
			req.Model.Compat = raw
			if got := thinkingOf(t, req); got != want[i] {
				t.Errorf("%s, %s: %s, want %s", format, level, got, want[i])
			}
		}
	}
}

// thinkingOf is the request without what has nothing to do with thinking.
func thinkingOf(t *testing.T, req *model.Request) string {
	t.Helper()
	c, err := compatOf(req.Model)
	if err != nil {
		t.Fatal(err)
	}
	out := &chatRequest{}
	out.think(req, c)
	raw, err := wire.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"model", "messages", "stream"} {
		delete(fields, other)
	}
	raw, err = json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestCompatOfTheModelOverridesTheProviders(t *testing.T) {
	m := wiretest.Model(model.APICompletions)
	m.Provider = "openai"
	m.Compat = json.RawMessage(`{"maxTokensField":"max_tokens","supportsDeveloperRole":false,"supportsUsageInStreaming":false}`)
	c, err := compatOf(m)
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxTokensField != "max_tokens" || c.DeveloperRole || c.StreamedUsage || !c.CacheKey {
		t.Errorf("compat is %+v", c)
	}
	m.Compat = json.RawMessage(`{"maxTokensField":7}`)
	if _, err := compatOf(m); err == nil {
		t.Error("a number is taken for the name of a field")
	}
}

func FuzzCompletionsStream(f *testing.F) {
	wiretest.Fuzz(f, completions, wiretest.Question(model.APICompletions), "completions_*.txtar")
}

func FuzzResponsesStream(f *testing.F) {
	wiretest.Fuzz(f, responses, wiretest.Question(model.APIResponses), "responses_*.txtar")
}

func BenchmarkCompletionsDeltas(b *testing.B) {
	wiretest.Bench(b, completions, wiretest.Question(model.APICompletions), "",
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,"delta":{"content":"token "},"finish_reason":null}]}`+"\n\n",
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

func BenchmarkResponsesDeltas(b *testing.B) {
	wiretest.Bench(b, responses, wiretest.Question(model.APIResponses), "",
		"event: response.output_text.delta\n"+
			`data: {"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"token "}`+"\n\n",
		`data: {"type":"response.completed","response":{"id":"r"}}`+"\n\n")
}

func TestSettingsTuneTheRequest(t *testing.T) {
	for _, c := range []struct {
		provider, id, want string
		thinks             bool
	}{
		{"router", "m", `{"temperature": 0.5, "top_p": 0.5, "presence_penalty": 0.5, "top_k": 40, "min_p": 0.5, "repetition_penalty": 0.5, "verbosity": null, "service_tier": null}`, true},
		{"openai", "gpt-4.1", `{"temperature": 0.5, "top_p": 0.5, "presence_penalty": 0.5, "top_k": null, "min_p": null, "repetition_penalty": null, "verbosity": null}`, false},
		{"openai", "gpt-5", `{"temperature": null, "top_p": null, "presence_penalty": null, "verbosity": "low", "service_tier": "flex"}`, true},
	} {
		req := wiretest.Question(model.APICompletions)
		req.Tuning, req.Model.Provider, req.Model.ID, req.Model.Reasoning = wiretest.Everything(), c.provider, c.id, c.thinks
		wiretest.Says(t, chatRequestOf(req, compat{}, replay.Rules{}), c.want)
	}
	req := wiretest.Question(model.APIResponses)
	req.Tuning, req.Model.ID, req.Model.Reasoning = wiretest.Everything(), "gpt-5", true
	wiretest.Says(t, responsesRequestOf(req, compat{}, replay.Rules{}), `{"text": {"verbosity": "low"}, "temperature": null, "top_p": null, "service_tier": null}`)
	req.Model.ID, req.Model.Reasoning, req.Model.Provider = "gpt-4.1", false, "openai"
	wiretest.Says(t, responsesRequestOf(req, compat{}, replay.Rules{}), `{"text": null, "temperature": 0.5, "top_p": 0.5, "service_tier": "flex"}`)
}
