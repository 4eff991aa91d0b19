package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/approval"
	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/scripted"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/skill"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/template"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/task"
	"veyyon.dev/veyyon/core/tool/todo"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/stages"
)

// A talk is a host's conversation with a whole agent: pipe, router, session,
// and a model that plays a script. Inside a synctest bubble no wait costs time.
type talk struct {
	t       *testing.T
	dir     string // of the session files
	stdin   *io.PipeWriter
	written chan string // lines of the agent, closed at its end
	ended   chan error  // the result of the pipe
	limit   time.Duration

	log   []frame
	names *names

	mu       sync.Mutex
	requests []string // what the model was asked, in short
	faults   []string // what was wrong with a request
}

// talkOptions are what conversations differ in.
type talkOptions struct {
	script string
	shell  *shell.Runner     // nil unless bash is used
	drain  bool              // as --drain does
	files  map[string][]byte // of the folder, before anything begins
	// approval says which tool calls run; nil lets all.
	approval *approval.Options
}

// startTalk begins a conversation; the caller ends it with hangUp.
func startTalk(t *testing.T, o talkOptions) *talk {
	t.Helper()
	play, err := scripted.Parse("script", []byte(o.script))
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, dir: t.TempDir(), written: make(chan string, 1<<16), ended: make(chan error, 1), limit: time.Minute, names: newNames()}
	k.names.given[k.dir] = "$dir"
	for name, data := range o.files {
		writeFile(t, filepath.Join(k.dir, name), data)
	}
	hostOut, stdin := io.Pipe()
	k.stdin = stdin
	stdout, hostIn := io.Pipe()
	models := registry.New(registry.Options{
		Keys: auth.NewSource(nil, nil, auth.Env{}), Scripted: scripted.New(play).Models(),
		Providers: map[model.API]model.Provider{model.APIScripted: k.listening(scripted.New(play))},
	})
	go func() { // ends with the pipe
		defer close(k.written)
		lines := bufio.NewScanner(stdout)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			k.written <- lines.Text()
		}
	}()
	go func() { // likewise
		err := stages.Pipe(t.Context(), hostOut, hostIn, NewCodec(), k.middle(o, models), stages.Options{})
		_ = hostIn.Close()
		k.ended <- err
	}()
	return k
}

// middle joins agent and router as the program does.
func (k *talk) middle(o talkOptions, models *registry.Registry) stages.Middle {
	return func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
		if err := Ready(ctx, out); err != nil {
			return err
		}
		ledger := router.NewLedger(ctx, out, router.HexIDs())
		uris := NewURIs(ledger)
		sink := NewSink(ctx, out)
		if o.approval != nil {
			o.approval.Approver = approval.Dialogs{UI: UI{Ledger: ledger}}
		}
		script, _ := models.Find(scripted.ID, scripted.Script)
		team := subagent.New(subagent.Options{
			Concurrency: 1, Depth: 2, Resolve: func(string) (*model.Model, model.Level, bool) { return nil, "", false },
		})
		tools := append(testTools(), task.New(task.Options{Team: team, Dir: k.dir, Batch: true, Async: true}))
		agent, err := core.New(ctx, core.Options{
			Models: models, Scope: models.All(), Tools: tool.NewSet(tools...), Team: team, MaxJobs: 8,
			Compaction: session.Compaction{Limits: compaction.Limits{KeepRecent: 20}}, HostTools: Tools{Ledger: ledger}, Shell: o.shell,
			Transcripts: func(dir string) transcript.Options { return transcript.Options{CWD: dir, Dir: k.dir} },
			System:      func(string) func() []string { return func() []string { return []string{"be good"} } },
			Dir:         k.dir, Emit: sink.Emit, BackgroundLimit: 4, Approval: o.approval,
			Skills: skill.NewLibrary(skill.Sources{Agent: filepath.Join(k.dir, "agent")}), SkillCommands: true,
			Templates: template.NewLibrary(template.Sources{Agent: filepath.Join(k.dir, "agent")}),
			Retry:     session.Retry{Max: 2, BaseDelayMs: 500, MaxDelayMs: 60_000},
			Choice: session.Choice{
				Model: script, Thinking: model.LevelHigh, Steering: session.QueueOneAtATime, FollowUp: session.QueueOneAtATime,
				Interrupt: session.InterruptImmediate, AutoRetry: true,
			},
		})
		if err != nil {
			return err
		}
		agent.Announce()
		opts := router.Options{OnEOF: func(finishing context.Context) {
			if o.drain {
				_ = agent.Settled(ctx)
			}
			agent.EndOfInput(finishing)
			_ = agent.AbortBash(finishing)
		}}
		failed := router.Run(ctx, inbound, out, Table(agent, uris, sink, nil), ledger, opts)
		lingering, over := context.WithTimeout(ctx, 5*time.Second)
		defer over()
		agent.Linger(lingering)
		return errors.Join(failed, agent.Stop(context.WithoutCancel(ctx)))
	}
}

// listens is a provider that notes what it is asked.
type listens struct {
	model.Provider
	note func(*model.Request)
}

func (l listens) Stream(ctx context.Context, r *model.Request, d *model.Draft) error {
	l.note(r)
	return l.Provider.Stream(ctx, r, d)
}

func (k *talk) listening(p model.Provider) model.Provider {
	return listens{p, func(r *model.Request) {
		messages := replay.Conversation(r, replay.Rules{})
		parts := make([]string, len(messages))
		for i, m := range messages {
			raw, err := json.Marshal(m)
			if err != nil {
				k.t.Error(err)
			}
			parts[i] = k.names.of(shortMessage(decoded(raw)))
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		forced := ""
		if r.Force != "" {
			forced = " forced to " + r.Force
		}
		k.requests = append(k.requests, fmt.Sprintf("%s %s%s: %s", r.Model.ID, r.Thinking, forced, strings.Join(parts, " / ")))
		if wrong := unfit(messages); wrong != "" {
			k.faults = append(k.faults, fmt.Sprintf("request %d: %s", len(k.requests), wrong))
		}
	}}
}

// unfit says what a provider would refuse; "" is nothing.
func unfit(messages []message.Message) string {
	var open []*message.ToolCall
	for i, m := range messages {
		result, isResult := m.(*message.ToolResult)
		switch {
		case isResult && (len(open) == 0 || open[0].ID != result.ToolCallID):
			return fmt.Sprintf("message %d: a result of %s that no call waits for", i, result.ToolCallID)
		case isResult:
			open = open[1:]
		case len(open) > 0:
			return fmt.Sprintf("message %d: a %s before the result of %s", i, m.Speaker(), open[0].ID)
		}
		if a, ok := m.(*message.Assistant); ok {
			open = a.Content.ToolCalls()
		}
	}
	if len(open) > 0 {
		return "calls without a result at the end"
	}
	return ""
}

// send writes the lines in one write.
func (k *talk) send(lines ...string) {
	k.t.Helper()
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(k.names.back(line), "$dir", k.dir)
	}
	if _, err := io.WriteString(k.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		k.t.Fatal(err)
	}
}

// next takes the next frame; ok is false at the end of the output.
func (k *talk) next() (frame, bool) {
	k.t.Helper()
	select {
	case line, ok := <-k.written:
		if !ok {
			return frame{}, false
		}
		f := newFrame(line, k.names)
		k.log = append(k.log, f)
		return f, true
	case <-time.After(k.limit):
		k.t.Fatalf("nothing comes after\n%s", transcriptOf(k.log))
		return frame{}, false
	}
}

// wait takes frames until one begins like this, in short.
func (k *talk) wait(prefix string) frame {
	k.t.Helper()
	for {
		f, ok := k.next()
		if !ok {
			k.t.Fatalf("%q did not come:\n%s", prefix, transcriptOf(k.log))
		}
		if strings.HasPrefix(f.short, prefix) {
			return f
		}
	}
}

// settle waits until nothing moves, and takes what has been written.
func (k *talk) settle() {
	k.t.Helper()
	synctest.Wait()
	for len(k.written) > 0 {
		k.next()
	}
}

// hangUp ends the input and waits for the end.
func (k *talk) hangUp() {
	k.t.Helper()
	_ = k.stdin.Close() // a pipe of our own
	for {
		if _, ok := k.next(); !ok {
			break
		}
	}
	if err := <-k.ended; err != nil {
		k.t.Error(err)
	}
}

// stored is what the session files hold: the conversation of each, and how often
// a user message of each text is in it, compacted or not.
func (k *talk) stored() (conversations map[string][]message.Message, said map[string]map[string]int) {
	k.t.Helper()
	files, err := filepath.Glob(filepath.Join(k.dir, "*.jsonl"))
	if err != nil {
		k.t.Fatal(err)
	}
	conversations, said = map[string][]message.Message{}, map[string]map[string]int{}
	for _, file := range files {
		log, err := transcript.Open(file, transcript.Options{})
		if err != nil {
			k.t.Fatal(err)
		}
		conversations[file], said[file] = log.Messages(), map[string]int{}
		for _, e := range log.Entries() {
			if body, ok := log.Body(e).(*transcript.Message); ok && e.Role == message.RoleUser {
				said[file][body.Message.(*message.User).Content.Text()]++
			}
		}
		if err := log.Close(); err != nil {
			k.t.Error(err)
		}
	}
	return conversations, said
}

// does is a tool that is one function.
type does struct {
	name      string
	exclusive bool
	run       func(ctx context.Context, call tool.Call, ms time.Duration) (tool.Output, error)
}

func (d does) Spec() tool.Spec {
	return tool.Spec{Name: d.name, Exclusive: d.exclusive, Parameters: json.RawMessage(`{"type":"object","properties":{"ms":{"type":"integer"}}}`)}
}

func (d does) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		MS int `json:"ms"`
	}
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return tool.Output{}, err
	}
	return d.run(ctx, call, time.Duration(args.MS)*time.Millisecond)
}

// testTools are wait (ends early when told to), alone (the same, exclusive),
// stubborn (does not hear), chatty (reports twice) and broken (panics).
func testTools() []tool.Tool {
	wait := func(ctx context.Context, _ tool.Call, d time.Duration) (tool.Output, error) {
		select {
		case <-time.After(d):
			return tool.TextOutput("waited"), nil
		case <-ctx.Done():
			return tool.Output{}, errors.New("told to stop")
		}
	}
	return []tool.Tool{
		does{"wait", false, wait},
		does{"alone", true, wait},
		does{"stubborn", false, func(_ context.Context, _ tool.Call, d time.Duration) (tool.Output, error) {
			time.Sleep(d)
			return tool.TextOutput("done all the same"), nil
		}},
		does{"chatty", false, func(_ context.Context, call tool.Call, _ time.Duration) (tool.Output, error) {
			call.Update(tool.TextOutput("one"))
			call.Update(tool.TextOutput("two"))
			return tool.TextOutput("three"), nil
		}},
		does{"broken", false, func(context.Context, tool.Call, time.Duration) (tool.Output, error) { panic("boom") }},
		todo.New(todo.Options{}),
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
