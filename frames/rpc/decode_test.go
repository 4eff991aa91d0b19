package rpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
)

// untyped puts a decoder into the map of a codec, as the router's table does.
func untyped[A any](decode func(Object) (A, error)) BodyDecoder {
	return func(o Object) (any, error) { return decode(o) }
}

func testCodec() *Codec {
	return NewCodec(map[string]BodyDecoder{
		"abort_retry":          untyped(Nothing),
		"prompt":               untyped(DecodePrompt),
		"new_session":          untyped(DecodeNewSession),
		"set_todos":            untyped(DecodeTodos),
		"set_host_tools":       untyped(DecodeHostTools),
		"set_host_uri_schemes": untyped(DecodeURISchemes),
		"set_model":            untyped(DecodeSetModel),
		"set_auto_retry":       untyped(Bool("enabled")),
		"set_session_name":     untyped(String("name")),
		"compact":              untyped(OptString("customInstructions")),
		"set_steering_mode":    untyped(OneOf("mode", "steering mode", "all", "one-at-a-time")),
		"subagent_messages":    untyped(DecodeSubagentMessages),
	})
}

// check decodes a line and compares; lengths are left out.
func check(t *testing.T, line string, want frames.Inbound) {
	t.Helper()
	got := testCodec().Decode(frames.Line(line))
	ignoreLen := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Len" }, cmp.Ignore())
	texts := cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error()) })
	if diff := cmp.Diff(want, got, ignoreLen, texts, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("decoding %.200q:\n%s", line, diff)
	}
}

func refused(command, text string) frames.Inbound { return unknownOr(command, text, codeUnknown) }

func unknownOr(command, text, code string) frames.Inbound {
	return frames.Malformed{Answer: frames.Response{Command: command, Fault: &frames.Fault{Text: text, Code: code}}}
}

func command(id, name string, body any) frames.Inbound {
	c := frames.Command{Name: name, Body: body}
	if id != "" {
		c.ID = frames.ID(id)
	}
	return c
}

func wrongArgument(name, text string) frames.Inbound {
	return frames.Command{Name: name, Err: wrong("%s", text)}
}

func TestIdsAreEchoedAsTheyCame(t *testing.T) {
	for line, id := range map[string]string{
		`{"type":"abort_retry"}`:                                        "",
		`{"id":"x","type":"abort_retry"}`:                               `"x"`,
		`{"id":"","type":"abort_retry"}`:                                `""`,
		`{"id":null,"type":"abort_retry"}`:                              `null`,
		`{"id":9007199254740993,"type":"abort_retry"}`:                  `9007199254740993`,
		`{"id":"\u0041\/","type":"abort_retry"}`:                        `"\u0041\/"`,
		"{\"id\":{\"a\" :\r[1, 2]},\"type\":\"abort_retry\"}":           `{"a":[1,2]}`,
		"{\"id\":\"\u2028\u2029\",\"type\":\"abort_retry\"}":            `"\u2028\u2029"`,
		"{\"id\":\"a\xffb\",\"type\":\"abort_retry\"}":                  "\"a\ufffdb\"",
		`{"ID":"no","type":"abort_retry","Id":"no"}`:                    "",
		`{"id":"once","type":"nope","id":"twice","type":"abort_retry"}`: `"twice"`,
		`{"i\u0064":"x","t\u0079pe":"abort_\u0072etry"}`:                `"x"`,
	} {
		check(t, line, command(id, "abort_retry", struct{}{}))
	}
}

func TestWhatSurroundsACommandDoesNoHarm(t *testing.T) {
	deep := strings.Repeat("[", 500) + strings.Repeat("]", 500)
	for _, line := range []string{
		"{\"type\":\"abort_retry\"}\r", " \t {\"type\" : \"abort_retry\"} \t", "\ufeff{\"type\":\"abort_retry\"}",
		`{"a":"\\\"}","b":[{"type":"x"},"]"],"type":"abort_retry","foo":{"type":"nope"}}`,
		`{"type":"abort_retry","z":` + deep + `}`, `{"n":-1.5e3,"type":"abort_retry","t":true}`,
	} {
		check(t, line, command("", "abort_retry", struct{}{}))
	}
	for _, line := range []string{"", "   ", "\t", "\r", " \r", "\ufeff"} {
		check(t, line, nil)
	}
}

func TestWhatIsNoCommandIsRefusedByName(t *testing.T) {
	for line, name := range map[string]string{
		`42`: "undefined", `"text"`: "undefined", `true`: "undefined", `[]`: "undefined", `[{"type":"get_state"}]`: "undefined",
		`{}`: "undefined", `{"id":"q"}`: "undefined", `{"id":"q","Type":"abort_retry"}`: "undefined",
		`{"type":null}`: "null", `{"type":7}`: "7", `{"type":""}`: "", `{"type":true}`: "true",
		`{"id":"1","type":"Abort_Retry"}`: "Abort_Retry", `{"type":" abort_retry"}`: " abort_retry", `{"type":"__proto__"}`: "__proto__",
		`{"type":"response"}`: "response", `{"type":"<b>&"}`: "<b>&",
	} {
		check(t, line, refused(name, "Unknown command: "+name))
	}
}

func TestWhatIsNoJSONIsAParseError(t *testing.T) {
	for _, line := range []string{
		"{bad", "[1,2", "nope", `{"id":"a","type":`, "{'id':1}", `{"id":"a","type":"abort_retry",}`, `{"type":"abort_retry","n":NaN}`,
		`{"type":"abort_retry"} {"type":"abort_retry"}`, `{"type":"abort_retry"}}`, "// comment", "{\"id\":\"a\x00b\"}", "{\"id\":\"a\tb\"}",
		strings.Repeat("[", 200_000), `"open`, "null", "\xff", " \ufeff{}", "\u00a0{}",
	} {
		got, ok := testCodec().Decode(frames.Line(line)).(frames.Malformed)
		if !ok || got.Answer.Command != "parse" || got.Answer.ID != nil || got.Answer.Fault.Code != "parse" ||
			!strings.HasPrefix(got.Answer.Fault.Text, "Failed to parse command: ") || got.Len != len(line) {
			t.Errorf("decoding %.100q gave %+v", line, got)
		}
	}
}

func TestALineTooLongIsAParseError(t *testing.T) {
	want := unknownOr("parse", "Failed to parse command: the line is longer than 64 bytes", codeParse)
	if diff := cmp.Diff(want, frames.Inbound(testCodec().TooLong(64))); diff != "" {
		t.Error(diff)
	}
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func TestPromptsAreRead(t *testing.T) {
	image := func(detail string) []*message.Image {
		return []*message.Image{{Type: "image", Data: pixel, MimeType: "image/png", Detail: detail}}
	}
	for line, want := range map[string]Prompt{
		`{"type":"prompt","message":"hi \ud83c\udf89\n"}`:                                                                                                {Message: "hi 🎉\n"},
		`{"type":"prompt","message":"","streamingBehavior":null,"images":null}`:                                                                          {},
		`{"type":"prompt","message":"a","streamingBehavior":"followUp"}`:                                                                                 {Message: "a", Behavior: "followUp"},
		`{"type":"prompt","message":"a","streamingBehavior":"steer"}`:                                                                                    {Message: "a", Behavior: "steer"},
		`{"type":"prompt","message":"a","streamingBehavior":1}`:                                                                                          {Message: "a", Behavior: "steer"},
		`{"type":"prompt","message":"a","streamingBehavior":0}`:                                                                                          {Message: "a"},
		`{"type":"prompt","message":"a","streamingBehavior":""}`:                                                                                         {Message: "a"},
		`{"type":"prompt","message":"a","images":[{"type":"image","data":"` + pixel + `","mimeType":"image/png"}]}`:                                      {Message: "a", Images: image("")},
		`{"type":"prompt","message":"a","images":[{"type":"image","data":"data:image/png;base64,` + pixel + `","mimeType":"image/png","detail":"low"}]}`: {Message: "a", Images: image("low")},
	} {
		check(t, line, command("", "prompt", want))
	}
	for line, text := range map[string]string{
		`{"type":"prompt"}`:                              "message must be a string",
		`{"type":"prompt","message":5}`:                  "message must be a string",
		`{"type":"prompt","message":null}`:               "message must be a string",
		`{"type":"prompt","Message":"a"}`:                "message must be a string",
		`{"type":"prompt","message":"a","images":{}}`:    "images must be an array",
		`{"type":"prompt","message":"a","images":["x"]}`: "images[0] must be an object",
		`{"type":"prompt","message":"a","images":[{}]}`:  `images[0].type must be "image"`,
		`{"type":"prompt","message":"a","images":[{"type":"image","data":"` + pixel + `","mimeType":"x"},{"type":"image","data":"!","mimeType":"x"}]}`: "images[1].data must be base64",
		`{"type":"prompt","message":"a","images":[{"type":"image","data":"","mimeType":"x"}]}`:                                                         "images[0].data must be base64",
		`{"type":"prompt","message":"a","images":[{"type":"image","data":"` + pixel + `"}]}`:                                                           "images[0].mimeType must be a string",
	} {
		check(t, line, wrongArgument("prompt", text))
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	check(t, `{"type":"set_auto_retry","enabled":false}`, command("", "set_auto_retry", false))
	for _, value := range []string{`"true"`, `1`, `null`} {
		check(t, `{"type":"set_auto_retry","enabled":`+value+`}`, wrongArgument("set_auto_retry", "enabled must be a boolean"))
	}
	check(t, `{"type":"set_session_name","name":"a"}`, command("", "set_session_name", "a"))
	check(t, `{"type":"set_session_name"}`, wrongArgument("set_session_name", "name must be a string"))
	check(t, `{"type":"compact","customInstructions":null}`, command("", "compact", ""))
	check(t, `{"type":"compact","customInstructions":[]}`, wrongArgument("compact", "customInstructions must be a string"))
	check(t, `{"type":"set_model","provider":"p","modelId":"m"}`, command("", "set_model", SetModel{"p", "m"}))
	check(t, `{"type":"set_model","provider":"p"}`, wrongArgument("set_model", "modelId must be a string"))
	check(t, `{"type":"set_steering_mode","mode":"all"}`, command("", "set_steering_mode", "all"))
	for value, shown := range map[string]string{``: "undefined", `,"mode":"ALL"`: "ALL", `,"mode":1`: "1", `,"mode":["all"]`: `["all"]`} {
		check(t, `{"type":"set_steering_mode"`+value+`}`, wrongArgument("set_steering_mode", "Invalid steering mode: "+shown))
	}
	check(t, `{"type":"new_session"}`, command("", "new_session", NewSession{}))
	check(t, `{"type":"new_session","background":true}`, command("", "new_session", NewSession{Background: true}))
	check(t, `{"type":"new_session","parentSession":"/p","background":false}`, command("", "new_session", NewSession{Parent: "/p"}))
	check(t, `{"type":"new_session","parentSession":"","background":true}`,
		wrongArgument("new_session", "new_session cannot combine background with parentSession"))
}

func TestSubagentMessagesAreChecked(t *testing.T) {
	check(t, `{"type":"subagent_messages","subagentId":"x","fromByte":1e1}`, command("", "subagent_messages", SubagentMessages{AgentID: "x", FromByte: 10}))
	for fields, text := range map[string]string{
		``: "get_subagent_messages requires agentId or sessionFile", `,"agentId":""`: "get_subagent_messages requires agentId or sessionFile",
		`,"fromByte":"5"`: "fromByte must be a finite number", `,"fromByte":null`: "fromByte must be a finite number",
		`,"fromByte":1e999`: "fromByte must be a finite number",
	} {
		check(t, `{"type":"subagent_messages"`+fields+`}`, wrongArgument("subagent_messages", text))
	}
}

func TestTodosAreNormalised(t *testing.T) {
	check(t, `{"type":"set_todos","phases":[{"id":"p","name":"A","tasks":[{"content":"x"},{"content":"y","status":"abandoned","notes":null}]},{"name":"B","tasks":[]}]}`,
		command("", "set_todos", []TodoPhase{{"A", []TodoTask{{"x", "pending"}, {"y", "abandoned"}}}, {"B", []TodoTask{}}}))
	for phases, text := range map[string]string{
		`{}`: "phases must be an array", `[1]`: "phases[0] must be an object", `[{"name":"B"}]`: `phase "B" must have a tasks array`,
		`[{"tasks":[]}]`: "phase name must be a string", `[{"name":"B","tasks":[{}]}]`: "todo content must be a string",
		`[{"name":"B","tasks":[{"content":"x","status":"nope"}]}]`: "Invalid todo status: nope",
	} {
		check(t, `{"type":"set_todos","phases":`+phases+`}`, wrongArgument("set_todos", text))
	}
}

func TestHostToolsAreChecked(t *testing.T) {
	check(t, `{"type":"set_host_tools","tools":[{"name":" a ","description":" d ","parameters":{"type" : "object"},"hidden":1}]}`,
		command("", "set_host_tools", []HostTool{{Name: "a", Label: "a", Description: "d", Parameters: json.RawMessage(`{"type" : "object"}`)}}))
	good := `{"name":"a","label":"A","description":"d","parameters":{},"hidden":true}`
	check(t, `{"type":"set_host_tools","tools":[`+good+`]}`,
		command("", "set_host_tools", []HostTool{{Name: "a", Label: "A", Description: "d", Parameters: json.RawMessage(`{}`), Hidden: true}}))
	for tools, text := range map[string]string{
		`"x"`: "tools must be an array", `[` + good + `,{"name":"  "}]`: "Host tool at index 1 must provide a non-empty name",
		`[5]`:                              "Host tool at index 0 must provide a non-empty name",
		`[{"name":"x","description":" "}]`: `Host tool "x" must provide a non-empty description`,
		`[{"name":"x","description":"d","parameters":[]}]`:   `Host tool "x" must provide a JSON Schema object`,
		`[{"name":"x","description":"d","parameters":null}]`: `Host tool "x" must provide a JSON Schema object`,
		`[` + good + `,` + good + `]`:                        "RPC host tool names must be unique",
	} {
		check(t, `{"type":"set_host_tools","tools":`+tools+`}`, wrongArgument("set_host_tools", text))
	}
}

func TestSchemesAreNormalised(t *testing.T) {
	check(t, `{"type":"set_host_uri_schemes","schemes":[{"scheme":" DB ","writable":true},{"scheme":"notes","immutable":true},{"scheme":"db","description":"Rows"}]}`,
		command("", "set_host_uri_schemes", []URIScheme{{Name: "db", Description: "Rows"}, {Name: "notes", Immutable: true}}))
	for _, scheme := range []string{`""`, `"  "`, `5`, `null`} {
		check(t, `{"type":"set_host_uri_schemes","schemes":[{"scheme":`+scheme+`}]}`, wrongArgument("set_host_uri_schemes", "Host URI scheme must be a non-empty string"))
	}
	for _, scheme := range []string{"my db", "1db", "db://", "d\u00e9"} {
		check(t, `{"type":"set_host_uri_schemes","schemes":[{"scheme":"`+scheme+`"}]}`, wrongArgument("set_host_uri_schemes", "Host URI scheme contains invalid characters: "+scheme))
	}
	check(t, `{"type":"set_host_uri_schemes","schemes":{}}`, wrongArgument("set_host_uri_schemes", "schemes must be an array"))
	check(t, `{"type":"set_host_uri_schemes","schemes":[null]}`, wrongArgument("set_host_uri_schemes", "Host URI scheme must be a non-empty string"))
}

func TestRepliesAreRecognised(t *testing.T) {
	text, yes := "x", true
	output := event.ToolOutput{Content: message.Blocks{message.NewText("done")}, Details: json.RawMessage(`{"k":1}`)}
	mixed := event.ToolOutput{IsError: true, Content: message.Blocks{
		message.NewImage("aGk=", "image/png"),
		message.NewText("The host tool returned 2 content blocks that are neither text nor image; they were dropped."),
	}}
	for line, want := range map[string]frames.Reply{
		`{"type":"extension_ui_response","id":"u","value":"x"}`:                                                                                       {Kind: UIResponseName, ID: "u", Body: UIResponse{Value: &text}},
		`{"type":"extension_ui_response","id":"u","value":5,"confirmed":true}`:                                                                        {Kind: UIResponseName, ID: "u", Body: UIResponse{Confirmed: true}},
		`{"type":"extension_ui_response","id":"u","cancelled":1,"timedOut":true}`:                                                                     {Kind: UIResponseName, ID: "u", Body: UIResponse{Cancelled: true, TimedOut: true}},
		`{"type":"host_tool_result","id":"h","result":{"content":[{"type":"text","text":"done"}],"details":{"k":1}}}`:                                 {Kind: HostToolResultName, ID: "h", Body: HostToolResult{Output: output}},
		`{"type":"host_tool_result","id":"h","isError":true,"result":{"content":[],"details":null}}`:                                                  {Kind: HostToolResultName, ID: "h", Body: HostToolResult{IsError: true}},
		`{"type":"host_tool_update","id":"h","partialResult":{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"audio"},7]}}`: {Kind: HostToolUpdateName, ID: "h", Body: mixed},
		`{"type":"host_uri_result","id":"r"}`:                                                                                                         {Kind: HostURIResultName, ID: "r", Body: HostURIResult{}},
		`{"type":"host_uri_result","id":"r","content":"x","contentType":"text/plain","notes":["x",1],"immutable":true,"isError":"yes","error":"x"}`: {
			Kind: HostURIResultName, ID: "r",
			Body: HostURIResult{Content: "x", ContentType: "text/plain", Notes: []string{"x"}, Immutable: &yes, IsError: true, Error: "x"},
		},
	} {
		check(t, line, want)
	}
	for _, line := range []string{
		`{"type":"host_tool_result","id":"zzz","result":{}}`, `{"type":"host_tool_result","result":{"content":[]}}`, `{"type":"host_tool_result","id":"z","result":[]}`,
		`{"type":"host_tool_result","id":"z","result":"plain"}`, `{"type":"host_tool_result","id":"z","result":5}`, `{"type":"host_tool_update","id":"z","partialResult":true}`,
		`{"type":"host_tool_result","id":"z","result":{"content":"plain"}}`,
		`{"type":"host_tool_update","id":"zzz"}`, `{"type":"host_uri_result","id":5}`, `{"type":"extension_ui_response"}`,
	} {
		name, _ := Object(line).String("type")
		check(t, line, refused(name, "Unknown command: "+name))
	}
}

func TestABodyDoesNotKeepItsLineAlive(t *testing.T) {
	line := frames.Line(`{"id":"x","type":"set_host_tools","tools":[{"name":"a","description":"d","parameters":{"a":1}}]}`)
	got := testCodec().Decode(line).(frames.Command)
	clear(line)
	if want := `{"a":1}`; string(got.Body.([]HostTool)[0].Parameters) != want || string(got.ID) != `"x"` {
		t.Errorf("the command changed with its line: %+v", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"type":"host_tool_result","id":"z","result":"plain"}`, `{"type":"host_tool_update","id":"z","partialResult":5}`, `{"type":"host_tool_result","id":"z","result":{"content":"x"}}`,
		`{"id":"x","type":"abort_retry"}`, "\ufeff{\"type\":\"prompt\",\"message\":\"a\xff\"}", `{"type":"host_tool_result","id":"z","result":{"content":[{}]}}`,
		`{"type":"set_todos","phases":[{"name":"\\\"","tasks":[{"content":"x"}]}]}`, `[[{"a":{}}]]`, `null`, `{"id":{"a":[1, "\u2028"]},"type":"abort_retry"}`,
		`{"type":"prompt","message":"","images":[{"type":"image","data":"aGk=","mimeType":""}]}`, `{"type":"subagent_messages","fromByte":-0e1,"agentId":"\\"}`,
		`{"type":"set_host_uri_schemes","schemes":[{"scheme":"a"},{"scheme":"A"}]}`, `{"type":"extension_ui_response","id":"","cancelled":""}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		got := testCodec().Decode(bytes.Clone(line))
		text := bytes.Trim(bytes.TrimPrefix(line, []byte("\ufeff")), " \t\r\n")
		var fields map[string]json.RawMessage
		valid := json.Unmarshal(text, &fields) == nil && fields != nil
		switch got := got.(type) {
		case nil:
			if len(text) > 0 {
				t.Fatalf("%q was ignored", line)
			}
		case frames.Malformed:
			if isParse := got.Answer.Fault.Code == codeParse; isParse == (json.Valid(text) && string(text) != "null") {
				t.Fatalf("%q: %s", line, got.Answer.Fault.Text)
			}
			encoded(t, got.Answer)
		case frames.Command:
			if !valid {
				t.Fatalf("%q is no object, but became %+v", line, got)
			}
			sameID(t, fields["id"], encoded(t, frames.Response{ID: got.ID, Command: got.Name}))
		case frames.Reply:
			if !valid {
				t.Fatalf("%q is no object, but became %+v", line, got)
			}
		}
	})
}

// encoded returns the fields of an answer's line, which must be well formed.
func encoded(t *testing.T, r frames.Response) (fields map[string]json.RawMessage) {
	t.Helper()
	line, err := testCodec().Encode(r)
	if err != nil || json.Unmarshal(line, &fields) != nil || !utf8.Valid(line) || bytes.ContainsAny(line, "\r\n\u2028\u2029") {
		t.Fatalf("answer %q: %v", line, err)
	}
	return fields
}

// sameID compares the values, as text may differ in white space and escapes.
func sameID(t *testing.T, sent json.RawMessage, answer map[string]json.RawMessage) {
	t.Helper()
	echoed, ok := answer["id"]
	if ok != (sent != nil) {
		t.Fatalf("id %q, answered %q", sent, echoed)
	}
	if !ok {
		return
	}
	if diff := cmp.Diff(value(t, bytes.ToValidUTF8(sent, []byte("\ufffd"))), value(t, echoed)); diff != "" {
		t.Fatal(diff)
	}
}

func value(t *testing.T, raw []byte) (v any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
