package replay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

func request(messages ...message.Message) *model.Request {
	return &model.Request{
		Model:    &model.Model{ID: "m", Provider: "p", API: "a", Input: []string{"text", "image"}},
		Messages: messages,
	}
}

func user(blocks ...message.Block) *message.User { return &message.User{Content: blocks} }

func own(blocks ...message.Block) *message.Assistant {
	return &message.Assistant{API: "a", Provider: "p", Model: "m", Content: blocks}
}

func thought(signature string) *message.Thinking {
	return &message.Thinking{Type: "thinking", Thinking: "t", Signature: signature}
}

// show writes a conversation in short.
func show(messages []message.Message) []string {
	var out []string
	for _, m := range messages {
		var line strings.Builder
		content := contentOf(m)
		switch m := m.(type) {
		case *message.Assistant:
			line.WriteString("assistant")
			content = m.Content
		case *message.ToolResult:
			line.WriteString("result " + m.ToolCallID)
		case *message.Developer:
			line.WriteString("developer")
		default:
			line.WriteString("user")
		}
		for _, block := range content {
			switch block := block.(type) {
			case *message.Text:
				fmt.Fprintf(&line, " %q", block.Text)
			case *message.Image:
				line.WriteString(" image:" + block.Data)
			case *message.Thinking:
				line.WriteString(" thinking:" + block.Signature)
			case *message.RedactedThinking:
				line.WriteString(" sealed:" + block.Data)
			case *message.ToolCall:
				line.WriteString(" call:" + block.ID)
			}
		}
		out = append(out, line.String())
	}
	return out
}

func TestThinkingGoesBackOnlyToItsOwnModel(t *testing.T) {
	call := &message.ToolCall{ID: "c", Name: "n", Arguments: json.RawMessage("{}"), ThoughtSignature: "s"}
	sealed := &message.RedactedThinking{Data: "d"}
	full := message.Blocks{thought("s"), thought(""), sealed, message.NewText("x"), call, thought("trailing")}
	other := func(change func(*message.Assistant)) *message.Assistant {
		m := own(full...)
		change(m)
		return m
	}
	for name, c := range map[string]struct {
		m    *message.Assistant
		want string
	}{
		"own":              {own(full...), `assistant thinking:s sealed:d "x" call:c`},
		"another model":    {other(func(m *message.Assistant) { m.Model = "other" }), `assistant "x" call:c`},
		"another provider": {other(func(m *message.Assistant) { m.Provider = "other" }), `assistant "x" call:c`},
		"another dialect":  {other(func(m *message.Assistant) { m.API = "other" }), `assistant "x" call:c`},
	} {
		got := Conversation(request(c.m), Rules{})
		if diff := cmp.Diff([]string{c.want}, show(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		calls := got[0].(*message.Assistant).Content.ToolCalls()
		if signed := calls[0].ThoughtSignature != ""; signed != (name == "own") {
			t.Errorf("%s: the call's signature is %q", name, calls[0].ThoughtSignature)
		}
	}
}

func TestNothingEmptyIsSent(t *testing.T) {
	got := Conversation(request(
		user(message.NewText(" \n")),
		user(message.NewText(""), message.NewText("q\x00")),
		own(message.NewText("\t"), thought("s")),
		own(),
		&message.Developer{Content: message.Blocks{message.NewText("")}},
		&message.ToolResult{ToolCallID: "c", Content: nil},
	), Rules{})
	if diff := cmp.Diff([]string{`user "q` + "\ufffd" + `"`, `result c "(no output)"`}, show(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSteeringIsMarked(t *testing.T) {
	m := user(message.NewText("stop"))
	m.Steering = true
	got := show(Conversation(request(m), Rules{}))
	if diff := cmp.Diff([]string{`user "<user_interjection>\nstop\n</user_interjection>"`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImagesOfResultsFollowTheBatch(t *testing.T) {
	image := message.NewImage("1", "image/png")
	messages := []message.Message{
		&message.ToolResult{ToolCallID: "a", ToolName: "read", Content: message.Blocks{message.NewText("see"), image}},
		&message.ToolResult{ToolCallID: "b", ToolName: "shot", Content: message.Blocks{image}},
		&message.ToolResult{ToolCallID: "c", ToolName: "ls", Content: message.Blocks{message.NewText("x")}},
	}
	want := []string{
		`result a "see"`, `result b "(see the image below)"`, `result c "x"`,
		`user "Image from the tool read:" image:1 "Image from the tool shot:" image:1`,
	}
	if diff := cmp.Diff(want, show(Conversation(request(messages...), Rules{}))); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
	want = append(want, `user "next"`)
	if diff := cmp.Diff(want, show(Conversation(request(append(messages, user(message.NewText("next")))...), Rules{}))); diff != "" {
		t.Errorf("before a user message (-want +got):\n%s", diff)
	}
	want = []string{`result a "see" image:1`, `result b image:1`, `result c "x"`}
	if diff := cmp.Diff(want, show(Conversation(request(messages...), Rules{ResultImages: true}))); diff != "" {
		t.Errorf("inline (-want +got):\n%s", diff)
	}
}

func TestAModelWithoutEyesIsToldSoOnce(t *testing.T) {
	image := message.NewImage("1", "image/png")
	req := request(user(message.NewText("q"), image, image))
	req.Model.Input = []string{"text"}
	want := []string{fmt.Sprintf("user \"q\" %q", noImageInput)}
	if diff := cmp.Diff(want, show(Conversation(req, Rules{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	req.Tuning = &model.Tuning{NoImages: true}
	want = []string{`user "q" "Image reading is disabled."`}
	if diff := cmp.Diff(want, show(Conversation(req, Rules{}))); diff != "" {
		t.Errorf("with images blocked (-want +got):\n%s", diff)
	}
}

func TestTheOldestImagesGiveWay(t *testing.T) {
	var messages []message.Message
	for i := range 7 {
		messages = append(messages, user(message.NewText("q"), message.NewImage(fmt.Sprint(i), "image/png")))
	}
	omitted := fmt.Sprintf("user \"q\" %q", imageLimit)
	want := []string{omitted, omitted}
	for i := 2; i < 7; i++ {
		want = append(want, fmt.Sprintf(`user "q" image:%d`, i))
	}
	if diff := cmp.Diff(want, show(Conversation(request(messages...), Rules{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		m    model.Model
		want int
	}{
		{model.Model{Provider: "anthropic"}, 90},
		{model.Model{Provider: "openrouter", API: model.APICompletions}, 90},
		{model.Model{Provider: "openai", API: model.APIResponses}, 200},
		{model.Model{Provider: "google"}, 200},
		{model.Model{Provider: "groq", API: model.APICompletions}, 5},
	} {
		if got := imageBudget(&c.m); got != c.want {
			t.Errorf("%s: %d images, want %d", c.m.Provider, got, c.want)
		}
	}
}

func TestImagesAreBoundedInBytes(t *testing.T) {
	big := strings.Repeat("x", maxImageBytes/2)
	req := request(
		user(message.NewImage(big, "image/png")), user(message.NewImage(big, "image/png")), user(message.NewImage("1", "image/png")),
	)
	got := Conversation(req, Rules{})
	if text := got[0].(*message.User).Content.Text(); text != imageLimit {
		t.Errorf("the oldest image became %q", text)
	}
	if len(got[1].(*message.User).Content.Text()) != 0 {
		t.Error("the second image is gone as well")
	}
}

func TestArgumentsAreOneReadableObject(t *testing.T) {
	for raw, want := range map[string]string{
		`{"b":1,"a":2}`:                   `{"b":1,"a":2}`,
		``:                                `{}`,
		`{"a":`:                           `{}`,
		`{"a":"\ud83d"}`:                  `{"a":"` + "\ufffd" + `"}`,
		`{"a":"\ud83c\udf89","n":1e400}`:  `{"a":"🎉","n":1e400}`,
		"{\"a\":\"\xff\"}":                "{\"a\":\"\ufffd\"}",
		`{"n":12345678901234567890}`:      `{"n":12345678901234567890}`,
		`{"a":"\uD83D","n":123456789012}`: `{"a":"` + "\ufffd" + `","n":123456789012}`,
	} {
		if got := string(cleanArguments(json.RawMessage(raw))); got != want {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
}

func TestCallIDsAreAcceptableAndTellCallsApart(t *testing.T) {
	for _, c := range []struct {
		name    string
		rule    func(string) string
		pattern *regexp.Regexp
	}{
		{"64", IDsUpTo(64), regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)},
		{"40", IDsUpTo(40), regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)},
		{"nine", IDsOfNine, regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)},
	} {
		rapid.Check(t, func(t *rapid.T) {
			ids := rapid.SliceOfNDistinct(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z_|]{1,90}`)), 2, 2, rapid.ID).Draw(t, "ids")
			a, b := c.rule(ids[0]), c.rule(ids[1])
			if !c.pattern.MatchString(a) {
				t.Fatalf("%s: %q became %q", c.name, ids[0], a)
			}
			if a == b || c.rule(ids[0]) != a {
				t.Fatalf("%s: %q became %q, %q became %q", c.name, ids[0], a, ids[1], b)
			}
			if c.pattern.MatchString(ids[0]) && a != ids[0] {
				t.Fatalf("%s: %q was fine", c.name, ids[0])
			}
		})
	}
}

func TestTheOutputLimitLeavesRoomForTheInput(t *testing.T) {
	for _, c := range []struct {
		asked, own, window, input int // input in bytes
		want                      int
	}{
		{0, 8192, 128000, 100, 8192},
		{500, 8192, 128000, 100, 500},
		{0, 128000, 200000, 100, MaxOutput},
		{0, 8192, 10000, 9000, 7000},
		{0, 8192, 8192, 90000, minOutput},
		{0, 0, 128000, 100, 0},
		{0, 8192, 0, 100, 8192},
		{100, 0, 0, 100, 100},
	} {
		req := request(user(message.NewText(strings.Repeat("x", c.input))))
		req.MaxTokens, req.Model.MaxTokens, req.Model.ContextWindow = c.asked, c.own, c.window
		if got := OutputLimit(req); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestTheConversationItselfStaysAsItIs(t *testing.T) {
	messages := func() []message.Message {
		return []message.Message{
			&message.User{Steering: true, Content: message.Blocks{message.NewText("a\x00"), message.NewImage("1", "image/png")}},
			own(thought("s"), message.NewText("x"), &message.ToolCall{ID: "a|b", Arguments: json.RawMessage(`{"a":"\ud83d"}`)}),
			&message.ToolResult{ToolCallID: "a|b", Content: message.Blocks{message.NewImage("1", "image/png")}},
		}
	}
	req := request(messages()...)
	req.Model.Input = []string{"text"}
	Conversation(req, Rules{CallID: IDsUpTo(40), NoThinking: true, NoImages: true})
	if diff := cmp.Diff(messages(), req.Messages); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
