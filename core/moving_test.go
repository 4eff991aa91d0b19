package core

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/hub"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model/scripted"
	"veyyon.dev/veyyon/core/session"
)

// TestAPromptThatRacesAHandoffRunsOnceInTheNewSession sends prompts while the
// session in front changes: each is refused since another runs, or runs once.
func TestAPromptThatRacesAHandoffRunsOnceInTheNewSession(t *testing.T) {
	for range 20 {
		a := newAgent(t, t.TempDir())
		ask(t, a, "before")
		run, err := a.Handoff(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		moved := make(chan struct{})
		go func() { // ends with the handoff
			defer close(moved)
			_, release, err := run(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			release()
		}()
		var want []string
		for n := range 30 {
			text := fmt.Sprint("prompt ", n)
			accepted, err := a.Prompt(t.Context(), session.Prompt{Text: text})
			switch {
			case err == nil:
				want = append(want, text)
				accepted.Release()
			case fault.CodeOf(err) != fault.Busy:
				t.Fatal(err)
			}
		}
		<-moved
		if err := a.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		messages, err := a.Messages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if u, ok := m.(*message.User); ok {
				got = append(got, u.Content.Text())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestAnEndedAgentRefusesPrompts(t *testing.T) {
	a := newAgent(t, t.TempDir())
	a.EndOfInput(t.Context())
	_, err := a.Prompt(t.Context(), session.Prompt{Text: "late"})
	if !errors.Is(err, session.ErrClosed) {
		t.Error(err)
	}
}

func TestQuestionsThatRaceAHandoffAreAnswered(t *testing.T) {
	for range 50 {
		a := newAgent(t, t.TempDir())
		ask(t, a, "before")
		run, err := a.Handoff(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		moved := make(chan error, 1)
		go func() {
			_, release, err := run(t.Context())
			if err == nil {
				release()
			}
			moved <- err
		}()
		for asking := true; asking; {
			select {
			case err := <-moved:
				if err != nil {
					t.Fatal(err)
				}
				asking = false
			default:
			}
			_, stateErr := a.State(t.Context())
			_, messagesErr := a.Messages(t.Context())
			_, _, textErr := a.LastAssistantText(t.Context())
			if err := errors.Join(stateErr, messagesErr, textErr, a.SetAutoRetry(t.Context(), true)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatComesWhileSessionsChangePlacesIsOfTheNewOne(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *Agent) error{
		"abort":   func(ctx context.Context, a *Agent) error { _, err := a.Abort(ctx); return err },
		"bash":    func(ctx context.Context, a *Agent) error { _, err := a.Bash(ctx, "true"); return err },
		"compact": func(ctx context.Context, a *Agent) error { _, err := a.Compact(ctx, ""); return err },
		"handoff": func(ctx context.Context, a *Agent) error { _, err := a.Handoff(ctx, ""); return err },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAgent(t, t.TempDir())
				answered := make(chan error, 1)
				err := a.hub.Change(t.Context(), func(m *hub.Members) error {
					next, err := a.fresh(t.Context(), m.Front(), "")
					if err != nil {
						return err
					}
					if _, err := m.Front().TakeQueues(t.Context()); err != nil {
						return err
					}
					go func() { answered <- ask(t.Context(), a) }()
					synctest.Wait()
					m.Drop(t.Context())
					m.Attach(t.Context(), next)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := <-answered; errors.Is(err, session.ErrClosed) {
					t.Error(err)
				}
			})
		})
	}
}

func TestSettlingFollowsAHandoff(t *testing.T) {
	for range 20 {
		a := newAgent(t, t.TempDir())
		ask(t, a, "before")
		run, err := a.Handoff(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := a.Prompt(t.Context(), session.Prompt{Text: "meanwhile"})
		if err != nil {
			t.Fatal(err)
		}
		accepted.Release()
		go func() { // ends with the handoff, which Settled waits for
			_, release, err := run(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			release()
		}()
		if err := a.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, ok, err := a.LastAssistantText(t.Context()); !ok || err != nil {
			t.Fatalf("the prompt has no answer: %q, %v", text, err)
		}
	}
}

func TestASessionThatComesAfterTheEndOfInputEnds(t *testing.T) {
	a := newAgent(t, t.TempDir())
	next, err := a.fresh(t.Context(), a.hub.Front(), "")
	if err != nil {
		t.Fatal(err)
	}
	a.EndOfInput(t.Context())
	err = a.hub.Change(t.Context(), func(m *hub.Members) error {
		m.Attach(t.Context(), next)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	<-next.Done()
}

// TestAConversationThatLeavesAgainIsNotLost has a switch given up while the
// conversation that was to come back is busy: it must be on the list again.
func TestAConversationThatLeavesAgainIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, free := make(chan struct{}), make(chan struct{})
		a := newAgentOf(t, t.TempDir(), scripted.New(nil), func(e event.Event) {
			if e.Name() == "turn_start" {
				close(busy)
				<-free
			}
		})
		accepted, err := a.Prompt(t.Context(), session.Prompt{Text: "hello"})
		if err != nil {
			t.Fatal(err)
		}
		go accepted.Release() // it waits for the loop, and ends with the wait below
		<-busy
		time.AfterFunc(time.Second, func() { close(free) })
		err = a.hub.Change(t.Context(), func(m *hub.Members) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			m.LeaveAgain(ctx, m.Front())
			if !m.Away(m.Front().Path()) {
				t.Error("the conversation is on no list")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
