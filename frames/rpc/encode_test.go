package rpc

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
)

var answer = &message.Assistant{
	Role: message.RoleAssistant, API: "x", Provider: "p", Model: "m", StopReason: message.StopStop, Timestamp: 2,
}

const answerText = `{"role":"assistant","content":[],"api":"x","provider":"p","model":"m",` +
	`"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},` +
	`"stopReason":"stop","timestamp":2}`

func note(e event.Event) frames.Note { return frames.Note{Name: e.Name(), Body: e} }

func update(part event.Part) frames.Note {
	u := &event.MessageUpdate{Part: part, Message: answer}
	return frames.Note{Name: u.Name(), Body: Update{u}}
}

// golden returns one frame of each kind with its line (facts/rpc 7.3 and 8.12).
func golden() map[string]frames.Outbound {
	user := message.NewUser("hi", nil)
	user.Timestamp = 1
	hello := event.ToolOutput{Content: message.Blocks{message.NewText("<b> & docs")}, Details: json.RawMessage(`{}`)}
	content := ""
	return map[string]frames.Outbound{
		`{"type":"ready"}`: frames.Note{Name: "ready"},
		`{"type":"available_commands_update","commands":[{"name":"session","description":"Show session information","input":{"hint":"info|delete"},"subcommands":[{"name":"info","description":"Show session info and stats"}],"source":"builtin"}]}`: note(event.AvailableCommands{Commands: []event.Command{{
			Name: "session", Description: "Show session information", Input: &event.CommandHint{Hint: "info|delete"},
			Subcommands: []event.Subcommand{{Name: "info", Description: "Show session info and stats"}}, Source: "builtin",
		}}}),
		`{"id":"r1","type":"response","command":"abort","success":true}`:                                                                   frames.Response{ID: frames.ID(`"r1"`), Command: "abort"},
		`{"id":null,"type":"response","command":"cycle_model","success":true,"data":null}`:                                                 frames.Response{ID: frames.ID(`null`), Command: "cycle_model", Data: frames.Null},
		`{"type":"response","command":"prompt","success":true,"data":{"agentInvoked":false}}`:                                              frames.Response{Command: "prompt", Data: map[string]bool{"agentInvoked": false}},
		`{"id":"r2","type":"response","command":"set_model","success":false,"error":"Model not found: provider/model","code":"not_found"}`: frames.Response{ID: frames.ID(`"r2"`), Command: "set_model", Fault: &frames.Fault{Text: "Model not found: provider/model", Code: "not_found"}},
		`{"type":"agent_start"}`: note(event.AgentStart{}),
		`{"type":"turn_start"}`:  note(event.TurnStart{}),
		`{"type":"message_start","message":{"role":"user","content":[{"type":"text","text":"hi"}],"attribution":"user","timestamp":1}}`:                                                 note(event.MessageStart{Message: user}),
		`{"type":"message_start","message":` + answerText + `}`:                                                                                                                         note(event.MessageStart{Message: answer}),
		`{"type":"message_end","message":` + answerText + `}`:                                                                                                                           note(event.MessageEnd{Message: answer}),
		`{"type":"turn_end","message":` + answerText + `,"toolResults":[]}`:                                                                                                             note(event.TurnEnd{Message: answer, ToolResults: []*message.ToolResult{}}),
		`{"type":"agent_end","messages":[` + answerText + `]}`:                                                                                                                          note(event.AgentEnd{Messages: []message.Message{answer}}),
		`{"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":` + string(lightPartial) + `},"message":` + answerText + `}`:                  update(event.Part{Kind: event.TextStart}),
		`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"po\"ng","partial":` + string(lightPartial) + `},"message":` + answerText + `}`: update(event.Part{Kind: event.TextDelta, Delta: "po\"ng"}),
		`{"type":"message_update","assistantMessageEvent":{"type":"thinking_end","contentIndex":1,"content":"","partial":` + string(lightPartial) + `},"message":` + answerText + `}`:   update(event.Part{Kind: event.ThinkingEnd, ContentIndex: 1}),
		`{"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":12,"toolCall":{"type":"toolCall","id":"c","name":"read","arguments":{"a":"\u2028"}},"partial":` + string(lightPartial) + `},"message":` + answerText + `}`: update(event.Part{
			Kind: event.CallEnd, ContentIndex: 12, Call: &message.ToolCall{Type: "toolCall", ID: "c", Name: "read", Arguments: json.RawMessage("{\n\"a\":\"\u2028\"}")},
		}),
		`{"type":"tool_execution_start","toolCallId":"toolu_1","toolName":"read","args":{"path":"README.md"}}`: note(event.ToolStart{ToolCallID: "toolu_1", ToolName: "read", Args: json.RawMessage(`{"path":"README.md"}`)}),
		`{"type":"tool_execution_update","toolCallId":"toolu_1","toolName":"read","args":{},"partialResult":{"content":[{"type":"text","text":"<b> & docs"}],"details":{}}}`: frames.Note{
			Name: "tool_execution_update", Body: Progress{ToolCallID: "toolu_1", ToolName: "read", Args: json.RawMessage(`{}`), PartialResult: hello},
		},
		`{"type":"tool_execution_end","toolCallId":"toolu_1","toolName":"read","result":{"content":[{"type":"text","text":"<b> & docs"}],"details":{}},"isError":false}`: note(event.ToolEnd{ToolCallID: "toolu_1", ToolName: "read", Result: hello}),
		`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"503 overloaded"}`:                                                         note(event.AutoRetryStart{Attempt: 1, MaxAttempts: 3, DelayMs: 2000, ErrorMessage: "503 overloaded"}),
		`{"type":"auto_retry_end","success":true,"attempt":1}`:                                                                                                           note(event.AutoRetryEnd{Success: true, Attempt: 1}),
		`{"type":"auto_compaction_start","reason":"threshold","action":"context-full"}`:                                                                                  note(event.CompactionStart{Reason: "threshold", Action: "context-full"}),
		`{"type":"auto_compaction_end","action":"context-full","result":{"summary":"S","firstKeptEntryId":"e","tokensBefore":9},"aborted":false,"willRetry":true}`: note(event.CompactionEnd{
			Action: "context-full", Result: &event.CompactionResult{Summary: "S", FirstKeptEntryID: "e", TokensBefore: 9}, WillRetry: true,
		}),
		`{"type":"auto_compaction_end","action":"context-full","aborted":true,"willRetry":false,"errorMessage":"x"}`: note(event.CompactionEnd{Action: "context-full", Aborted: true, ErrorMessage: "x"}),
		`{"type":"thinking_level_changed","thinkingLevel":"medium","configured":"auto"}`:                             note(event.ThinkingLevelChanged{ThinkingLevel: "medium", Configured: "auto"}),
		`{"type":"command_output","text":"Current model: p/m <&>"}`:                                                  note(event.CommandOutput{Text: "Current model: p/m <&>"}),
		`{"type":"session_info_update","title":"Refactor","sessionId":"a"}`:                                          note(event.SessionInfoUpdate{Title: "Refactor", SessionID: "a"}),
		`{"type":"notice","level":"warning","message":"…","source":"compaction"}`:                                    note(event.Notice{Level: "warning", Message: "…", Source: "compaction"}),
		`{"type":"host_tool_call","id":"0123456789abcdfb","toolCallId":"toolu_123","toolName":"echo_host","arguments":{"message":"hello"}}`: frames.Ask{
			Name: HostToolCallName, ID: "0123456789abcdfb", Body: HostToolCall{ToolCallID: "toolu_123", ToolName: "echo_host", Arguments: json.RawMessage(`{"message":"hello"}`)},
		},
		`{"type":"host_tool_cancel","id":"b","targetId":"a"}`:                                           frames.Note{Name: HostToolCancelName, Body: Withdrawal{ID: "b", TargetID: "a"}},
		`{"type":"host_uri_request","id":"a","operation":"read","url":"db://users/42"}`:                 frames.Ask{Name: HostURIRequestName, ID: "a", Body: HostURIRequest{Operation: "read", URL: "db://users/42"}},
		`{"type":"host_uri_request","id":"a","operation":"write","url":"db://users/42","content":""}`:   frames.Ask{Name: HostURIRequestName, ID: "a", Body: HostURIRequest{Operation: "write", URL: "db://users/42", Content: &content}},
		`{"type":"extension_ui_request","id":"a","method":"select","title":"Pick","options":["a","b"]}`: frames.Ask{Name: UIRequestName, ID: "a", Body: UISelect{Method: "select", Title: "Pick", Options: []string{"a", "b"}}},
		`{"type":"extension_ui_request","id":"a","method":"editor","title":"Edit","prefill":"text"}`:    frames.Ask{Name: UIRequestName, ID: "a", Body: UIEditor{Method: "editor", Title: "Edit", Prefill: "text"}},
		`{"type":"extension_ui_request","id":"b","method":"cancel","targetId":"a"}`:                     frames.Note{Name: UIRequestName, Body: UICancel{ID: "b", Method: "cancel", TargetID: "a"}},
	}
}

func TestEachFrameHasItsGoldenLine(t *testing.T) {
	codec := testCodec()
	for want, frame := range golden() {
		line, err := codec.Encode(frame)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if diff := cmp.Diff(want, string(line)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLinesHoldNothingThatBreaksThem(t *testing.T) {
	odd := "\u2028\u2029\n\r\x00\xff<b>&é🎉"
	for _, frame := range []frames.Outbound{
		note(event.CommandOutput{Text: odd}),
		note(event.ToolStart{Args: json.RawMessage("{\n\t\"a\": \"\u2028\xff\"\r}")}),
		update(event.Part{Kind: event.TextDelta, Delta: odd}),
		update(event.Part{Kind: event.CallEnd, Call: &message.ToolCall{Arguments: json.RawMessage("{\r\n\"a\":\"\u2029\xff\"}")}}),
		frames.Response{Command: odd, Fault: &frames.Fault{Text: odd}},
	} {
		line, err := testCodec().Encode(frame)
		if err != nil || !json.Valid(line) || !utf8.Valid(line) || bytes.ContainsAny(line, "\n\r\u2028\u2029") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestUpdatesOfAnotherMessageCarryThatMessage(t *testing.T) {
	codec := testCodec()
	for _, model := range []string{"one", "two", "one"} {
		u := &event.MessageUpdate{Part: event.Part{Kind: event.TextDelta}, Message: &message.Assistant{Model: model}}
		line, err := codec.Encode(frames.Note{Name: u.Name(), Body: Update{u}})
		if err != nil || strings.Count(string(line), `"model":"`+model+`"`) != 1 {
			t.Errorf("%s: %s, %v", model, line, err)
		}
	}
}

func TestFullUpdatesCarryTheAnswerSoFarTwice(t *testing.T) {
	soFar := &message.Assistant{Role: message.RoleAssistant, Content: message.Blocks{message.NewText("so far")}}
	u := &event.MessageUpdate{Part: event.Part{Kind: event.TextDelta, Delta: "far"}, Message: soFar}
	line, err := testCodec().Encode(frames.Note{Name: u.Name(), Body: Update{u}})
	if err != nil || strings.Count(string(line), `"text":"so far"`) != 2 {
		t.Errorf("%s, %v", line, err)
	}
}

func TestAnAnswerThatCannotBeEncodedBecomesAFailure(t *testing.T) {
	codec := testCodec()
	bad := frames.Response{ID: frames.ID("7"), Command: "get_state", Data: math.NaN()}
	_, err := codec.Encode(bad)
	if err == nil {
		t.Fatal("NaN was encoded")
	}
	line, err := codec.Encode(codec.Unencodable(bad, err))
	if err != nil || !strings.HasPrefix(string(line), `{"id":7,"type":"response","command":"get_state","success":false,"error":"`) || !strings.HasSuffix(string(line), `,"code":"internal"}`) {
		t.Errorf("%s, %v", line, err)
	}
	for _, frame := range []frames.Outbound{frames.Note{Name: "x", Body: math.Inf(1)}, frames.Note{Name: "x", Body: []int{}}, frames.Ask{Name: "x", Body: 1}} {
		if _, err := codec.Encode(frame); err == nil {
			t.Errorf("%+v was encoded", frame)
		} else if codec.Unencodable(frame, err) != nil {
			t.Errorf("%+v got a substitute", frame)
		}
	}
}

func TestDeltasOfOneBlockJoin(t *testing.T) {
	first := update(event.Part{Kind: event.TextDelta, ContentIndex: 1, Delta: "a"}).Body
	joined, ok := first.(frames.Joiner), true
	for _, text := range []string{"b", "", "🎉"} {
		if joined, ok = joined.Join(update(event.Part{Kind: event.TextDelta, ContentIndex: 1, Delta: text}).Body); !ok {
			t.Fatalf("%q did not join", text)
		}
	}
	for _, part := range []event.Part{{Kind: event.TextDelta}, {Kind: event.ThinkingDelta, ContentIndex: 1}, {Kind: event.TextEnd, ContentIndex: 1}} {
		if _, ok := joined.Join(update(part).Body); ok {
			t.Errorf("%+v joined", part)
		}
	}
	other := &event.MessageUpdate{Part: event.Part{Kind: event.TextDelta, ContentIndex: 1}, Message: &message.Assistant{}}
	if _, ok := joined.Join(Update{other}); ok {
		t.Error("the delta of another message joined")
	}
	if _, ok := update(event.Part{Kind: event.TextStart}).Body.(frames.Joiner).Join(update(event.Part{Kind: event.TextStart}).Body); ok {
		t.Error("a start joined a start")
	}
	codec := testCodec()
	got, err := codec.Encode(frames.Note{Name: "message_update", Body: joined})
	want, _ := codec.Encode(update(event.Part{Kind: event.TextDelta, ContentIndex: 1, Delta: "ab🎉"}))
	if diff := cmp.Diff(string(want), string(got)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if line, _ := codec.Encode(frames.Note{Name: "message_update", Body: first}); !strings.Contains(string(line), `"delta":"a"`) {
		t.Errorf("joining changed the frame that was sent: %s", line)
	}
	if weight := joined.Weight(); weight < len(got)/2 || weight > 2*len(got) {
		t.Errorf("weight %d of a line of %d bytes", weight, len(got))
	}
}

func TestProgressOfOneCallSupersedes(t *testing.T) {
	one, other := Progress{ToolCallID: "a"}, Progress{ToolCallID: "b"}
	if one.Supersedes() != (Progress{ToolCallID: "a", ToolName: "x"}).Supersedes() || one.Supersedes() == other.Supersedes() {
		t.Error("progress is not told apart by its call")
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é🎉\u2028\u2029\u2027\u202a", "\xff\xe2\x80", "<&>", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSuffix(want.String(), "\n"), string(frames.AppendString(nil, s))); diff != "" {
			t.Error(diff)
		}
	})
}

func TestADeltaCostsOneAllocation(t *testing.T) {
	codec, frame := testCodec(), frames.Outbound(update(event.Part{Kind: event.TextDelta, Delta: "some words, “quoted”\n"}))
	if n := testing.AllocsPerRun(100, func() { _, _ = codec.Encode(frame) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEncodeDelta(b *testing.B) {
	codec, frame := testCodec(), frames.Outbound(update(event.Part{Kind: event.TextDelta, Delta: "some words, “quoted”\n"}))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = codec.Encode(frame)
	}
}

func BenchmarkDecodeCommand(b *testing.B) {
	codec, line := testCodec(), frames.Line(`{"id":"req_12345","type":"set_steering_mode","mode":"one-at-a-time"}`)
	b.ReportAllocs()
	for b.Loop() {
		codec.Decode(line)
	}
}
