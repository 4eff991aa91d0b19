package subagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/task"
	"veyyon.dev/veyyon/core/transcript"
)

// A role is how a session answers its requests: said is its first prompt, step
// how many answers it has given.
type role func(ctx context.Context, said string, step int, r *model.Request, d *model.Draft) error

func (f role) Provider(*model.Model) (model.Provider, error)     { return f, nil }
func (f role) HasKey(*model.Model) bool                          { return true }
func (f role) Key(context.Context, *model.Model) (string, error) { return "", nil }
func (f role) FindRef(string) (*model.Model, bool)               { return nil, false }

func (f role) Stream(ctx context.Context, r *model.Request, d *model.Draft) error {
	said, step := "", 0
	for _, m := range r.Messages {
		switch m := m.(type) {
		case *message.User:
			if said == "" {
				said = m.Content.Text()
			}
		case *message.Assistant:
			step++
		}
	}
	d.Usage(message.Usage{Input: 1}, r.Model.Cost)
	return f(ctx, said, step, r, d)
}

// calls makes an answer of one tool call.
func calls(d *model.Draft, name string, args any) error {
	raw, err := message.Marshal(args)
	if err != nil {
		return err
	}
	d.CallStart("", name)
	d.CallArguments(string(raw))
	d.CloseBlock()
	return nil
}

type object = map[string]any

func reports(d *model.Draft, text string) error { return calls(d, "yield", object{"report": text}) }

// passes waits, and fails when ctx ends first.
func passes(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// look is a tool that finds nothing.
type look struct{}

func (look) Spec() tool.Spec {
	return tool.Spec{Name: "read", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (look) Run(context.Context, tool.Call) (tool.Output, error) {
	return tool.TextOutput("nothing"), nil
}

// A stage is a session with the task tool, and what its host was told.
type stage struct {
	team *subagent.Team
	top  *session.Session

	mu   sync.Mutex
	told []event.Event
}

func play(t *testing.T, dir string, opts subagent.Options, f role) *stage {
	t.Helper()
	return playWith(t, dir, transcript.Options{Dir: dir, CWD: dir}, opts, f)
}

// playWith is play with a transcript elsewhere, and with more tools.
func playWith(t *testing.T, dir string, place transcript.Options, opts subagent.Options, f role, more ...tool.Tool) *stage {
	t.Helper()
	if opts.Resolve == nil {
		opts.Resolve = func(string) (*model.Model, model.Level, bool) { return nil, "", false }
	}
	opts.Depth = 2
	s := &stage{team: subagent.New(opts)}
	s.team.Subscribe(subagent.LevelProgress)
	log, err := transcript.New(place)
	if err != nil {
		t.Fatal(err)
	}
	tools := tool.NewSet(look{}, put{}, task.New(task.Options{Team: s.team, Dir: dir, Batch: true, Async: true})).With(more...)
	s.top = session.New(session.Options{
		Log: log, Dir: dir, MaxJobs: 8, Models: f, Tools: func() tool.Set { return tools },
		Choice: session.Choice{Model: &model.Model{ID: "m", Provider: "p"}, Steering: session.QueueAll, FollowUp: session.QueueAll, Interrupt: session.InterruptImmediate},
		Emit: func(events ...event.Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.told = append(s.told, events...)
		},
	})
	go s.top.Loop(context.WithoutCancel(t.Context())) // ends with end
	return s
}

// prompt says something, without waiting for the answer.
func (s *stage) prompt(t *testing.T, text string) {
	t.Helper()
	accepted, err := s.top.Prompt(t.Context(), session.Prompt{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	accepted.Release()
}

var errPulled = errors.New("the test is over")

// end stops the session; then nothing may be left.
func (s *stage) end(t *testing.T) {
	t.Helper()
	s.top.Stop(t.Context(), errPulled, false)
	<-s.top.Done()
	synctest.Wait()
	if !s.team.Rests() {
		t.Error("an agent or a slot is left")
	}
}

// results are those of the tool calls that have ended, in order.
func (s *stage) results(t *testing.T) (list []task.Details) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.told {
		if end, ok := e.(event.ToolEnd); ok && end.ToolName == "task" && len(end.Result.Details) > 0 {
			var d task.Details
			if err := json.Unmarshal(end.Result.Details, &d); err != nil {
				t.Error(err)
			}
			list = append(list, d)
		}
	}
	return list
}

// lives are the lifecycle frames in short, and what is wrong with their order.
func (s *stage) lives() (list, wrong []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[string]string{} // the call, by agent
	for _, e := range s.told {
		switch e := e.(type) {
		case event.SubagentLifecycle:
			life := e.Payload
			list = append(list, life.ID+" "+string(life.Status))
			if _, is := open[life.ID]; is == (life.Status == event.AgentStarted) {
				wrong = append(wrong, fmt.Sprintf("%s of %s, which is open: %v", life.Status, life.ID, is))
			}
			delete(open, life.ID)
			if life.Status == event.AgentStarted && !life.Detached {
				open[life.ID] = life.ParentToolCallID
			} else if life.Status == event.AgentStarted {
				open[life.ID] = "" // it may outlive the call
			}
		case event.SubagentProgress:
			if _, is := open[e.Payload.Progress.ID]; !is {
				wrong = append(wrong, "progress of "+e.Payload.Progress.ID+" outside of its life")
			}
		case event.ToolEnd:
			for id, call := range open {
				if call == e.ToolCallID {
					wrong = append(wrong, fmt.Sprintf("the call %s ends before its agent %s", call, id))
				}
			}
		}
	}
	for id := range open {
		wrong = append(wrong, id+" has no end")
	}
	return list, wrong
}

// asks is the usual part of the session at the top: it hands over these tasks,
// and is then done.
func asks(step int, d *model.Draft, args object) error {
	if step == 0 {
		return calls(d, "task", args)
	}
	d.Text("thanks")
	return nil
}
