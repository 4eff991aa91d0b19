package anthropic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
	"veyyon.dev/veyyon/core/model/wire/wiretest"
)

func messages(c *wire.Client) model.Provider { return New(c) }

func TestStreamsBecomeMessages(t *testing.T) {
	wiretest.Streams(t, messages, wiretest.Question(model.APIAnthropic), "*.txtar")
}

func TestConversationIsAsked(t *testing.T) {
	wiretest.Golden(t, messages, wiretest.Conversation(model.APIAnthropic), "request")
}

func TestAToolIsForcedWithoutThinking(t *testing.T) {
	req := wiretest.Conversation(model.APIAnthropic)
	req.Force = "read"
	raw, err := wire.Marshal(requestOf(req, compat{}, replay.Rules{}))
	if err != nil || !strings.Contains(string(raw), `"tool_choice":{"type":"tool","name":"read"}`) || strings.Contains(string(raw), `"thinking":{"type":"enabled"`) || strings.Contains(string(raw), "adaptive") {
		t.Error(string(raw), err)
	}
	if !req.Thinks() {
		t.Error("the request itself was changed, or shows nothing")
	}
}

func TestThinkingIsAskedForInTheModelsWay(t *testing.T) {
	adaptive := &model.ThinkingConfig{Mode: "anthropic-adaptive", EffortMap: map[model.Level]string{model.LevelXHigh: "max"}}
	both := &model.ThinkingConfig{Mode: "anthropic-budget-effort"}
	for _, c := range []struct {
		name     string
		config   *model.ThinkingConfig
		level    model.Level
		limit    int // of the request
		thinking *thinking
		effort   string
		output   int
	}{
		{"budget", nil, model.LevelHigh, 0, &thinking{Type: "enabled", BudgetTokens: 16384}, "", 32000},
		{"the budget leaves room for an answer", nil, model.LevelMax, 0, &thinking{Type: "enabled", BudgetTokens: 30976}, "", 32000},
		{"the budget comes on top of a limit", nil, model.LevelLow, 2000, &thinking{Type: "enabled", BudgetTokens: 4096}, "", 6096},
		{"off", nil, model.LevelOff, 0, nil, "", 32000},
		{"both", both, model.LevelMedium, 0, &thinking{Type: "enabled", BudgetTokens: 8192}, "medium", 32000},
		{"adaptive", adaptive, model.LevelMedium, 2000, &thinking{Type: "adaptive", Display: "summarized"}, "medium", 2000},
		{"adaptive by its word", adaptive, model.LevelXHigh, 0, &thinking{Type: "adaptive", Display: "summarized"}, "max", 32000},
		{"adaptive at the least", adaptive, model.LevelMinimal, 0, &thinking{Type: "adaptive", Display: "summarized"}, "low", 32000},
		{"adaptive off", adaptive, model.LevelOff, 0, &thinking{Type: "disabled"}, "", 32000},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := wiretest.Question(model.APIAnthropic)
			req.Model.Thinking, req.Thinking, req.MaxTokens = c.config, c.level, c.limit
			got := requestOf(req, compat{}, replay.Rules{})
			want := &request{Thinking: c.thinking, MaxTokens: c.output}
			if c.effort != "" {
				want.OutputConfig = &outputConfig{c.effort}
			}
			diff := cmp.Diff(want, &request{Thinking: got.Thinking, MaxTokens: got.MaxTokens, OutputConfig: got.OutputConfig},
				cmp.AllowUnexported(request{}, thinking{}, outputConfig{}))
			if diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestKeysTravelInTheirOwnHeader(t *testing.T) {
	for _, c := range []struct {
		key         string
		header      map[string]string
		apiKey      string
		bearer      string
		beta        string
		wantSecrets []string
	}{
		{key: "sk-ant-api-1", apiKey: "sk-ant-api-1", beta: betaInterleaved, wantSecrets: []string{"sk-ant-api-1"}},
		{key: " sk-ant-api-1\n", apiKey: "sk-ant-api-1", beta: betaInterleaved, wantSecrets: []string{"sk-ant-api-1"}},
		{key: "sk-ant-oat-1", bearer: "Bearer sk-ant-oat-1", beta: betaInterleaved + "," + betaOAuth, wantSecrets: []string{"sk-ant-oat-1"}},
		{
			key: "unused", header: map[string]string{"Authorization": "Bearer mine"}, bearer: "Bearer mine", beta: betaInterleaved,
			wantSecrets: []string{"Bearer mine", "mine"},
		},
	} {
		req := wiretest.Question(model.APIAnthropic)
		req.Key, req.Model.Headers = c.key, c.header
		call := callOf(req, compat{Interleaved: true}, replay.Rules{})
		got := []string{call.Header.Get("X-Api-Key"), call.Header.Get("Authorization"), call.Header.Get("Anthropic-Beta")}
		if diff := cmp.Diff([]string{c.apiKey, c.bearer, c.beta}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.key, diff)
		}
		if diff := cmp.Diff(c.wantSecrets, call.Secrets); diff != "" {
			t.Errorf("secrets of %q (-want +got):\n%s", c.key, diff)
		}
	}
}

func TestTheBaseURLMayEndInTheVersion(t *testing.T) {
	for base, want := range map[string]string{
		"":                      "https://api.anthropic.com/v1/messages",
		"http://127.0.0.1:80":   "http://127.0.0.1:80/v1/messages",
		"http://127.0.0.1/v1/":  "http://127.0.0.1/v1/messages",
		"http://h/anthropic":    "http://h/anthropic/v1/messages",
		"http://h/anthropic/v1": "http://h/anthropic/v1/messages",
	} {
		if got := endpoint(&model.Model{BaseURL: base}); got != want {
			t.Errorf("%q leads to %q, want %q", base, got, want)
		}
	}
}

func FuzzStream(f *testing.F) {
	wiretest.Fuzz(f, messages, wiretest.Question(model.APIAnthropic), "*.txtar")
}

func BenchmarkMessagesDeltas(b *testing.B) {
	wiretest.Bench(b, messages, wiretest.Question(model.APIAnthropic),
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`+"\n\n",
		"event: content_block_delta\n"+`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"token "}}`+"\n\n",
		`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}`+"\n\n"+`data: {"type":"message_stop"}`+"\n\n")
}

func TestSettingsTuneTheRequest(t *testing.T) {
	req := wiretest.Question(model.APIAnthropic)
	req.Tuning = wiretest.Everything()
	wiretest.Says(t, requestOf(req, compat{}, replay.Rules{}),
		`{"thinking": {"type": "enabled", "budget_tokens": 3000}, "temperature": null, "top_p": null, "top_k": null}`)
	req.Thinking = model.LevelOff
	wiretest.Says(t, requestOf(req, compat{}, replay.Rules{}), `{"thinking": null, "temperature": 0.5, "top_p": null, "top_k": 40}`)
	req.Tuning.Temperature = nil
	wiretest.Says(t, requestOf(req, compat{}, replay.Rules{}), `{"temperature": null, "top_p": 0.5, "top_k": 40}`)
}
