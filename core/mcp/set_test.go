package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// birds is this test binary as a server.
func birds(t *testing.T, role string, env map[string]string) Server {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{actAs: role, "MARSH": "the reeds"}
	for name, value := range env {
		all[name] = value
	}
	return Server{Name: "birds", Transport: Stdio, Command: path, Env: all}
}

// open connects and waits until each server is reached or has failed.
func open(t *testing.T, servers ...Server) *Set {
	t.Helper()
	s := Open(t.Context(), Options{Servers: servers, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}, Version: "test"})
	t.Cleanup(s.Close)
	s.Await(t.Context(), time.Minute)
	return s
}

// wait waits for what other processes do.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after a minute", what)
		}
	}
}

// call runs a tool by its name.
func call(ctx context.Context, t *testing.T, s *Set, name, args string, update func(tool.Output)) (tool.Output, error) {
	t.Helper()
	found, ok := s.Tools().Lookup(name)
	if !ok {
		t.Fatalf("there is no tool %s: %+v", name, s.Statuses())
	}
	if update == nil {
		update = func(tool.Output) {}
	}
	return found.Run(ctx, tool.Call{ID: "c", Args: json.RawMessage(args), Update: update})
}

func connected(s *Set) bool { return s.Statuses()[0].State == Connected }

func TestToolsOfAServerThatAlsoPrints(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "a key of ours")
	s := open(t, birds(t, "noise", nil))
	if !connected(s) {
		t.Fatalf("%+v", s.Statuses())
	}
	heard := make(chan string, 1000)
	hear := func(o tool.Output) { heard <- o.Content.Text() }
	out, err := call(t.Context(), t, s, "mcp__birds__find", `{"bird":"plover"}`, hear)
	if err != nil || out.Content.Text() != `the plover is near the reeds; key ""` {
		t.Errorf("%q, %v", out.Content.Text(), err)
	}
	// A notification right before an answer may be taken in behind it.
	for tries := 0; len(heard) == 0 && tries < 200; tries++ {
		_, _ = call(t.Context(), t, s, "mcp__birds__find", `{"bird":"plover"}`, hear)
	}
	select {
	case text := <-heard:
		if text != "looking 1 of 2" {
			t.Errorf("progress %q", text)
		}
	default:
		t.Error("no progress of 200 calls")
	}
	out, err = call(t.Context(), t, s, "mcp__birds__fail", `{}`, nil)
	if err != nil || !out.IsError || out.Content.Text() != "no such bird" {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = call(t.Context(), t, s, "mcp__birds__picture", `{}`, nil)
	if image, ok := out.Content[0].(*message.Image); err != nil || !ok || image.Data != "YWJj" || image.MimeType != "image/png" {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = call(t.Context(), t, s, "mcp__birds__find", `{"bird":7}`, nil); err != nil || !out.IsError {
		t.Errorf("wrong arguments: %+v, %v", out, err)
	}
	gone := &remote{member: s.members[0], name: "gone"}
	if _, err = gone.Run(t.Context(), tool.Call{Args: json.RawMessage(`{}`), Update: func(tool.Output) {}}); err == nil || !strings.HasPrefix(err.Error(), "MCP error: ") {
		t.Errorf("a tool that has gone: %v", err)
	}
}

func TestPromptsAndResources(t *testing.T) {
	s := open(t, birds(t, "plain", nil))
	if p := s.Prompts(); len(p) != 1 || p[0].Name != "birds:describe" || p[0].Hint != "bird how" {
		t.Fatalf("%+v", p)
	}
	fetch := s.Called("/birds:describe plover as a poem")
	if fetch == nil || s.Called("/birds:other x") != nil || s.Called("birds:describe x") != nil {
		t.Fatal("the wrong prompt is called")
	}
	if text, err := fetch(t.Context()); err != nil || text != "Describe the plover as a poem." {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.Called("/birds:describe")(t.Context()); err == nil || !strings.Contains(err.Error(), "needs the argument bird") {
		t.Errorf("without an argument: %v", err)
	}
	list, err := s.ReadResource(t.Context(), "mcp://birds")
	if err != nil || !strings.HasPrefix(list, "mcp://birds/file:///list.txt: list") {
		t.Errorf("%q, %v", list, err)
	}
	if text, err := s.ReadResource(t.Context(), "mcp://birds/file:///list.txt"); err != nil || text != "plover\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.ReadResource(t.Context(), "mcp://fish/x"); err == nil {
		t.Error("a server that there is not")
	}
}

func TestACrashEndsTheCallAndTheServerComesBack(t *testing.T) {
	s := open(t, birds(t, "plain", nil))
	if _, err := call(t.Context(), t, s, "mcp__birds__crash", `{}`, nil); err == nil {
		t.Error("the call of a crashed server succeeds")
	}
	wait(t, "reconnection", func() bool {
		if !connected(s) {
			return false
		}
		found, ok := s.Tools().Lookup("mcp__birds__find")
		if !ok {
			return false
		}
		out, err := found.Run(t.Context(), tool.Call{Args: json.RawMessage(`{"bird":"owl"}`), Update: func(tool.Output) {}})
		return err == nil && !out.IsError
	})
}

func TestAHangingCallEndsAtItsTimeoutAndItsAbort(t *testing.T) {
	told := filepath.Join(t.TempDir(), "cancelled")
	server := birds(t, "plain", map[string]string{"CANCELLED": told})
	server.Timeout = 20 * time.Second // of connecting, on a loaded machine
	s := open(t, server)
	ctx, abort := context.WithCancelCause(t.Context())
	cause := errors.New("aborted")
	time.AfterFunc(50*time.Millisecond, func() { abort(cause) })
	if _, err := call(ctx, t, s, "mcp__birds__hang", `{}`, nil); !errors.Is(err, cause) {
		t.Errorf("aborted: %v", err)
	}
	wait(t, "cancellation at the server", func() bool { _, err := os.Stat(told); return err == nil })
	s.members[0].server.Timeout = 50 * time.Millisecond // no call is under way
	if _, err := call(t.Context(), t, s, "mcp__birds__hang", `{}`, nil); err == nil || !strings.Contains(err.Error(), "did not answer within") {
		t.Errorf("timed out: %v", err)
	}
}

func TestAServerThatSaysNothingFailsAlone(t *testing.T) {
	silent := birds(t, "silent", nil)
	silent.Name, silent.Timeout = "silent", 200*time.Millisecond
	missing := Server{Name: "missing", Transport: Stdio, Command: "/nowhere/at/all"}
	s := open(t, silent, missing, birds(t, "plain", nil))
	for i, want := range []State{Failed, Failed, Connected} {
		if got := s.Statuses()[i]; got.State != want || (want == Failed) != (got.Err != "") {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	if _, ok := s.Tools().Lookup("mcp__birds__find"); !ok {
		t.Error("the tools of the third are missing")
	}
}

func TestNewToolsAreOffered(t *testing.T) {
	s := open(t, birds(t, "plain", nil))
	told := make(chan struct{}, 100)
	s.Tell(func() { told <- struct{}{} })
	if _, err := call(t.Context(), t, s, "mcp__birds__more", `{}`, nil); err != nil {
		t.Fatal(err)
	}
	wait(t, "new tool", func() bool { _, ok := s.Tools().Lookup("mcp__birds__newcomer"); return ok })
	<-told
}

func TestNothingIsLeftOfAServer(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	s := open(t, birds(t, "grandchild", map[string]string{"PIDFILE": pidFile}))
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	wait(t, "end of the grandchild", func() bool {
		state, err := os.ReadFile("/proc/" + string(raw) + "/stat")
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && strings.Contains(string(state), ") Z ") // nobody has reaped it yet
	})
	if len(s.Tools().Offered()) != 0 {
		// what is closed offers its tools no more, or refuses them
		if _, err := call(t.Context(), t, s, "mcp__birds__find", `{"bird":"x"}`, nil); err == nil {
			t.Error("a closed server answers")
		}
	}
}

func TestServersOnTheNetwork(t *testing.T) {
	guarded := func(h http.Handler) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret-4711" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		return s
	}
	get := func(*http.Request) *mcp.Server { return testServer() }
	streamable, sse := guarded(mcp.NewStreamableHTTPHandler(get, nil)), guarded(mcp.NewSSEHandler(get, nil))
	key := map[string]string{"Authorization": "Bearer secret-4711"}
	s := open(
		t, Server{Name: "one", Transport: HTTP, URL: streamable.URL, Headers: key}, Server{Name: "two", Transport: SSE, URL: sse.URL, Headers: key},
		Server{Name: "three", Transport: HTTP, URL: streamable.URL},
	)
	for _, name := range []string{"one", "two"} {
		out, err := call(t.Context(), t, s, "mcp__"+name+"__find", `{"bird":"owl"}`, nil)
		if err != nil || !strings.HasPrefix(out.Content.Text(), "the owl") {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
	if got := s.Statuses()[2]; got.State != Failed || strings.Contains(got.Err, "4711") {
		t.Errorf("without a key: %+v", got)
	}
}

func TestKeysStayHere(t *testing.T) {
	var heard http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard = r.Header }))
	t.Cleanup(other.Close)
	from := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(from.Close)
	s := open(t, Server{Name: "one", Transport: HTTP, URL: from.URL, Headers: map[string]string{"X-Key": "secret-4711"}})
	if got := s.Statuses()[0]; got.State != Failed || heard != nil {
		t.Errorf("%+v, %v", got, heard)
	}
}
