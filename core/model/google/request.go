package google

import (
	"encoding/json"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
)

type request struct {
	Contents          []*content        `json:"contents"`
	SystemInstruction *content          `json:"systemInstruction,omitempty"`
	Tools             []tools           `json:"tools,omitempty"`
	ToolConfig        *toolConfig       `json:"toolConfig,omitempty"`
	GenerationConfig  *generationConfig `json:"generationConfig,omitempty"`
}

type (
	content struct {
		Role  string  `json:"role,omitempty"`
		Parts []*part `json:"parts"`
	}
	part struct {
		Text             string            `json:"text,omitempty"`
		Thought          bool              `json:"thought,omitempty"`
		ThoughtSignature string            `json:"thoughtSignature,omitempty"`
		InlineData       *inlineData       `json:"inlineData,omitempty"`
		FunctionCall     *functionCall     `json:"functionCall,omitempty"`
		FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
	}
	inlineData struct {
		MimeType string `json:"mimeType"`
		Data     string `json:"data"`
	}
	functionCall struct {
		ID   string          `json:"id,omitempty"` // read only
		Name string          `json:"name"`
		Args json.RawMessage `json:"args,omitempty"`
	}
	functionResponse struct {
		Name     string   `json:"name"`
		Response response `json:"response"`
	}
	response struct {
		Output string `json:"output,omitempty"`
		Error  string `json:"error,omitempty"`
	}
	tools struct {
		FunctionDeclarations []declaration `json:"functionDeclarations"`
	}
	declaration struct {
		Name                 string          `json:"name"`
		Description          string          `json:"description,omitempty"`
		ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
	}
	toolConfig struct {
		FunctionCallingConfig callingConfig `json:"functionCallingConfig"`
	}
	callingConfig struct {
		Mode                 string   `json:"mode"`
		AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty"`
	}
	generationConfig struct {
		MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
		ThinkingConfig  *thinkingConfig `json:"thinkingConfig,omitempty"`
		Temperature     *float64        `json:"temperature,omitempty"`
		TopP            *float64        `json:"topP,omitempty"`
		TopK            *int            `json:"topK,omitempty"`
		PresencePenalty *float64        `json:"presencePenalty,omitempty"`
	}
)

func requestOf(req *model.Request, rules replay.Rules) *request {
	t := req.Tuned()
	out := &request{
		Contents: contents(req, rules),
		GenerationConfig: &generationConfig{
			MaxOutputTokens: replay.OutputLimit(req), ThinkingConfig: thinking(req),
			Temperature: t.Temperature, TopP: t.TopP, TopK: t.TopK, PresencePenalty: t.PresencePenalty,
		},
	}
	if system := replay.System(req); len(system) > 0 {
		out.SystemInstruction = &content{}
		for _, text := range system {
			out.SystemInstruction.Parts = append(out.SystemInstruction.Parts, &part{Text: text})
		}
	}
	if len(req.Tools) == 0 {
		return out
	}
	out.Tools = make([]tools, 1)
	for _, tool := range req.Tools {
		out.Tools[0].FunctionDeclarations = append(out.Tools[0].FunctionDeclarations,
			declaration{replay.ToolName(tool.Name), tool.Description, replay.Parameters(tool)})
	}
	switch {
	case req.NoTools:
		out.ToolConfig = &toolConfig{callingConfig{Mode: "NONE"}}
	case req.Force != "":
		out.ToolConfig = &toolConfig{callingConfig{Mode: "ANY", AllowedFunctionNames: []string{replay.ToolName(req.Force)}}}
	}
	return out
}

// contents are the turns. All results of a batch stand in one turn, which holds
// nothing else: it must have as many parts as there were calls.
func contents(req *model.Request, rules replay.Rules) []*content {
	var out []*content
	var batch *content
	for _, m := range replay.Conversation(req, rules) {
		result, isResult := m.(*message.ToolResult)
		if !isResult {
			batch = nil
		}
		switch m := m.(type) {
		case *message.User:
			out = append(out, &content{"user", parts(m.Content)})
		case *message.Developer:
			out = append(out, &content{"user", parts(m.Content)})
		case *message.Assistant:
			turn := &content{"model", parts(m.Content)}
			if demandsSignatures(req.Model) {
				excuse(turn)
			}
			out = append(out, turn)
		case *message.ToolResult:
			if batch == nil {
				batch = &content{Role: "user"}
				out = append(out, batch)
			}
			batch.Parts = append(batch.Parts, &part{FunctionResponse: &functionResponse{m.ToolName, responseOf(result)}})
		}
	}
	return out
}

func parts(blocks message.Blocks) []*part {
	var out []*part
	for _, b := range blocks {
		switch b := b.(type) {
		case *message.Text:
			out = append(out, &part{Text: b.Text, ThoughtSignature: b.Signature})
		case *message.Thinking:
			out = append(out, &part{Text: b.Thinking, Thought: true, ThoughtSignature: b.Signature})
		case *message.Image:
			out = append(out, &part{InlineData: &inlineData{b.MimeType, b.Data}})
		case *message.ToolCall:
			out = append(out, &part{FunctionCall: &functionCall{Name: b.Name, Args: b.Arguments}, ThoughtSignature: b.ThoughtSignature})
		}
	}
	return out
}

func responseOf(m *message.ToolResult) response {
	text := m.Content.Join("\n")
	if m.IsError {
		return response{Error: text}
	}
	return response{Output: text}
}

// noSignature is what Google documents to stand for the signature of a call
// that another model made.
const noSignature = "skip_thought_signature_validator"

// demandsSignatures tells whether the model refuses a history in which the
// first call of a turn has no signature.
func demandsSignatures(m *model.Model) bool { return strings.Contains(m.ID, "gemini") && byLevel(m) }

func excuse(turn *content) {
	for _, p := range turn.Parts {
		if p.FunctionCall == nil {
			continue
		}
		if p.ThoughtSignature == "" {
			p.ThoughtSignature = noSignature
		}
		return // only the first call of a turn is signed
	}
}
