package core

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/model/scripted"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/transcript"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	goleak.VerifyTestMain(m)
}

// newAgent begins an agent of the demo model that keeps its sessions in dir.
func newAgent(t *testing.T, dir string) *Agent {
	t.Helper()
	demo := scripted.New(nil)
	a, err := New(t.Context(), Options{
		Models: registry.New(registry.Options{
			Keys: auth.NewSource(nil, nil, auth.Env{}), Scripted: demo.Models(), Providers: map[model.API]model.Provider{model.APIScripted: demo},
		}),
		Transcripts: func(cwd string) transcript.Options { return transcript.Options{Dir: dir, CWD: cwd} },
		System:      func(string) func() []string { return nil },
		Dir:         dir, Emit: func(...event.Event) {},
		Choice: session.Choice{Model: demo.Models()[0], Steering: session.QueueAll, FollowUp: session.QueueAll, Interrupt: session.InterruptWait},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

// ask has a prompt answered and returns the state then.
func ask(t *testing.T, a *Agent, text string) session.State {
	t.Helper()
	accepted, err := a.Prompt(t.Context(), session.Prompt{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	accepted.Release()
	if err := a.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	state, err := a.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestASessionInUseElsewhereIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	elsewhere, err := transcript.Open(filepath.Join(dir, "theirs.jsonl"), transcript.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, dir)
	before := ask(t, a, "hello")
	if _, err := a.NewSession(t.Context(), "", false); err != nil { // a session that has been left is none of it
		t.Fatal(err)
	}
	began := time.Now()
	_, err = a.SwitchSession(t.Context(), elsewhere.Path())
	if fault.CodeOf(err) != fault.Busy || !errors.Is(err, transcript.ErrLocked) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > unwindWait/2 {
		t.Errorf("took %v", took)
	}
	if err := elsewhere.Close(); err != nil {
		t.Error(err)
	}
	if _, err := a.SwitchSession(t.Context(), before.SessionFile); err != nil {
		t.Error(err)
	}
	if after := ask(t, a, "again"); after.MessageCount != 4 {
		t.Errorf("%d messages", after.MessageCount)
	}
}

func TestAReloadThatFailsBeginsANewSession(t *testing.T) {
	a := newAgent(t, t.TempDir())
	before := ask(t, a, "hello")
	if err := os.WriteFile(before.SessionFile, []byte("not a session\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := a.SwitchSession(t.Context(), before.SessionFile)
	if err == nil || !strings.HasSuffix(err.Error(), "; a new session was begun instead") {
		t.Errorf("error %v", err)
	}
	if after := ask(t, a, "hello"); after.SessionID == before.SessionID || after.MessageCount != 2 {
		t.Errorf("%+v", after)
	}
	if data, err := os.ReadFile(before.SessionFile); err != nil || string(data) != "not a session\n" {
		t.Errorf("the file was touched: %q, %v", data, err)
	}
}
