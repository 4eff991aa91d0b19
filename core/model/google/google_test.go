package google

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
	"veyyon.dev/veyyon/core/model/wire/wiretest"
)

func gemini(c *wire.Client) model.Provider { return New(c) }

func TestStreamsBecomeMessages(t *testing.T) {
	wiretest.Streams(t, gemini, wiretest.Question(model.APIGoogle), "*.txtar")
}

func TestConversationIsAsked(t *testing.T) {
	wiretest.Golden(t, gemini, wiretest.Conversation(model.APIGoogle), "request")
}

func TestGemini3IsAskedWithSignaturesForForeignCalls(t *testing.T) {
	req := wiretest.Conversation(model.APIGoogle)
	req.Model.ID = "gemini-3-pro"
	req.NoTools = true
	wiretest.Golden(t, gemini, req, "gemini3_request")
}

func TestAToolIsForced(t *testing.T) {
	req := wiretest.Conversation(model.APIGoogle)
	req.Force = "read"
	raw, err := wire.Marshal(requestOf(req, replay.Rules{}).ToolConfig)
	if want := `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}}`; string(raw) != want || err != nil {
		t.Error(string(raw), err)
	}
}

func TestThinkingIsAskedForInTheModelsWay(t *testing.T) {
	budget := func(n int, thoughts bool) *thinkingConfig {
		return &thinkingConfig{IncludeThoughts: thoughts, ThinkingBudget: &n}
	}
	level := func(word string, thoughts bool) *thinkingConfig {
		return &thinkingConfig{IncludeThoughts: thoughts, ThinkingLevel: word}
	}
	required := &model.ThinkingConfig{Mode: "budget", RequireEffort: true}
	for _, c := range []struct {
		id     string
		config *model.ThinkingConfig
		level  model.Level
		want   *thinkingConfig
	}{
		{"gemini-2.5-flash", nil, model.LevelMinimal, budget(128, true)},
		{"gemini-2.5-flash", nil, model.LevelLow, budget(2048, true)},
		{"gemini-2.5-flash", nil, model.LevelMax, budget(24576, true)},
		{"gemini-2.5-flash", nil, model.LevelOff, budget(0, false)},
		{"gemini-2.5-pro", nil, model.LevelHigh, budget(32768, true)},
		{"gemini-2.5-pro", nil, model.LevelOff, budget(128, false)},
		{"gemini-2.5-pro", required, model.LevelOff, nil},
		{"gemma-9", nil, model.LevelHigh, budget(-1, true)},
		{"gemini-3-pro", nil, model.LevelMinimal, level("LOW", true)},
		{"gemini-3-pro", nil, model.LevelMedium, level("HIGH", true)},
		{"gemini-3.1-pro", &model.ThinkingConfig{Efforts: []model.Level{"low", "medium", "high"}}, model.LevelMedium, level("MEDIUM", true)},
		{"gemini-3-pro", nil, model.LevelOff, level("LOW", false)},
		{"gemini-3-flash", nil, model.LevelOff, level("MINIMAL", false)},
		{"gemini-9-flash", &model.ThinkingConfig{Mode: "google-level", Efforts: []model.Level{"low", "high"}}, model.LevelOff, level("LOW", false)},
		{"x", &model.ThinkingConfig{Mode: "google-level", EffortMap: map[model.Level]string{"low": "TINY"}}, model.LevelLow, level("TINY", true)},
	} {
		req := wiretest.Question(model.APIGoogle)
		req.Model.ID, req.Model.Thinking, req.Thinking = c.id, c.config, c.level
		if diff := cmp.Diff(c.want, thinking(req)); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", c.id, c.level, diff)
		}
	}
}

func FuzzStream(f *testing.F) {
	wiretest.Fuzz(f, gemini, wiretest.Question(model.APIGoogle), "*.txtar")
}

func BenchmarkGeminiDeltas(b *testing.B) {
	wiretest.Bench(b, gemini, wiretest.Question(model.APIGoogle), "",
		`data: {"candidates": [{"content": {"parts": [{"text": "token "}],"role": "model"},"index": 0}],"modelVersion": "m-1","responseId": "r1"}`+"\n\n",
		`data: {"candidates":[{"finishReason":"STOP"}]}`+"\n\n")
}

func TestSettingsTuneTheRequest(t *testing.T) {
	req := wiretest.Question(model.APIGoogle)
	req.Tuning = wiretest.Everything()
	wiretest.Says(t, requestOf(req, replay.Rules{}).GenerationConfig,
		`{"thinkingConfig": {"includeThoughts": true, "thinkingBudget": 3000}, "temperature": 0.5, "topP": 0.5, "topK": 40, "presencePenalty": 0.5}`)
	req.Thinking = model.LevelOff
	wiretest.Says(t, requestOf(req, replay.Rules{}).GenerationConfig, `{"thinkingConfig": {"thinkingBudget": 0}}`)
}
