package session

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// starter is a tool that begins a job which takes so many seconds.
type starter struct{ seconds int }

func (starter) Spec() tool.Spec {
	return tool.Spec{Name: "starter", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (s starter) Run(_ context.Context, call tool.Call) (tool.Output, error) {
	board, ok := Board(call.Session)
	if !ok {
		return tool.Output{}, fmt.Errorf("there is no board")
	}
	id, err := board.Start(job.Bash, "sleep", func(ctx context.Context, _ func(string)) job.Result {
		select {
		case <-time.After(time.Duration(s.seconds) * time.Second):
			return job.Result{Text: "slept"}
		case <-ctx.Done():
			return job.Result{Text: "woken", Failed: true}
		}
	})
	return tool.TextOutput("started " + id), err
}

// jobbing runs a session whose first answer begins a job; the others take so
// many seconds each.
func jobbing(t *testing.T, dir string, seconds, answer int) *Session {
	t.Helper()
	log, err := transcript.New(transcript.Options{Dir: dir, CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	first := true
	s := New(Options{
		Log: log, Dir: dir, MaxJobs: 3, Emit: func(...event.Event) {},
		Models: speaks(func(ctx context.Context, r *model.Request, d *model.Draft) error {
			if first {
				first = false
				d.CallStart("c", "starter")
				return nil
			}
			select {
			case <-time.After(time.Duration(answer) * time.Second):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			d.Text("ok")
			return nil
		}),
		Tools:  func() tool.Set { return tool.NewSet(starter{seconds}) },
		Choice: Choice{Model: &model.Model{ID: "m", Provider: "p"}, Steering: QueueAll, FollowUp: QueueAll, Interrupt: InterruptImmediate},
	})
	go s.Loop(t.Context())
	return s
}

// said is the conversation in short.
func said(messages []message.Message) (list []string) {
	for _, m := range messages {
		switch m := m.(type) {
		case *message.Custom:
			list = append(list, m.CustomType+": "+m.Content.Text())
		case *message.Assistant:
			list = append(list, "assistant "+string(m.StopReason))
		default:
			list = append(list, string(m.Speaker()))
		}
	}
	return list
}

const sleptText = "async-result: Background job bash-1 (sleep) completed after 10s:\nslept"

func TestAFinishedJobIsToldOnce(t *testing.T) {
	for name, c := range map[string]struct {
		answer int // seconds each answer takes
		during func(t *testing.T, s *Session)
		want   []string
	}{
		"idle: it begins a run": {
			0, func(*testing.T, *Session) {},
			[]string{"user", "assistant toolUse", "toolResult", "assistant stop", sleptText, "assistant stop"},
		},
		"parked: with the next prompt": {
			0, func(t *testing.T, s *Session) {
				time.Sleep(time.Second)
				if err := s.Park(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(20 * time.Second)
				say(t, s, "go on")
			},
			[]string{"user", "assistant toolUse", "toolResult", "assistant stop", sleptText, "user", "assistant stop"},
		},
		"streaming: at the end of the answer": {
			15, func(*testing.T, *Session) {},
			[]string{"user", "assistant toolUse", "toolResult", "assistant stop", sleptText, "assistant stop"},
		},
		"just when the answer ends": {
			10, func(*testing.T, *Session) {},
			[]string{"user", "assistant toolUse", "toolResult", "assistant stop", sleptText, "assistant stop"},
		},
		"aborted: with the next prompt": {
			15, func(t *testing.T, s *Session) {
				time.Sleep(time.Second)
				if _, err := s.Abort(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(20 * time.Second)
				say(t, s, "go on")
			},
			[]string{"user", "assistant toolUse", "toolResult", "assistant aborted", sleptText, "user", "assistant stop"},
		},
		"cancelled: never": {
			0, func(t *testing.T, s *Session) {
				time.Sleep(time.Second)
				s.board.CancelAll()
			},
			[]string{"user", "assistant toolUse", "toolResult", "assistant stop"},
		},
		"left: it still goes on, and ends by itself": {
			15, func(t *testing.T, s *Session) {
				if _, _, err := s.Leave(t.Context()); err != nil {
					t.Error(err)
				}
				<-s.Done()
			},
			[]string{"user", "assistant toolUse", "toolResult", "assistant stop", sleptText, "assistant stop"},
		},
		"stopped after an abort: it is on record": {
			15, func(t *testing.T, s *Session) {
				time.Sleep(time.Second)
				if _, err := s.Abort(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(20 * time.Second)
			},
			[]string{"user", "assistant toolUse", "toolResult", "assistant aborted", sleptText},
		},
		"stopped while it runs": {
			15, func(t *testing.T, s *Session) { time.Sleep(time.Second) },
			[]string{"user", "assistant toolUse", "toolResult", "assistant aborted"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s := jobbing(t, dir, 10, c.answer)
				say(t, s, "go")
				c.during(t, s)
				if !strings.HasPrefix(name, "stopped") {
					time.Sleep(time.Minute)
				}
				s.Stop(t.Context(), errPulled, false)
				<-s.Done()
			})
			files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			log, err := transcript.Open(files[0], transcript.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, said(log.Messages())); diff != "" {
				t.Error(diff)
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestALongResultKeepsItsBeginningAndAnArtifact(t *testing.T) {
	dir := t.TempDir()
	log, err := transcript.New(transcript.Options{Dir: dir, CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	st := &state{s: New(Options{Log: log})}
	long := strings.Repeat("é", resultLimit)
	got := st.bounded(job.Job{Kind: job.Bash, Result: job.Result{Text: long}})
	want := long[:resultHead] + fmt.Sprintf("\n\n[The first %d of %d bytes; read artifact://0 for the whole]", resultHead, len(long))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if short := long[:resultLimit]; st.bounded(job.Job{Result: job.Result{Text: short}}) != short {
		t.Error("a short result was cut")
	}
}
