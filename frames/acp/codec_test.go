package acp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/frames"
)

func testCodec() *Codec {
	return NewCodec(map[string]Method{
		"initialize":               {Decode: DecodeInitialize},
		"session/new":              {Decode: DecodeNew},
		"session/load":             {Decode: DecodeStored},
		"session/list":             {Decode: DecodeList},
		"session/set_mode":         {Decode: DecodeSetMode},
		"session/set_config":       {Decode: DecodeSetOption},
		"session/prompt":           {Decode: DecodePrompt},
		"session/cancel":           {Decode: Text("sessionId"), Notification: true},
		"_veyyon/sessions/listAll": {Decode: DecodeLimit(1000, 5000, false)},
		"_veyyon/chats/byCwd":      {Decode: DecodeLimit(100, 500, true)},
		"_veyyon/toggle":           {Decode: DecodeToggle},
		"nothing":                  {Decode: Nothing},
	})
}

// decoded shows what a line is taken for.
func decoded(t *testing.T, line string) string {
	t.Helper()
	c := testCodec()
	switch in := c.Decode(frames.Line(line)).(type) {
	case nil:
		return "ignored"
	case frames.Malformed:
		answer, err := c.Encode(in.Answer)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	case frames.Cancel:
		return "cancel " + string(in.ID)
	case frames.Reply:
		if err := in.Body.(Reply).Err; err != nil {
			return "reply " + in.ID + ": " + err.Error()
		}
		return "reply " + in.ID + " " + string(in.Body.(Reply).Result)
	case frames.Command:
		text := string(in.ID) + " " + in.Name
		if in.Err != nil {
			return text + ": " + fault.AboutOf(in.Err)["details"] + " | " + in.Err.Error()
		}
		return text
	}
	t.Fatal("no inbound value")
	return ""
}

func TestEnvelope(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request","data":{"details":"Invalid request"}}}`
	for line, want := range map[string]string{
		"":     "ignored",
		" \r ": "ignored",
		"{":    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":"Parse error"}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"nothing"}]`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: JSON-RPC batches are not supported","data":{"details":"Invalid request: JSON-RPC batches are not supported"}}}`,
		`42`:                          request,
		`{}`:                          request,
		`{"id":1,"method":"nothing"}`: request,
		`{"jsonrpc":"2.0","id":{},"method":"nothing"}`:                                                                                                request,
		`{"jsonrpc":"2.0","id":1,"method":7}`:                                                                                                         request,
		"\ufeff" + `{"jsonrpc":"2.0","id":1.50,"method":"nothing"}`:                                                                                   "1.50 nothing",
		`{"jsonrpc":"2.0","id":"a\u0020b","method":"nothing","params":null}`:                                                                          `"a\u0020b" nothing`,
		`{"jsonrpc":"2.0","id":null,"method":"nothing","params":[ ]}`:                                                                                 "null nothing",
		`{"jsonrpc":"2.0","id":1,"method":"nothing","params":[1]}`:                                                                                    "1 nothing: params must be an object | Invalid params",
		`{"jsonrpc":"2.0","method":"nothing"}`:                                                                                                        "ignored",
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`:                                                                      " session/cancel",
		`{"jsonrpc":"2.0","id":1,"method":"session/cancel","params":{"sessionId":"s"}}`:                                                               `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Unknown ACP ext method: session/cancel","data":{"details":"Unknown ACP ext method: session/cancel","method":"session/cancel"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"_omp/sessions/listAll"}`:                                                                                   "1 _veyyon/sessions/listAll",
		`{"jsonrpc":"2.0","id":1,"method":"_omp/nope"}`:                                                                                               `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Unknown ACP ext method: _omp/nope","data":{"details":"Unknown ACP ext method: _omp/nope","method":"_omp/nope"}}}`,
		`{"jsonrpc":"2.0","method":"_x/y"}`:                                                                                                           "ignored",
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a-1"}}`:                                                                  `cancel "a-1"`,
		`{"jsonrpc":"2.0","method":"$/cancel_request"}`:                                                                                               "ignored",
		`{"jsonrpc":"2.0","id":7,"result":{"content":"x"}}`:                                                                                           `reply 7 {"content":"x"}`,
		`{"id":"7","result":null}`:                                                                                                                    "reply 7 null",
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no such method"}}`:                                                                 "reply 7: no such method",
		`{"jsonrpc":"2.0","id":7,"error":"garbage"}`:                                                                                                  "reply 7: the client's error is not an object",
		`{"jsonrpc":"2.0","result":{}}`:                                                                                                               "ignored",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1"}}`:                                                             "1 initialize: protocolVersion must be an integer from 0 to 65535 | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"rel"}}`:                                                                      "1 session/new:  | ACP cwd must be absolute: rel",
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":null}}`:                                                                       "1 session/new: cwd must be a string | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":7}}`:                                                        "1 session/new: mcpServers must be an array | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":[{"type":"acp","name":"x"}]}}`:                              "1 session/new: mcpServers[0]: Unsupported MCP server transport: acp | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":[{"name":"x","command":"y","env":[{"name":"A"}]}]}}`:        "1 session/new: mcpServers[0]: env[0].value must be a string | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"cwd":"/a","sessionId":7}}`:                                                        "1 session/load: sessionId must be a string | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":"hi"}}`:                                                 "1 session/prompt: prompt must be an array | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"weird"}]}}`:                                   `1 session/prompt: prompt[0]: type "weird" is not one of text, image, resource, resource_link | Invalid params`,
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource","resource":{"uri":"file:///a"}}]}}`: "1 session/prompt: prompt[0]: resource must have a text or a blob | Invalid params",
		`{"jsonrpc":"2.0","id":1,"method":"_veyyon/chats/byCwd"}`:                                                                                     "1 _veyyon/chats/byCwd:  | cwd required",
		`{"jsonrpc":"2.0","id":1,"method":"_veyyon/toggle","params":{"enabled":false}}`:                                                               "1 _veyyon/toggle:  | providerId required",
		`{"jsonrpc":"2.0","id":1,"method":"session/set_config","params":{"sessionId":"s","configId":"mode","value":7}}`:                               "1 session/set_config: value must be a string | Invalid params",
	} {
		if got := decoded(t, line); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestPromptBecomesOneText(t *testing.T) {
	body, err := DecodePrompt(Object(`{"sessionId":"s","prompt":[
		{"type":"text","text":"Look at this:"},
		{"type":"resource_link","uri":"file:///a/b.go","name":"b.go"},
		{"type":"image","data":"AAAA","mimeType":"image/png"},
		{"type":"resource","resource":{"uri":"file:///c","text":"inside"}},
		{"type":"resource","resource":{"uri":"file:///d","blob":"BBBB","mimeType":"image/gif"}},
		{"type":"resource","resource":{"uri":"file:///e","blob":"CCCC"}},
		{"type":"audio","data":"x","mimeType":"audio/wav"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := body.(Prompt)
	want := "Look at this:\n\n[b.go](file:///a/b.go)\n\nContent of file:///c:\ninside\n\n[embedded resource: file:///e]\n\n[audio omitted]"
	if p.Text != want || len(p.Images) != 2 || p.Images[1] != (Picture{"BBBB", "image/gif"}) {
		t.Errorf("%q, %v", p.Text, p.Images)
	}
}

func TestLimits(t *testing.T) {
	for params, want := range map[string]int{`{}`: 1000, `{"limit":0}`: 1, `{"limit":-3}`: 1, `{"limit":2.9}`: 2, `{"limit":1e9}`: 5000, `{"limit":"x"}`: 1000, `{"limit":null}`: 1000} {
		if l, err := DecodeLimit(1000, 5000, false)(Object(params)); err != nil || l.(Limit).N != want {
			t.Errorf("%s: %v, %v", params, l, err)
		}
	}
}

func TestEncode(t *testing.T) {
	c := testCodec()
	text := "a\u2028\"b"
	for _, f := range []struct {
		out  frames.Outbound
		want string
	}{
		{frames.Response{ID: frames.ID("7")}, `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{frames.Response{Command: "session/cancel"}, ""},
		{frames.Response{ID: frames.ID("7"), Fault: &frames.Fault{Text: "gone", Code: string(fault.NotFound), About: map[string]string{"sessionId": "s"}}}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32002,"message":"gone","data":{"details":"gone","sessionId":"s"}}}`},
		{frames.Response{ID: frames.ID("7"), Fault: &frames.Fault{Text: "odd", Code: "odd"}}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"odd","data":{"details":"odd"}}}`},
		{frames.Ask{ID: "3", Name: "fs/read_text_file", Body: ReadFile{"s", "/a"}}, `{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}`},
		{frames.Note{Name: UpdateMethod, Body: TextChunk{"s", AgentChunk, "m", text}}, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\u2028\"b"},"messageId":"m"}}}`},
		{frames.Note{Name: UpdateMethod, Body: Update{"s", Plan{"plan", []PlanEntry{}}}}, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`},
	} {
		line, err := c.Encode(f.out)
		if err != nil || string(line) != f.want {
			t.Errorf("%s, %v\nwant %s", line, err, f.want)
		}
	}
	broken := frames.Response{ID: frames.ID("7"), Data: make(chan int)}
	_, err := c.Encode(broken)
	instead, ok := c.Unencodable(broken, err).(frames.Response)
	if err == nil || !ok || string(instead.ID) != "7" || instead.Fault == nil {
		t.Errorf("%v, %v", err, instead)
	}
}

// A client that reads slowly gets the pieces of a message as one.
func TestPiecesOfAMessageJoin(t *testing.T) {
	joined, ok := TextChunk{"s", AgentChunk, "m", "one "}.Join(TextChunk{"s", AgentChunk, "m", "two "})
	if !ok {
		t.Fatal("they do not join")
	}
	joined, ok = joined.Join(TextChunk{"s", AgentChunk, "m", "three"})
	line, err := testCodec().Encode(frames.Note{Name: UpdateMethod, Body: joined})
	if !ok || err != nil || !strings.Contains(string(line), `"text":"one two three"`) {
		t.Errorf("%s, %v", line, err)
	}
	for _, other := range []any{TextChunk{"t", AgentChunk, "m", "x"}, TextChunk{"s", ThoughtChunk, "m", "x"}, TextChunk{"s", AgentChunk, "n", "x"}, Update{}} {
		if _, ok := joined.Join(other); ok {
			t.Errorf("%v joins", other)
		}
	}
}

func TestAnswersOfClients(t *testing.T) {
	for result, want := range map[string]string{
		`{"outcome":{"outcome":"selected","optionId":"a"}}`: "a", `{"outcome":{"outcome":"cancelled"}}`: "", `{}`: "", `null`: "",
	} {
		if got, err := Chosen(json.RawMessage(result)); got != want || err != nil {
			t.Errorf("%s: %q, %v", result, got, err)
		}
	}
	if _, err := Chosen(json.RawMessage(`"yes"`)); err == nil {
		t.Error("a text is taken for an outcome")
	}
	if value := Accepted(json.RawMessage(`{"action":"decline","content":{"value":"x"}}`)); value != nil {
		t.Errorf("declined: %s", value)
	}
	if value := Accepted(json.RawMessage(`{"action":"accept","content":{"value":true}}`)); string(value) != "true" {
		t.Errorf("accepted: %s", value)
	}
	if _, err := FileText(json.RawMessage(`null`)); !errors.Is(err, errNoContent) {
		t.Errorf("no content: %v", err)
	}
	if text, err := FileText(json.RawMessage(`{"content":""}`)); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := TerminalID(json.RawMessage(`{}`)); err == nil {
		t.Error("a terminal without an id")
	}
}

// FuzzDecode: whatever comes, there is at most one value, and each answer is a
// line of valid JSON.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`,
		`{"jsonrpc":"2.0","id":"x","method":"session/new","params":{"cwd":"/a","mcpServers":[{"name":"n","command":"c","args":["a"],"env":[]}]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"a"}}}`, `[1]`, `{`, `{"method":"$/cancel_request"}`,
	} {
		f.Add([]byte(line))
	}
	c := testCodec()
	f.Fuzz(func(t *testing.T, line []byte) {
		in := c.Decode(line)
		answer := frames.Response{}
		switch in := in.(type) {
		case frames.Malformed:
			answer = in.Answer
		case frames.Command:
			answer = frames.Response{ID: in.ID, Command: in.Name}
			if in.Err != nil {
				answer.Fault = &frames.Fault{Text: in.Err.Error(), About: fault.AboutOf(in.Err)}
			}
		case frames.Reply:
			_, _ = Chosen(in.Body.(Reply).Result)
			_, _ = FileText(in.Body.(Reply).Result)
			_ = Accepted(in.Body.(Reply).Result)
			return
		default:
			return
		}
		out, err := c.Encode(answer)
		if err != nil || out != nil && (!json.Valid(out) || !utf8.Valid(out) || strings.ContainsAny(string(out), "\n\u2028\u2029")) {
			t.Errorf("%q, %v", out, err)
		}
	})
}
