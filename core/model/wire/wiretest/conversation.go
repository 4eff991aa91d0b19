package wiretest

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// Model is a reasoning model of the dialect that sees images.
func Model(api model.API) *model.Model {
	return &model.Model{
		ID: "m-1", Name: "M", API: api, Provider: "fake", BaseURL: "http://127.0.0.1:1/v1",
		Reasoning: true, Input: []string{"text", "image"},
		Cost: model.Price{Input: 2, Output: 10, CacheRead: 0.5, CacheWrite: 4}, ContextWindow: 200000, MaxTokens: 32000,
		Compat: json.RawMessage("{}"),
	}
}

// Question is a request of one line.
func Question(api model.API) *model.Request {
	return &model.Request{
		Model: Model(api), Messages: []message.Message{user("hi")}, Thinking: model.LevelMedium, Key: "sk-secret-key",
	}
}

// Conversation is a request with all that a history can hold: thinking of this
// model and of another, parallel calls, images of the user and of a tool, an
// error, an aborted answer, steering, text that is not clean, odd call ids.
func Conversation(api model.API) *model.Request {
	m := Model(api)
	own := func(blocks ...message.Block) *message.Assistant {
		return &message.Assistant{
			Role: message.RoleAssistant, Content: blocks, API: string(api), Provider: m.Provider, Model: m.ID, StopReason: message.StopStop,
		}
	}
	foreign := own(thought("foreign thought", "Zm9yZWlnbg=="), &message.Text{Type: "text", Text: "I was another model.", Signature: "msg_foreign"},
		call("toolu|01/weird", "read", `{"path":"a.txt"}`, "foreign-signature"))
	foreign.Model = "m-0"
	aborted := own(message.NewText("Half an ans"), thought("unfinished", ""))
	aborted.StopReason = message.StopAborted

	return &model.Request{
		Model:  m,
		System: []string{"You are a coding agent.", " ", "Work in /repo."},
		Messages: []message.Message{
			&message.User{Role: message.RoleUser, Content: message.Blocks{
				message.NewText("What is this?\x00 \xff"), message.NewText("  "), message.NewImage("aW1n", "image/png"),
			}},
			foreign,
			result("toolu|01/weird", "read", false, message.NewText("content of a")),
			own(thought("my own thought", ownSignature(api)), message.NewText("Two at once."),
				call("call_1", "bash", `{"command":"ls \ud83d"}`, callSignature(api)), call("call_2", "read", `{"path":"b.png"}`, "")),
			result("call_1", "bash", true, message.NewText("")),
			result("call_2", "read", false, message.NewText("an image"), message.NewImage("cG5n", "image/png")),
			&message.User{Role: message.RoleUser, Content: message.Blocks{message.NewText("Stop that.")}, Steering: true},
			own(message.NewText(" \n")),
			aborted,
			&message.Developer{Role: message.RoleDeveloper, Content: message.Blocks{message.NewText("The time is 12:00.")}},
			user("Go on — 🎉"),
		},
		Tools: []model.ToolSpec{
			{Name: "bash", Description: "Run a command.", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)},
			{Name: "read", Description: "Read a file."},
		},
		Thinking: model.LevelHigh, Key: "sk-secret-key", CacheKey: "session-1",
	}
}

// ownSignature is what the dialect signs thinking with.
func ownSignature(api model.API) string {
	if api == model.APICompletions {
		return "reasoning_content"
	}
	return "c2lnbmF0dXJl"
}

func callSignature(api model.API) string {
	if api == model.APIResponses {
		return "fc_1"
	}
	return "Y2FsbA=="
}

func user(text string) *message.User {
	return &message.User{Role: message.RoleUser, Content: message.Blocks{message.NewText(text)}}
}

func thought(text, signature string) *message.Thinking {
	return &message.Thinking{Type: "thinking", Thinking: text, Signature: signature, ItemID: "rs_1"}
}

func call(id, name, arguments, signature string) *message.ToolCall {
	return &message.ToolCall{Type: "toolCall", ID: id, Name: name, Arguments: json.RawMessage(arguments), ThoughtSignature: signature}
}

func result(id, name string, isError bool, content ...message.Block) *message.ToolResult {
	return &message.ToolResult{Role: message.RoleToolResult, ToolCallID: id, ToolName: name, IsError: isError, Content: content}
}
