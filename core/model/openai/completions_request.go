package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
)

type chatRequest struct {
	Model               string         `json:"model"`
	Messages            []*chatMessage `json:"messages"`
	Tools               []chatTool     `json:"tools,omitempty"`
	ToolChoice          any            `json:"tool_choice,omitempty"` // string or forcedTool
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	PromptCacheKey      string         `json:"prompt_cache_key,omitempty"`

	Temperature       *float64 `json:"temperature,omitempty"`
	TopP              *float64 `json:"top_p,omitempty"`
	PresencePenalty   *float64 `json:"presence_penalty,omitempty"`
	TopK              *int     `json:"top_k,omitempty"`
	MinP              *float64 `json:"min_p,omitempty"`
	RepetitionPenalty *float64 `json:"repetition_penalty,omitempty"`
	Verbosity         string   `json:"verbosity,omitempty"`
	ServiceTier       string   `json:"service_tier,omitempty"`

	ReasoningEffort    string          `json:"reasoning_effort,omitempty"`
	Reasoning          *routerThinking `json:"reasoning,omitempty"`
	Thinking           *typed          `json:"thinking,omitempty"`
	EnableThinking     *bool           `json:"enable_thinking,omitempty"`
	ChatTemplateKwargs *templateArgs   `json:"chat_template_kwargs,omitempty"`

	known []byte // values that stand in the place of the message knownRole, see memo.go
}

type (
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	routerThinking struct {
		Effort  string `json:"effort,omitempty"`
		Enabled *bool  `json:"enabled,omitempty"`
	}
	typed struct {
		Type string `json:"type"`
	}
	templateArgs struct {
		EnableThinking bool `json:"enable_thinking"`
	}
	chatTool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	// forcedTool is the tool that must be called: completions name it inside.
	forcedTool struct {
		Type     string `json:"type"`
		Name     string `json:"name,omitempty"`
		Function *named `json:"function,omitempty"`
	}
	named struct {
		Name string `json:"name"`
	}
	chatMessage struct {
		Role             string            `json:"role"`
		Content          any               `json:"content"` // nil, a string or []*chatPart
		Name             string            `json:"name,omitempty"`
		ReasoningContent string            `json:"reasoning_content,omitempty"`
		Reasoning        string            `json:"reasoning,omitempty"`
		ReasoningText    string            `json:"reasoning_text,omitempty"`
		ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
		ToolCalls        []chatCall        `json:"tool_calls,omitempty"`
		ToolCallID       string            `json:"tool_call_id,omitempty"`
	}
	chatPart struct {
		Type         string    `json:"type"`
		Text         string    `json:"text,omitempty"`
		ImageURL     *imageURL `json:"image_url,omitempty"`
		CacheControl *typed    `json:"cache_control,omitempty"`
	}
	imageURL struct {
		URL    string `json:"url"`
		Detail string `json:"detail,omitempty"`
	}
	chatCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function calledByName `json:"function"`
	}
	calledByName struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
)

func chatRequestOf(req *model.Request, c compat, rules replay.Rules) *chatRequest {
	out := &chatRequest{Model: req.Model.ID, Stream: true}
	out.converse(req, c, rules)
	if c.StreamedUsage {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if c.MaxTokensField == "max_completion_tokens" {
		out.MaxCompletionTokens = replay.OutputLimit(req)
	} else {
		out.MaxTokens = replay.OutputLimit(req)
	}
	if c.CacheKey {
		out.PromptCacheKey = req.CacheKey
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, chatTool{"function", function{replay.ToolName(tool.Name), tool.Description, replay.Parameters(tool)}})
	}
	switch {
	case len(out.Tools) == 0:
	case req.NoTools:
		out.ToolChoice = "none"
	case req.Force != "":
		out.ToolChoice = forcedTool{Type: "function", Function: &named{replay.ToolName(req.Force)}}
	}
	if req.Model.Reasoning {
		out.think(req, c)
	}
	out.sample(req)
	return out
}

// sample sets how words are chosen. OpenAI's own models refuse it where they
// think, and know only half of it.
func (r *chatRequest) sample(req *model.Request) {
	t := req.Tuned()
	own := is(req.Model, "openai", "api.openai.com")
	if verbose(req.Model) {
		r.Verbosity = t.Verbosity
	}
	if own {
		r.ServiceTier = t.Tier
	}
	if own && req.Model.Reasoning {
		return
	}
	r.Temperature, r.TopP, r.PresencePenalty = t.Temperature, t.TopP, t.PresencePenalty
	if !own {
		r.TopK, r.MinP, r.RepetitionPenalty = t.TopK, t.MinP, t.RepetitionPenalty
	}
}

// verbose tells whether the model can be told how much to say.
func verbose(m *model.Model) bool { return strings.HasPrefix(m.ID, "gpt-5") }

// think tells the model how hard to think, in the endpoint's own way.
func (r *chatRequest) think(req *model.Request, c compat) {
	on, word := req.Thinks(), effort(req.Model, req.Thinking)
	state := &typed{"disabled"}
	if on {
		state.Type = "enabled"
	}
	switch c.ThinkingFormat {
	case "openrouter":
		r.Reasoning = &routerThinking{Effort: word}
		if word == "" {
			r.Reasoning.Enabled = &on
		}
	case "zai":
		r.Thinking = state
	case "deepseek":
		r.Thinking = state
		if on {
			r.ReasoningEffort = word
		}
	case "qwen":
		r.EnableThinking = &on
	case "qwen-chat-template":
		r.ChatTemplateKwargs = &templateArgs{on}
	default:
		if c.ReasoningEffort {
			r.ReasoningEffort = word
		}
	}
}

// chatMessages is the conversation without what the system says.
func chatMessages(req *model.Request, c compat, rules replay.Rules) []*chatMessage {
	var out []*chatMessage
	aside := "user" // many templates take a system message only at the start
	if c.DeveloperRole {
		aside = "developer"
	}
	for _, m := range replay.Conversation(req, rules) {
		switch m := m.(type) {
		case *message.User:
			out = append(out, &chatMessage{Role: "user", Content: chatContent(m.Content)})
		case *message.Developer:
			role := aside
			if slices.ContainsFunc(m.Content, isImage) {
				role = "user" // the only one that may show images
			}
			out = append(out, &chatMessage{Role: role, Content: chatContent(m.Content)})
		case *message.Assistant:
			out = append(out, chatAssistant(m))
		case *message.ToolResult:
			result := &chatMessage{Role: "tool", ToolCallID: m.ToolCallID, Content: m.Content.Join("\n")}
			if c.ResultName {
				result.Name = m.ToolName
			}
			out = append(out, result)
		}
	}
	return out
}

// chatContent is a plain string where it can be: not every endpoint takes a
// list of parts.
func chatContent(content message.Blocks) any {
	if !slices.ContainsFunc(content, isImage) {
		return content.Join("\n")
	}
	var parts []*chatPart
	for _, block := range content {
		switch block := block.(type) {
		case *message.Text:
			parts = append(parts, &chatPart{Type: "text", Text: block.Text})
		case *message.Image:
			parts = append(parts, &chatPart{Type: "image_url", ImageURL: &imageURL{URL: dataURL(block), Detail: detail(block)}})
		}
	}
	return parts
}

func chatAssistant(m *message.Assistant) *chatMessage {
	out := &chatMessage{Role: "assistant"}
	var thinking []string
	field := ""
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Thinking:
			thinking = append(thinking, block.Thinking)
			field = block.Signature // the name under which it came
		case *message.ToolCall:
			out.ToolCalls = append(out.ToolCalls, chatCall{block.ID, "function", calledByName{block.Name, string(block.Arguments)}})
			if json.Valid([]byte(block.ThoughtSignature)) {
				out.ReasoningDetails = append(out.ReasoningDetails, json.RawMessage(block.ThoughtSignature))
			}
		}
	}
	if text := m.Content.Join("\n"); text != "" {
		out.Content = text
	}
	switch joined := strings.Join(thinking, "\n"); field {
	case "reasoning_content":
		out.ReasoningContent = joined
	case "reasoning":
		out.Reasoning = joined
	case "reasoning_text":
		out.ReasoningText = joined
	}
	return out
}

// markForCache asks for a cache of the system prompt and of the conversation up
// to the last message of the user.
func markForCache(messages []*chatMessage) {
	mark := func(role string, from []*chatMessage) {
		for _, m := range slices.Backward(from) {
			if text, ok := m.Content.(string); ok && m.Role == role {
				m.Content = []*chatPart{{Type: "text", Text: text, CacheControl: &typed{"ephemeral"}}}
				return
			}
		}
	}
	mark("system", messages)
	mark("user", messages)
}

func isImage(block message.Block) bool {
	_, ok := block.(*message.Image)
	return ok
}

func dataURL(image *message.Image) string { return "data:" + image.MimeType + ";base64," + image.Data }

// detail is how closely the model looks; "original" is not a word of OpenAI's.
func detail(image *message.Image) string {
	if image.Detail == "original" {
		return "high"
	}
	return image.Detail
}
