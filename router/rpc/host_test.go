package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/stages"
)

// A line is a host that speaks the real frames with a ledger.
type line struct {
	t      *testing.T
	ledger *router.Ledger
	outbox chan frames.Outbound
}

func newLine(t *testing.T) *line {
	outbox := make(chan frames.Outbound, 10)
	return &line{t, router.NewLedger(t.Context(), stages.NewOutbox(outbox), router.HexIDs()), outbox}
}

// read returns the fields of the next frame.
func (l *line) read() (fields map[string]any) {
	l.t.Helper()
	text, err := NewCodec().Encode(<-l.outbox)
	if err != nil || json.Unmarshal(text, &fields) != nil {
		l.t.Fatalf("%s: %v", text, err)
	}
	return fields
}

// write sends a reply with this id.
func (l *line) write(id any, fields map[string]any) {
	l.t.Helper()
	fields["id"] = id
	text, err := json.Marshal(fields)
	if err != nil {
		l.t.Fatal(err)
	}
	reply, ok := NewCodec().Decode(text).(frames.Reply)
	if !ok {
		l.t.Fatalf("no reply: %s", text)
	}
	l.ledger.Settle(reply)
}

type object = map[string]any

func blocks(texts ...string) object {
	content := []object{}
	for _, text := range texts {
		content = append(content, object{"type": "text", "text": text})
	}
	return object{"content": content}
}

// ended is what an ask came to.
type ended[T any] struct {
	value T
	err   error
}

func ask[T any](f func() (T, error)) chan ended[T] {
	done := make(chan ended[T], 1)
	go func() { v, err := f(); done <- ended[T]{v, err} }()
	return done
}

var echo = host.ToolCall{ToolCallID: "toolu_1", ToolName: "echo_host", Arguments: json.RawMessage(`{"message":"hello"}`)}

func TestAHostToolCallGoesOutAndItsResultComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		var updates []event.ToolOutput
		done := ask(func() (event.ToolOutput, error) {
			return Tools{Ledger: l.ledger}.Call(t.Context(), echo, func(o event.ToolOutput) { updates = append(updates, o) })
		})
		call := l.read()
		id := call["id"]
		same(t, call, object{"type": "host_tool_call", "id": id, "toolCallId": "toolu_1", "toolName": "echo_host", "arguments": object{"message": "hello"}})
		l.write(id, object{"type": "host_tool_update", "partialResult": blocks("working")})
		l.write(id, object{"type": "host_uri_result", "content": "of another kind"})
		l.write(id, object{"type": "host_tool_result", "result": object{"content": blocks("done")["content"], "details": object{"k": 1}}})
		l.write(id, object{"type": "host_tool_result", "result": blocks("twice")})
		got := <-done
		same(t, got.err, error(nil))
		same(t, got.value, event.ToolOutput{Content: message.Blocks{message.NewText("done")}, Details: json.RawMessage(`{"k":1}`)})
		same(t, updates, []event.ToolOutput{{Content: message.Blocks{message.NewText("working")}}})
	})
}

func TestAFailedHostToolCallHasTheHostsText(t *testing.T) {
	for want, frame := range map[string]object{
		"disk full\ntry later":       {"isError": true, "result": blocks("disk full", "try later \n")},
		"Host tool execution failed": {"isError": true, "result": blocks()},
		"":                           {"result": object{"isError": true, "content": []object{}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLine(t)
			done := ask(func() (event.ToolOutput, error) { return Tools{Ledger: l.ledger}.Call(t.Context(), echo, nil) })
			frame["type"] = "host_tool_result"
			l.write(l.read()["id"], frame)
			got := <-done
			if want == "" {
				same(t, got.err, error(nil))
				same(t, got.value.IsError, true)
				return
			}
			same(t, got.err.Error(), want)
		})
	}
}

// asks are the questions with the texts for how they may end.
var asks = map[string]struct {
	put           func(context.Context, *router.Ledger) error
	cancel        object
	aborted, gone string
}{
	"tool": {
		func(ctx context.Context, l *router.Ledger) error {
			_, err := Tools{Ledger: l}.Call(ctx, echo, nil)
			return err
		},
		object{"type": "host_tool_cancel"},
		`Host tool "echo_host" was aborted`, "RPC client disconnected before host tool execution completed",
	},
	"read": {
		func(ctx context.Context, l *router.Ledger) error {
			_, err := NewURIs(l).Read(ctx, "db://a")
			return err
		},
		object{"type": "host_uri_cancel"},
		"Host URI read for db://a was aborted", "RPC client disconnected before host URI request completed",
	},
	"write": {
		func(ctx context.Context, l *router.Ledger) error { return NewURIs(l).Write(ctx, "db://a", "x") },
		object{"type": "host_uri_cancel"},
		"Host URI write for db://a was aborted", "RPC client disconnected before host URI request completed",
	},
}

func TestAnAbortedAskIsTakenBack(t *testing.T) {
	for name, a := range asks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t)
				cause := errors.New("interrupted")
				ctx, cancel := context.WithCancelCause(t.Context())
				done := ask(func() (struct{}, error) { return struct{}{}, a.put(ctx, l.ledger) })
				id := l.read()["id"]
				cancel(cause)
				err := (<-done).err
				if err.Error() != a.aborted || !errors.Is(err, cause) {
					t.Errorf("error %v", err)
				}
				frame := l.read()
				if frame["id"] == id {
					t.Error("the cancel frame has the id of the question")
				}
				want := object{"targetId": id, "id": frame["id"]}
				for k, v := range a.cancel {
					want[k] = v
				}
				same(t, frame, want)
				same(t, len(l.outbox), 0)
			})
		})
	}
}

func TestAHostThatHasGoneIsNotAsked(t *testing.T) {
	for name, a := range asks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t)
				done := ask(func() (struct{}, error) { return struct{}{}, a.put(t.Context(), l.ledger) })
				l.read()
				l.ledger.Close()
				for _, err := range []error{(<-done).err, a.put(t.Context(), l.ledger)} {
					if err.Error() != a.gone || !errors.Is(err, host.ErrGone) {
						t.Errorf("error %v", err)
					}
				}
				same(t, len(l.outbox), 0)
			})
		})
	}
}

func TestHostURIsAreReadAndWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		uris := NewURIs(l.ledger)
		uris.replace([]host.Scheme{{Name: "db", Immutable: true}})
		read := func(reply object) host.Resource {
			done := ask(func() (host.Resource, error) { return uris.Read(t.Context(), "db://users/42") })
			request := l.read()
			same(t, request, object{"type": "host_uri_request", "id": request["id"], "operation": "read", "url": "db://users/42"})
			reply["type"] = "host_uri_result"
			l.write(request["id"], reply)
			got := <-done
			same(t, got.err, error(nil))
			return got.value
		}
		same(t, read(object{}), host.Resource{ContentType: "text/plain", Immutable: true})
		same(t, read(object{"content": "x", "contentType": "text/markdown", "notes": []string{"n"}, "immutable": false}),
			host.Resource{Content: "x", ContentType: "text/markdown", Notes: []string{"n"}})

		done := ask(func() (struct{}, error) { return struct{}{}, uris.Write(t.Context(), "db://a", "") })
		request := l.read()
		same(t, request, object{"type": "host_uri_request", "id": request["id"], "operation": "write", "url": "db://a", "content": ""})
		l.write(request["id"], object{"type": "host_uri_result"})
		same(t, (<-done).err, error(nil))
	})
}

func TestARefusedHostURIReportsWhy(t *testing.T) {
	for want, reply := range map[string]object{
		"row 42 not found":                {"error": "row 42 not found", "content": "x"},
		"gone fishing":                    {"content": "gone fishing"},
		"Host URI read failed for db://a": {},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLine(t)
			done := ask(func() (host.Resource, error) { return NewURIs(l.ledger).Read(t.Context(), "db://a") })
			reply["type"], reply["isError"] = "host_uri_result", true
			l.write(l.read()["id"], reply)
			same(t, (<-done).err.Error(), want)
		})
	}
}

func TestSchemesAreReplacedAsAWhole(t *testing.T) {
	uris := NewURIs(nil)
	db := host.Scheme{Name: "db", Writable: true}
	uris.replace([]host.Scheme{db})
	got, ok := uris.Scheme("db")
	same(t, cmp.Equal(got, db) && ok, true)
	uris.replace([]host.Scheme{{Name: "notes"}})
	_, ok = uris.Scheme("db")
	same(t, ok, false)
}
