package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// object is a JSON object as encoding/json decodes it.
type object = map[string]any

func textContent(text string) []any { return []any{object{"type": "text", "text": text}} }

func TestHostToolsAreServed(t *testing.T) {
	c := connect(t)
	names, err := c.SetHostTools(t.Context(),
		Tool{Name: "greet", Run: func(_ context.Context, call ToolCall) (Result, error) {
			if err := call.Update(Text("working")); err != nil {
				return Result{}, err
			}
			return Text("hello " + string(call.Arguments)), nil
		}},
		Tool{Name: "fail", Run: func(context.Context, ToolCall) (Result, error) { return Result{}, errors.New("no luck") }},
		Tool{Name: "panic", Run: func(context.Context, ToolCall) (Result, error) { panic("bug") }},
		Tool{Name: "nothing", Run: func(context.Context, ToolCall) (Result, error) { return Result{}, nil }},
	)
	if diff := cmp.Diff([]string{"greet", "fail", "panic", "nothing"}, names); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	call := func(id, name string) {
		tell(t, c, `{"type":"host_tool_call","id":"`+id+`","toolCallId":"t","toolName":"`+name+`","arguments":{"n":1}}`)
	}
	expect := func(want object) {
		t.Helper()
		if diff := cmp.Diff(want, got(t, c)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	call("h1", "greet")
	expect(object{"type": "host_tool_update", "id": "h1", "partialResult": object{"content": textContent("working")}})
	expect(object{"type": "host_tool_result", "id": "h1", "result": object{"content": textContent(`hello {"n":1}`)}})
	call("h2", "fail")
	expect(object{"type": "host_tool_result", "id": "h2", "isError": true, "result": object{"content": textContent("no luck")}})
	call("h3", "panic")
	expect(object{"type": "host_tool_result", "id": "h3", "isError": true, "result": object{"content": textContent("the host's function panicked: bug")}})
	call("h4", "nothing")
	expect(object{"type": "host_tool_result", "id": "h4", "result": object{"content": []any{}}})
	call("h5", "unknown")
	if e := next(t, c); e.Type != "host_tool_call" {
		t.Errorf("a call that nobody serves became %s", e.Type)
	}
}

func TestACancelledCallEndsAndSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		ended := false
		if _, err := c.SetHostTools(t.Context(), Tool{Name: "wait", Run: func(ctx context.Context, _ ToolCall) (Result, error) {
			<-ctx.Done()
			ended = true
			return Text("too late"), nil
		}}); err != nil {
			t.Fatal(err)
		}
		tell(t, c, `{"type":"host_tool_call","id":"h1","toolName":"wait"}`)
		tell(t, c, `{"type":"host_tool_cancel","id":"x","targetId":"h1"}`)
		synctest.Wait()
		if !ended || c.mail.unread.Len() > 0 {
			t.Errorf("ended %v, %d frames were sent", ended, c.mail.unread.Len())
		}
	})
}

func TestTheEndOfTheServerCancelsWhatIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		c.OnDialog(func(ctx context.Context, _ Dialog) (Choice, error) {
			<-ctx.Done()
			return Choice{}, ctx.Err()
		})
		tell(t, c, `{"type":"extension_ui_request","id":"u1","method":"confirm"}`)
		c.CloseInput()
		<-c.Done()
	})
}

func TestHostURIsAreServed(t *testing.T) {
	c := connect(t)
	if _, err := c.SetHostURISchemes(t.Context(), Scheme{
		Scheme: "DB", Writable: true,
		Read: func(_ context.Context, url string) (Resource, error) {
			if url == "db://none" {
				return Resource{}, errors.New("not found")
			}
			return Resource{Content: url}, nil
		},
		Write: func(_ context.Context, url, content string) error { return errors.New(url + content) },
	}); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]object{
		`"operation":"read","url":"db://a"`:                 {"type": "host_uri_result", "id": "u", "content": "db://a"},
		`"operation":"read","url":"db://none"`:              {"type": "host_uri_result", "id": "u", "isError": true, "error": "not found"},
		`"operation":"write","url":"db://a","content":"++"`: {"type": "host_uri_result", "id": "u", "isError": true, "error": "db://a++"},
	} {
		tell(t, c, `{"type":"host_uri_request","id":"u",`+request+`}`)
		if diff := cmp.Diff(want, got(t, c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
}

func TestDialogsAreAnswered(t *testing.T) {
	c := connect(t)
	tell(t, c, `{"type":"extension_ui_request","id":"u","method":"input","title":"a"}`)
	if e := next(t, c); e.Type != "extension_ui_request" {
		t.Errorf("a dialog that nobody serves became %s", e.Type)
	}
	yes, value := true, ""
	c.OnDialog(func(_ context.Context, d Dialog) (Choice, error) {
		switch d.Method {
		case "confirm":
			return Choice{Confirmed: &yes}, nil
		case "input":
			return Choice{Value: &value}, nil
		}
		return Choice{}, nil
	})
	for method, want := range map[string]object{
		"confirm": {"type": "extension_ui_response", "id": "u", "confirmed": true},
		"input":   {"type": "extension_ui_response", "id": "u", "value": ""},
		"select":  {"type": "extension_ui_response", "id": "u", "cancelled": true},
	} {
		tell(t, c, `{"type":"extension_ui_request","id":"u","method":"`+method+`"}`)
		if diff := cmp.Diff(want, got(t, c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", method, diff)
		}
	}
	tell(t, c, `{"type":"extension_ui_request","id":"u","method":"notify","message":"hi"}`)
	if e := next(t, c); e.Type != "extension_ui_request" {
		t.Errorf("a notice became %s", e.Type)
	}
}
