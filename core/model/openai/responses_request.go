package openai

import (
	"encoding/json"
	"slices"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
)

type responsesRequest struct {
	Model           string          `json:"model"`
	Input           []any           `json:"input"` // *inputMessage, *outputMessage, *reasoningItem, *callItem, *callOutput
	Tools           []responsesTool `json:"tools,omitempty"`
	ToolChoice      any             `json:"tool_choice,omitempty"` // string or forcedTool
	Stream          bool            `json:"stream"`
	Store           bool            `json:"store"`
	Include         []string        `json:"include,omitempty"`
	MaxOutputTokens int             `json:"max_output_tokens,omitempty"`
	PromptCacheKey  string          `json:"prompt_cache_key,omitempty"`
	Reasoning       *reasoning      `json:"reasoning,omitempty"`
	Text            *textFormat     `json:"text,omitempty"`
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"top_p,omitempty"`
	ServiceTier     string          `json:"service_tier,omitempty"`
}

type (
	textFormat struct {
		Verbosity string `json:"verbosity"`
	}
	reasoning struct {
		Effort  string `json:"effort,omitempty"`
		Summary string `json:"summary,omitempty"`
	}
	responsesTool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"` // true unless said otherwise, and then many schemas are refused
	}
	inputMessage struct {
		Role    string       `json:"role"`
		Content []*inputPart `json:"content"`
	}
	inputPart struct {
		Type     string `json:"type"` // input_text, input_image
		Text     string `json:"text,omitempty"`
		ImageURL string `json:"image_url,omitempty"`
		Detail   string `json:"detail,omitempty"`
	}
	outputMessage struct {
		Type    string        `json:"type"`
		ID      string        `json:"id,omitempty"`
		Role    string        `json:"role"`
		Status  string        `json:"status"`
		Content []*outputText `json:"content"`
	}
	outputText struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Annotations []any  `json:"annotations"`
	}
	reasoningItem struct {
		Type             string        `json:"type"`
		ID               string        `json:"id,omitempty"`
		Summary          []summaryText `json:"summary"`
		EncryptedContent string        `json:"encrypted_content"`
	}
	summaryText struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	callItem struct {
		Type      string `json:"type"`
		ID        string `json:"id,omitempty"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	callOutput struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
)

// sealedReasoning asks for reasoning in a form that can be sent back.
const sealedReasoning = "reasoning.encrypted_content"

func responsesRequestOf(req *model.Request, c compat, rules replay.Rules) *responsesRequest {
	out := &responsesRequest{
		Model: req.Model.ID, Input: responsesInput(req, c, rules), Stream: true,
		MaxOutputTokens: replay.OutputLimit(req),
	}
	if c.CacheKey {
		out.PromptCacheKey = req.CacheKey
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, responsesTool{
			Type: "function", Name: replay.ToolName(tool.Name), Description: tool.Description, Parameters: replay.Parameters(tool),
		})
	}
	switch {
	case len(out.Tools) == 0:
	case req.NoTools:
		out.ToolChoice = "none"
	case req.Force != "":
		out.ToolChoice = forcedTool{Type: "function", Name: replay.ToolName(req.Force)}
	}
	t := req.Tuned()
	if t.Verbosity != "" && verbose(req.Model) {
		out.Text = &textFormat{t.Verbosity}
	}
	if is(req.Model, "openai", "api.openai.com") {
		out.ServiceTier = t.Tier
	}
	if !req.Model.Reasoning { // one that thinks refuses to be told
		out.Temperature, out.TopP = t.Temperature, t.TopP
		return out
	}
	if c.EncryptedReason {
		out.Include = []string{sealedReasoning}
	}
	if word := effort(req.Model, req.Thinking); word != "" && c.ReasoningEffort {
		out.Reasoning = &reasoning{Effort: word}
		if req.Thinks() {
			out.Reasoning.Summary = "auto"
		}
	}
	return out
}

func responsesInput(req *model.Request, c compat, rules replay.Rules) []any {
	var out []any
	instruct := "system"
	if c.DeveloperRole {
		instruct = "developer"
	}
	if system := replay.System(req); len(system) > 0 {
		m := &inputMessage{Role: instruct}
		for _, text := range system {
			m.Content = append(m.Content, &inputPart{Type: "input_text", Text: text})
		}
		out = append(out, m)
	}
	for _, m := range replay.Conversation(req, rules) {
		switch m := m.(type) {
		case *message.User:
			out = append(out, &inputMessage{Role: "user", Content: inputParts(m.Content)})
		case *message.Developer:
			role := "user"
			if c.DeveloperRole && !slices.ContainsFunc(m.Content, isImage) {
				role = "developer"
			}
			out = append(out, &inputMessage{Role: role, Content: inputParts(m.Content)})
		case *message.Assistant:
			out = append(out, outputItems(m)...)
		case *message.ToolResult:
			out = append(out, &callOutput{Type: "function_call_output", CallID: m.ToolCallID, Output: m.Content.Join("\n")})
		}
	}
	return out
}

func inputParts(content message.Blocks) []*inputPart {
	var parts []*inputPart
	for _, block := range content {
		switch block := block.(type) {
		case *message.Text:
			parts = append(parts, &inputPart{Type: "input_text", Text: block.Text})
		case *message.Image:
			part := &inputPart{Type: "input_image", ImageURL: dataURL(block), Detail: detail(block)}
			if part.Detail == "" {
				part.Detail = "auto"
			}
			parts = append(parts, part)
		}
	}
	return parts
}

// outputItems are the items an answer came as. The signatures of its text and
// calls are the ids of their items; with them the provider knows which
// reasoning belongs to what.
func outputItems(m *message.Assistant) []any {
	var out []any
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Thinking:
			item := &reasoningItem{Type: "reasoning", ID: block.ItemID, Summary: []summaryText{}, EncryptedContent: block.Signature}
			if block.Thinking != "" {
				item.Summary = append(item.Summary, summaryText{"summary_text", block.Thinking})
			}
			out = append(out, item)
		case *message.Text:
			out = append(out, &outputMessage{
				Type: "message", ID: block.Signature, Role: "assistant", Status: "completed",
				Content: []*outputText{{Type: "output_text", Text: block.Text, Annotations: []any{}}},
			})
		case *message.ToolCall:
			out = append(out, &callItem{
				Type: "function_call", ID: block.ThoughtSignature, CallID: block.ID, Name: block.Name, Arguments: string(block.Arguments),
			})
		}
	}
	return out
}
