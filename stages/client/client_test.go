package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/frames"
)

// next is the next event within a loop of its own.
func next(t *testing.T, c *Client) Event {
	t.Helper()
	for e, err := range c.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	t.Fatal("no more events")
	return Event{}
}

// got is the next event "got", decoded.
func got(t *testing.T, c *Client) map[string]any {
	t.Helper()
	var e struct{ Frame map[string]any }
	if err := next(t, c).Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e.Frame
}

func tell(t *testing.T, c *Client, line string) {
	t.Helper()
	if err := c.Call(t.Context(), "say", map[string]any{"line": json.RawMessage(line)}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestCallBringsTheAnswerOfItsOwnCommand(t *testing.T) {
	c := connect(t)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			echo, err := Call[struct {
				Type string
				N    int
			}](t.Context(), c, "echo", map[string]int{"n": i})
			if err != nil || echo.N != i || echo.Type != "echo" {
				t.Errorf("%d: got %+v, %v", i, echo, err)
			}
		})
	}
	all.Wait()
}

func TestAFailureIsAnError(t *testing.T) {
	c := connect(t)
	err := c.Call(t.Context(), "fail", nil, nil)
	want := &Error{Command: "fail", Text: "it failed", Code: "busy"}
	var failure *Error
	if !errors.As(err, &failure) || *failure != *want {
		t.Errorf("got %v", err)
	}
}

func TestFieldsThatAreNoObjectFailTheCall(t *testing.T) {
	c := connect(t)
	for _, fields := range []any{[]int{1}, "text", 7, func() {}, map[string]any{"f": make(chan int)}} {
		if err := c.Call(t.Context(), "echo", fields, nil); err == nil {
			t.Errorf("%T was sent", fields)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	c := connect(t)
	cause := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	held, err := c.Send(ctx, "hold", nil)
	if err != nil {
		t.Fatal(err)
	}
	stop(cause)
	if err := held.Wait(ctx, nil); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if n := len(c.mail.calls); n > 0 {
		t.Errorf("%d calls still wait", n)
	}
}

func TestCallsFailWhenTheServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		held, err := c.Send(t.Context(), "hold", nil)
		if err != nil {
			t.Fatal(err)
		}
		c.CloseInput()
		if err := held.Wait(t.Context(), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
		if err := c.Call(t.Context(), "echo", nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("a later call: %v", err)
		}
		for e, err := range c.Events(t.Context()) {
			t.Errorf("got %v, %v", e, err)
		}
	})
}

func TestCommandsSentBeforeCloseInputAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		var answers []*Answer
		for range 100 {
			a, err := c.Send(t.Context(), "echo", nil)
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, a)
		}
		c.CloseInput()
		for _, a := range answers {
			if err := a.Wait(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestEventsComeInOrderAcrossLoops(t *testing.T) {
	c := connect(t)
	if err := c.Call(t.Context(), "note", map[string]any{"n": 10, "text": "hello"}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		var e struct {
			Text string
			I    int
		}
		if err := next(t, c).Decode(&e); err != nil || e.I != i || e.Text != "hello" {
			t.Errorf("%d: got %+v, %v", i, e, err)
		}
	}
}

func TestAResponseNobodyWaitsForIsAnEvent(t *testing.T) {
	c := connect(t)
	for _, line := range []string{
		`{"type":"response","id":"req_999","command":"prompt","success":false,"error":"late"}`,
		`{"type":"response","command":"parse","success":false,"error":"no id"}`,
	} {
		tell(t, c, line)
		if e := next(t, c); e.Type != "response" || string(e.Raw) != line {
			t.Errorf("got %s", e.Raw)
		}
	}
	tell(t, c, `[1,2]`)
	if e := next(t, c); e.Type != NotAFrame || string(e.Raw) != `[1,2]` {
		t.Errorf("got %q %s", e.Type, e.Raw)
	}
}

func TestRawIsSentAsItIs(t *testing.T) {
	c := connect(t)
	if err := c.Raw(t.Context(), []byte(`not JSON`)); err != nil {
		t.Fatal(err)
	}
	if e := next(t, c); !strings.Contains(string(e.Raw), `"command":"parse"`) {
		t.Errorf("got %s", e.Raw)
	}
}

// TestACallerWhoDoesNotReadSlowsTheServer: and yet a call gets its answer.
func TestACallerWhoDoesNotReadSlowsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, size = 40, 1 << 20
		c := connect(t)
		flood, err := json.Marshal(map[string]any{"type": "note", "n": n, "text": strings.Repeat("x", size/2)})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Raw(t.Context(), flood); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if unread := c.mail.unread.Bytes(); unread > maxUnread+size {
			t.Errorf("%d bytes unread", unread)
		}
		if err := c.Call(t.Context(), "echo", nil, nil); err != nil {
			t.Error(err)
		}
		for range n {
			if e := next(t, c); e.Type != "note" {
				t.Errorf("got %s", e.Type)
			}
		}
	})
}

func TestIgnoredEventsHoldNothingUp(t *testing.T) {
	c := connect(t)
	c.IgnoreEvents()
	if err := c.Raw(t.Context(), []byte(`{"type":"note","n":500,"text":"`+strings.Repeat("x", 30<<10)+`"}`)); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Error(err)
	}
}

func TestEventsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		for e, err := range c.Events(ctx) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, %v", e, err)
			}
		}
	})
}

func TestTheEndOfTheContextEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		r, w := io.Pipe()
		c := New(ctx, r, io.Discard)
		cause := errors.New("enough")
		stop(cause)
		<-c.Done()
		if err := c.Call(t.Context(), "echo", nil, nil); !errors.Is(err, ErrClosed) || !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		_ = w.Close()
		if err := c.Close(); !errors.Is(err, cause) {
			t.Errorf("closing: %v", err)
		}
	})
}

func TestCloseLeavesAServerThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		c := New(t.Context(), r, io.Discard)
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited != closeGrace {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestTheCodecWritesWhatTheProtocolSays(t *testing.T) {
	for _, test := range []struct {
		frame frames.Outbound
		want  string
	}{
		{frames.Ask{ID: "req_1", Name: "abort", Body: json.RawMessage(nil)}, `{"id":"req_1","type":"abort"}`},
		{frames.Ask{ID: "req_1", Name: "abort", Body: json.RawMessage(`{}`)}, `{"id":"req_1","type":"abort"}`},
		{frames.Ask{ID: "req_1", Name: "bash", Body: json.RawMessage(`{"command":"a < b"}`)}, `{"id":"req_1","type":"bash","command":"a < b"}`},
		{frames.Ask{ID: "req_1", Name: "bash", Body: json.RawMessage("{\"command\":\"\u2028\"}")}, `{"id":"req_1","type":"bash","command":"\u2028"}`},
		{frames.Note{Name: "host_uri_result", Body: json.RawMessage(`{"id":"u1"}`)}, `{"type":"host_uri_result","id":"u1"}`},
		{frames.Note{Body: json.RawMessage(`as it is`)}, `as it is`},
	} {
		line, err := codec{}.Encode(test.frame)
		if diff := cmp.Diff(test.want, string(line)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", `{"type":7}`, `{"type":"response","id":7}`, `{"type":"response","id":"a","success":true,"data":null}`, "\xff", "[",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		switch in := (codec{}).Decode(line).(type) {
		case reply:
			if in.Fault == nil {
				_ = in.into(new(any))
			}
		case Event:
			if string(in.Raw) != string(line) {
				t.Errorf("%q became %q", line, in.Raw)
			}
		case nil:
			if len(line) > 0 {
				t.Errorf("%q was dropped", line)
			}
		default:
			t.Errorf("%q became %s", line, fmt.Sprintf("%T", in))
		}
	})
}
