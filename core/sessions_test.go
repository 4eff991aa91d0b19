package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
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
	return newAgentOf(t, dir, scripted.New(nil), func(event.Event) {})
}

// newAgentOf begins an agent that keeps its sessions in dir, of the last model
// that demo has: its script, if there is one.
func newAgentOf(t *testing.T, dir string, demo *scripted.Provider, emit func(event.Event)) *Agent {
	t.Helper()
	models := demo.Models()
	a, err := New(t.Context(), Options{
		Models: registry.New(registry.Options{
			Keys: auth.NewSource(nil, nil, auth.Env{}), Scripted: models, Providers: map[model.API]model.Provider{model.APIScripted: demo},
		}),
		Transcripts: func(cwd string) transcript.Options { return transcript.Options{Dir: dir, CWD: cwd} },
		System:      func(string) func() []string { return nil },
		Dir:         dir, BackgroundLimit: 1, Emit: func(events ...event.Event) {
			for _, e := range events {
				emit(e)
			}
		},
		Choice: session.Choice{Model: models[len(models)-1], Steering: session.QueueAll, FollowUp: session.QueueAll, Interrupt: session.InterruptWait},
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
	synctest.Test(t, func(t *testing.T) {
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
		_, _, err = a.SwitchSession(t.Context(), elsewhere.Path())
		if fault.CodeOf(err) != fault.Busy || !errors.Is(err, transcript.ErrLocked) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("took %v", took)
		}
		if err := elsewhere.Close(); err != nil {
			t.Error(err)
		}
		if _, _, err := a.SwitchSession(t.Context(), before.SessionFile); err != nil {
			t.Error(err)
		}
		if after := ask(t, a, "again"); after.MessageCount != 4 {
			t.Errorf("%d messages", after.MessageCount)
		}
	})
}

func TestAReloadThatFailsChangesNothing(t *testing.T) {
	a := newAgent(t, t.TempDir())
	before := ask(t, a, "hello")
	if err := os.WriteFile(before.SessionFile, []byte("not a session\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := a.SwitchSession(t.Context(), before.SessionFile)
	if fault.CodeOf(err) != fault.Invalid || !errors.Is(err, transcript.ErrNotSession) {
		t.Errorf("error %v", err)
	}
	after, err := a.State(t.Context())
	if err != nil || after.SessionID != before.SessionID || after.MessageCount != before.MessageCount {
		t.Errorf("%+v, %v", after, err)
	}
	if data, err := os.ReadFile(before.SessionFile); err != nil || string(data) != "not a session\n" {
		t.Errorf("the file was touched: %q, %v", data, err)
	}
}

func TestARelativePathIsOneInTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	a := newAgent(t, dir)
	if _, _, err := a.SwitchSession(t.Context(), "here.jsonl"); err != nil {
		t.Fatal(err)
	}
	if state := ask(t, a, "hello"); state.SessionFile != filepath.Join(dir, "here.jsonl") {
		t.Errorf("it is in %s", state.SessionFile)
	}
}

func TestASessionThatComesBackIsHeardBehindTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script, err := scripted.Parse("script", []byte(`[{repeat: true, steps: [{text: a}, {delay_ms: 2000}, {text: b}, {delay_ms: 2000}, {text: c}]}]`))
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var heard []string
		a := newAgentOf(t, t.TempDir(), scripted.New(script), func(e event.Event) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, fmt.Sprintf("%T", e))
		})
		take := func() (taken []string) {
			mu.Lock()
			defer mu.Unlock()
			taken, heard = slices.Compact(heard), nil
			return taken
		}
		accepted, err := a.Prompt(t.Context(), session.Prompt{Text: "hello"})
		if err != nil {
			t.Fatal(err)
		}
		accepted.Release()
		time.Sleep(time.Second)
		state, err := a.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.NewSession(t.Context(), "", true); err != nil {
			t.Fatal(err)
		}
		take()
		_, release, err := a.SwitchSession(t.Context(), state.SessionFile)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // b has come meanwhile
		if diff := cmp.Diff([]string{"event.AvailableCommands"}, take()); diff != "" {
			t.Error(diff)
		}
		release()
		time.Sleep(2 * time.Second)
		if heard := take(); !slices.Contains(heard, "event.AgentEnd") {
			t.Errorf("heard %q", heard)
		}
	})
}
