package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/model/scripted"
	conversation "veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/resolve"
	"veyyon.dev/veyyon/core/tool/todo"
	"veyyon.dev/veyyon/core/tool/write"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/stages"
)

// A client is a client of a whole server: pipe, router, sessions, and a model that
// plays a script. Inside a synctest bubble no wait costs time.
type client struct {
	t       *testing.T
	dir     string
	stdin   *io.PipeWriter
	written chan frame // closed at the server's end
	ended   chan error
	lastID  int
	answer  func(method string, params json.RawMessage) string // the answer to a request of the server: a result as JSON, or "" for none
	log     []frame
}

// frame is a line of the server.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// update is what a session/update tells.
type update struct {
	SessionID string `json:"sessionId"`
	Update    struct {
		Kind    string          `json:"sessionUpdate"`
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"toolCallId"`
		Status  string          `json:"status"`
		Mode    string          `json:"currentModeId"`
	} `json:"update"`
}

// short is a frame in a few words.
func (f frame) short() string {
	switch {
	case f.Method == "session/update":
		var u update
		_ = json.Unmarshal(f.Params, &u) // a frame of ours
		var text struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(u.Update.Content, &text) // else there is none
		return strings.Join(strings.Fields(u.Update.Kind+" "+u.Update.Status+u.Update.Mode+" "+text.Text), " ")
	case f.Method != "":
		return "asks " + f.Method
	case f.Error != nil:
		return fmt.Sprintf("%s error %d %s", f.ID, f.Error.Code, f.Error.Message)
	}
	var result struct {
		StopReason string `json:"stopReason"`
	}
	_ = json.Unmarshal(f.Result, &result) // else there is none
	return strings.TrimSpace(string(f.ID) + " " + result.StopReason)
}

// connect starts a server in a bubble whose model plays the script; policy says
// which calls are asked about.
func connect(t *testing.T, script string, policy approval.Policy, caps string) *client {
	t.Helper()
	play, err := scripted.Parse("script", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, dir: t.TempDir(), written: make(chan frame, 1<<16), ended: make(chan error, 1)}
	theirs, stdin := io.Pipe()
	c.stdin = stdin
	stdout, ours := io.Pipe()
	go func() { // ends with the pipe
		defer close(c.written)
		lines := bufio.NewScanner(stdout)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var f frame
			if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
				t.Errorf("%v: %s", err, lines.Text())
			}
			c.written <- f
		}
	}()
	go func() { // likewise
		err := stages.Pipe(t.Context(), theirs, ours, NewCodec(), c.middle(play, policy), stages.Options{})
		_ = ours.Close()
		c.ended <- err
	}()
	c.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+caps+`}`)
	return c
}

// middle joins server and router as the program does.
func (c *client) middle(play *scripted.Play, policy approval.Policy) stages.Middle {
	models := registry.New(registry.Options{
		Keys: auth.NewSource(nil, nil, auth.Env{}), Scripted: scripted.New(play).Models(),
		Providers: map[model.API]model.Provider{model.APIScripted: scripted.New(play)},
	})
	script, _ := models.Find(scripted.ID, scripted.Script)
	transcripts := func(dir string) transcript.Options {
		return transcript.Options{CWD: dir, Dir: transcript.Dir(c.dir, dir)}
	}
	return func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
		ledger := router.NewLedger(ctx, out, router.DecimalIDs())
		server := NewServer(ctx, out, ledger, Options{
			Folder: func(dir string) string { return transcripts(dir).Dir }, Sessions: c.dir, Version: "test",
			Open: func(ctx context.Context, w Wanted) (*core.Agent, error) {
				o := core.Options{
					Models: models, Scope: models.All(), Transcripts: transcripts, Dir: w.Dir, Emit: w.Client.Emit, Plans: true,
					System: func(string) func() []string { return nil },
					Tools: tool.NewSet(waits{}, todo.New(todo.Options{}), resolve.New(w.Client.Planner),
						write.New(write.Options{Local: conversation.Local})),
					Approval: &approval.Options{Policy: policy, Approver: w.Client.Approver, Remember: true, Kinds: true, Texts: PermissionTexts},
					Choice:   conversation.Choice{Model: script, Thinking: model.LevelOff, Interrupt: conversation.InterruptImmediate},
				}
				if w.Path != "" {
					log, err := transcript.Open(w.Path, transcripts(w.Dir))
					if err != nil {
						return nil, err
					}
					o.Resume = log
				}
				return core.New(ctx, o)
			},
		})
		return router.Run(ctx, inbound, out, server.Table(), ledger, router.Options{OnEOF: server.End})
	}
}

// waits is a tool that waits as long as it is told, and hears its abort.
type waits struct{}

func (waits) Spec() tool.Spec {
	return tool.Spec{Name: "wait", Parameters: json.RawMessage(`{"type":"object"}`), Tier: tool.TierExec}
}

func (waits) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Seconds int `json:"seconds"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	select {
	case <-time.After(time.Duration(args.Seconds) * time.Second):
		return tool.TextOutput("waited"), nil
	case <-ctx.Done():
		return tool.Output{}, errors.New("told to stop")
	}
}

func (c *client) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// send sends a request and returns its id.
func (c *client) send(method, params string) int {
	c.t.Helper()
	c.lastID++
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.lastID, method, params))
	return c.lastID
}

func (c *client) notify(method, params string) {
	c.t.Helper()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// next takes the next frame, and answers it if it is a request.
func (c *client) next() (frame, bool) {
	c.t.Helper()
	select {
	case f, ok := <-c.written:
		if ok {
			c.log = append(c.log, f)
		}
		if f.Method != "" && f.ID != nil && c.answer != nil {
			if result := c.answer(f.Method, f.Params); result != "" {
				c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, result))
			}
		}
		return f, ok
	case <-time.After(time.Hour):
		c.t.Fatalf("nothing for an hour, after %s", c.shorts(c.log))
		return frame{}, false
	}
}

// until takes frames up to the one that is so, and returns them.
func (c *client) until(so func(frame) bool) (list []frame) {
	c.t.Helper()
	for {
		f, ok := c.next()
		if !ok {
			c.t.Fatalf("the server has ended, after %s", c.shorts(c.log))
		}
		list = append(list, f)
		if so(f) {
			return list
		}
	}
}

// settle takes frames up to the answer to a request.
func (c *client) settle(id int) []frame {
	c.t.Helper()
	return c.until(func(f frame) bool { return f.Method == "" && string(f.ID) == fmt.Sprint(id) })
}

// call sends a request and returns its answer.
func (c *client) call(method, params string) frame {
	c.t.Helper()
	list := c.settle(c.send(method, params))
	return list[len(list)-1]
}

// begin opens a session and returns its id.
func (c *client) begin() string {
	c.t.Helper()
	var opened struct {
		SessionID string `json:"sessionId"`
	}
	f := c.call("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, c.dir))
	if err := json.Unmarshal(f.Result, &opened); err != nil {
		c.t.Fatalf("%v: %+v", err, f)
	}
	return opened.SessionID
}

// prompt sends a prompt and returns its id.
func (c *client) prompt(session, text string) int {
	c.t.Helper()
	return c.send("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text))
}

// shorts are frames in short, without what comes some time after a session has
// been opened.
func (c *client) shorts(list []frame) (out []string) {
	for _, f := range list {
		switch s := f.short(); s {
		case "available_commands_update", "session_info_update", "usage_update", "config_option_update":
		default:
			out = append(out, s)
		}
	}
	return out
}

// hangUp ends the input and waits for the server.
func (c *client) hangUp() {
	c.t.Helper()
	_ = c.stdin.Close()
	for range c.written { // to the end
	}
	if err := <-c.ended; err != nil {
		c.t.Errorf("the server: %v", err)
	}
}

// inBubble runs a test with a server.
func inBubble(t *testing.T, script string, policy approval.Policy, caps string, test func(t *testing.T, c *client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, script, policy, caps)
		test(t, c)
		c.hangUp()
	})
}
