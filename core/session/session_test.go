package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	goleak.VerifyTestMain(m)
}

// speaks is a registry of one provider that is one function.
type speaks func(ctx context.Context, r *model.Request, d *model.Draft) error

func (f speaks) Provider(*model.Model) (model.Provider, error)     { return f, nil }
func (f speaks) HasKey(*model.Model) bool                          { return true }
func (f speaks) Key(context.Context, *model.Model) (string, error) { return "", nil }
func (f speaks) FindRef(string) (*model.Model, bool)               { return nil, false }

func (f speaks) Stream(c context.Context, r *model.Request, d *model.Draft) error { return f(c, r, d) }

func answers(text string) speaks {
	return func(_ context.Context, _ *model.Request, d *model.Draft) error { d.Text(text); return nil }
}

// hangs is a tool that ends when it is told to.
type hangs struct{}

func (hangs) Spec() tool.Spec {
	return tool.Spec{Name: "hangs", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (hangs) Run(ctx context.Context, _ tool.Call) (tool.Output, error) {
	<-ctx.Done()
	return tool.Output{}, context.Cause(ctx)
}

// begin runs a session that nobody listens to until ctx ends.
func begin(ctx context.Context, t *testing.T, models Models, dir string) *Session {
	t.Helper()
	log, err := transcript.New(transcript.Options{Dir: dir, CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{
		Log: log, Models: models, Dir: t.TempDir(), Emit: func(...event.Event) {},
		Tools:  func() tool.Set { return tool.NewSet(hangs{}) },
		Choice: Choice{Model: &model.Model{ID: "m", Provider: "p"}, Steering: QueueAll, FollowUp: QueueAll, Interrupt: InterruptImmediate},
	})
	go s.Loop(ctx)
	return s
}

// say gives a prompt and lets it begin.
func say(t *testing.T, s *Session, text string) {
	t.Helper()
	accepted, err := s.Prompt(t.Context(), Prompt{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	accepted.Release()
}

var errPulled = errors.New("the plug was pulled")

func TestHardStopWhileAToolRunsStillRecordsItsResult(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, pull := context.WithCancelCause(t.Context())
		s := begin(ctx, t, speaks(func(_ context.Context, _ *model.Request, d *model.Draft) error {
			d.CallStart("c", "hangs")
			return nil
		}), dir)
		say(t, s, "go")
		synctest.Wait()
		pull(errPulled)
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
	var got []string
	for _, m := range log.Messages() {
		switch m := m.(type) {
		case *message.ToolResult:
			got = append(got, "result: "+m.Content.Text())
		case *message.Assistant:
			got = append(got, fmt.Sprintf("%s %s", m.StopReason, m.ErrorMessage))
		default:
			got = append(got, string(m.Speaker()))
		}
	}
	if diff := cmp.Diff([]string{"user", "toolUse ", "result: the plug was pulled", "aborted the plug was pulled"}, got); diff != "" {
		t.Error(diff)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheDeadlineEndsTheRunAndRefusesTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, pull := context.WithCancel(t.Context())
		s := begin(ctx, t, speaks(func(ctx context.Context, _ *model.Request, _ *model.Draft) error {
			<-ctx.Done()
			return ctx.Err()
		}), "")
		s.opts.Deadline = time.Now().Add(time.Minute)
		began := time.Now()
		say(t, s, "go")
		if err := s.Settled(t.Context()); err != nil || time.Since(began) != time.Minute {
			t.Errorf("settled after %v: %v", time.Since(began), err)
		}
		messages, err := s.Messages(t.Context())
		if a, ok := messages[len(messages)-1].(*message.Assistant); err != nil || !ok || a.ErrorMessage != errTimeUp.Error() {
			t.Errorf("the run ended with %v, %v", messages[len(messages)-1], err)
		}
		if _, err := s.Prompt(t.Context(), Prompt{Text: "again"}); !errors.Is(err, errTimeUp) {
			t.Errorf("the next prompt: %v", err)
		}
		pull()
		<-s.Done()
	})
}

func TestHardStopDoesNotWaitForCommandsThatNeverBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, pull := context.WithCancelCause(t.Context())
		s := begin(ctx, t, answers("ok"), "")
		if _, err := s.Bash(t.Context(), "true"); err != nil {
			t.Fatal(err)
		}
		pull(errPulled)
		<-s.Done()
	})
}

func TestACommandThatEndsBehindItsSessionStillGivesItsResult(t *testing.T) {
	ctx, pull := context.WithCancelCause(t.Context())
	s := begin(ctx, t, answers("ok"), "")
	s.opts.Shell = shell.New(shell.Options{Spares: -1})
	run, err := s.Bash(t.Context(), "sleep 60")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan shell.Result, 1)
	go func() {
		result, err := run(t.Context())
		if err != nil {
			t.Error(err)
		}
		ended <- result
	}()
	pull(errPulled)
	<-s.Done()
	if result := <-ended; !result.Cancelled {
		t.Errorf("result %+v", result)
	}
	if err := s.opts.Shell.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestASessionThatWasStoppedEndsOnlyBehindItsCommands(t *testing.T) {
	s := begin(t.Context(), t, answers("ok"), "")
	s.opts.Shell = shell.New(shell.Options{Spares: -1})
	run, err := s.Bash(t.Context(), "echo whole")
	if err != nil {
		t.Fatal(err)
	}
	s.Finish(t.Context(), errPulled)
	if result, err := run(t.Context()); err != nil || result.Output != "whole\n" {
		t.Errorf("%+v, %v", result, err)
	}
	<-s.Done()
	if err := s.opts.Shell.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAnEndedSessionSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t.Context(), t, answers("ok"), "")
		s.Stop(t.Context(), errPulled, true)
		<-s.Done()
		for name, call := range map[string]func() error{
			"State":   func() error { _, err := s.State(t.Context()); return err },
			"Prompt":  func() error { _, err := s.Prompt(t.Context(), Prompt{}); return err },
			"Bash":    func() error { _, err := s.Bash(t.Context(), ""); return err },
			"Settled": func() error { return s.Settled(t.Context()) },
		} {
			if err := call(); !errors.Is(err, ErrClosed) || err.Error() != "The session has ended" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestThousandsOfRunsLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, pull := context.WithCancelCause(t.Context())
		s := begin(ctx, t, answers("ok"), "")
		const runs = 999
		for i := range runs {
			say(t, s, "go")
			if i%3 == 0 {
				if _, err := s.FollowUp(t.Context(), Prompt{Text: "and"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Settled(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if err := s.do(t.Context(), func(st *state) {
			if len(st.messages) != 2*(runs+runs/3) {
				t.Errorf("%d messages", len(st.messages))
			}
			if st.run != nil || len(st.next)+len(st.late)+len(st.bash)+len(st.queues.followUp)+len(st.queues.steering)+len(st.callIDs) > 0 {
				t.Errorf("left behind: %+v", *st)
			}
		}); err != nil {
			t.Error(err)
		}
		pull(errPulled)
		<-s.Done()
	})
}

func TestWithoutAKeyThePromptThatWasAcceptedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, pull := context.WithCancelCause(t.Context())
		models := &keyless{answers("ok"), false}
		s := begin(ctx, t, models, "")
		failed := make(chan error, 1)
		accepted, err := s.Prompt(t.Context(), Prompt{Text: "go", Fail: func(err error) { failed <- err }})
		if err != nil {
			t.Fatal(err)
		}
		models.gone = true
		accepted.Release()
		if err := <-failed; err == nil || err.Error() != "No API key found for p. Set it in the environment or in models.yml." {
			t.Error(err)
		}
		if state, err := s.State(t.Context()); err != nil || state.IsStreaming || state.MessageCount > 0 {
			t.Errorf("%+v, %v", state, err)
		}
		if _, err := s.Prompt(t.Context(), Prompt{Text: "again"}); err == nil {
			t.Error("a prompt was accepted without a key")
		}
		pull(errPulled)
		<-s.Done()
	})
}

// keyless is a registry that loses its key.
type keyless struct {
	speaks
	gone bool
}

func (k *keyless) HasKey(*model.Model) bool { return !k.gone }

func TestBackoffDoublesUpToItsLimitAndHearsTheProvider(t *testing.T) {
	for attempt, most := range map[int]time.Duration{1: time.Second / 2, 2: time.Second, 5: maxBackoff, 60: maxBackoff} {
		for range 100 {
			if d := backoff(attempt, 500, &model.Error{}); d > most || d < most*3/4 {
				t.Fatalf("attempt %d waits %v, want between %v and %v", attempt, d, most*3/4, most)
			}
		}
	}
	if d := backoff(1, 500, &model.Error{RetryAfter: time.Minute}); d != time.Minute {
		t.Errorf("asked for a minute, waits %v", d)
	}
	if d := backoff(1, 500, &model.Error{Class: model.ClassUsageLimit}); d != quotaWait {
		t.Errorf("a usage limit without a time waits %v", d)
	}
	if d := backoff(60, 1<<40, &model.Error{}); d < maxBackoff*3/4 {
		t.Errorf("doubling many years waits %v", d)
	}
}
