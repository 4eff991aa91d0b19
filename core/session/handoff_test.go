package session

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// talked is a session with one prompt answered.
func talked(ctx context.Context, t *testing.T, sum speaks) *talk {
	t.Helper()
	k := talks(ctx, t, memory(t), answers("ok"), sum, nil)
	say(t, k.Session, "question")
	k.settle(t)
	return k
}

func TestHandoffSaysWhyItCannot(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		refused := func(k *talk, want string, code fault.Code) {
			t.Helper()
			if _, err := k.Handoff(t.Context(), ""); err == nil || err.Error() != want || fault.CodeOf(err) != code {
				t.Errorf("%v (%s), want %s (%s)", err, fault.CodeOf(err), want, code)
			}
		}
		k := talks(ctx, t, memory(t), hung, answers("D"), nil)
		refused(k, "Nothing to hand off (no messages yet)", fault.Invalid)
		say(t, k.Session, "work")
		refused(k, "Cannot hand off while a response is in progress", fault.Busy)
		synctest.Wait()
		refused(k, "Cannot hand off while a response is in progress", fault.Busy)
		k = talks(ctx, t, memory(t), answers("ok"), answers("D"), func(o *Options) { o.Models = &keyless{answers("ok"), true} })
		refused(k, "Nothing to hand off (no messages yet)", fault.Invalid)
		if err := k.do(t.Context(), func(st *state) { st.messages = talkedOver }); err != nil {
			t.Fatal(err)
		}
		refused(k, "No API key for p", fault.NoCredentials)
		if err := k.do(t.Context(), func(st *state) { st.choice.Model = nil }); err != nil {
			t.Fatal(err)
		}
		refused(k, "No model selected for handoff", fault.NoModel)
	})
}

func TestWhatWaitsBehindAHandoffGoesOnInTheNextSessionOnce(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		old := talked(ctx, t, answers("the document"))
		begun := len(old.told())
		run, err := old.Handoff(t.Context(), "the ostrich")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.Compact(t.Context(), ""); !errors.Is(err, errHandingOff) {
			t.Errorf("a compaction meanwhile: %v", err)
		}
		say(t, old.Session, "one")
		unreleased, err := old.Prompt(t.Context(), Prompt{Text: "two"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.FollowUp(t.Context(), Prompt{Text: "later"}); err != nil {
			t.Fatal(err)
		}
		if state := old.state(t); state.IsStreaming || state.IsCompacting || state.QueuedMessageCount != 1 {
			t.Errorf("%+v", state)
		}
		if document, err := run(t.Context()); document != "the document" || err != nil {
			t.Fatal(document, err)
		}
		say(t, old.Session, "three")
		carried, err := old.TakeQueues(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, give := range map[string]func() error{
			"prompt":    func() error { _, err := old.Prompt(t.Context(), Prompt{Text: "late", Behavior: "steer"}); return err },
			"steer":     func() error { _, err := old.Steer(t.Context(), Prompt{Text: "late"}); return err },
			"follow-up": func() error { _, err := old.FollowUp(t.Context(), Prompt{Text: "late"}); return err },
		} {
			if err := give(); !errors.Is(err, ErrClosed) {
				t.Errorf("a late %s: %v", name, err)
			}
		}
		next := talks(ctx, t, memory(t), answers("ok"), answers("S"), nil)
		release, err := next.TakeOver(t.Context(), carried)
		if err != nil {
			t.Fatal(err)
		}
		if state := next.state(t); state.QueuedMessageCount != 1 {
			t.Errorf("%+v", state)
		}
		release()
		unreleased.Release()
		next.settle(t)
		want := []string{
			"agent_start", "user one", "answer ok", "user later", "answer ok", "agent_end",
			"agent_start", "user two", "answer ok", "agent_end", "agent_start", "user three", "answer ok", "agent_end",
		}
		if diff := cmp.Diff(want, next.told()); diff != "" {
			t.Error(diff)
		}
		old.Stop(t.Context(), errPulled, false)
		<-old.Done()
		if told := old.told()[begun:]; len(told) > 0 {
			t.Errorf("the old session went on: %v", told)
		}
	})
}

func TestAHandoffThatComesToNothingLetsPromptsBeginHere(t *testing.T) {
	for name, c := range map[string]struct {
		sum  speaks
		end  func(context.Context, *talk) error
		want string // the error
	}{
		"it fails":                    {func(context.Context, *model.Request, *model.Draft) error { return &model.Error{Message: "no"} }, nil, "no"},
		"it is empty":                 {answers("  "), nil, ""},
		"there is no session for it":  {answers("D"), func(ctx context.Context, k *talk) error { return k.KeepQueues(ctx, Carry{}) }, ""},
		"its provider breaks":         {func(context.Context, *model.Request, *model.Draft) error { panic("oh") }, nil, "internal error: oh"},
		"it is not what it should be": {func(context.Context, *model.Request, *model.Draft) error { return nil }, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(ctx context.Context, t *testing.T) {
				k := talked(ctx, t, c.sum)
				begun := len(k.told())
				run, err := k.Handoff(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				say(t, k.Session, "meanwhile")
				_, err = run(t.Context())
				if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
					t.Error(err)
				}
				if c.end != nil {
					if err := c.end(t.Context(), k); err != nil {
						t.Fatal(err)
					}
				}
				k.settle(t)
				if diff := cmp.Diff([]string{"agent_start", "user meanwhile", "answer ok", "agent_end"}, k.told()[begun:]); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestAbortCancelsAHandoff(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talked(ctx, t, hung)
		run, err := k.Handoff(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wait, err := k.Abort(t.Context())
		if err != nil || wait(t.Context()) != nil {
			t.Fatal(err)
		}
		if _, err := run(t.Context()); err == nil || err.Error() != "Handoff cancelled" || fault.CodeOf(err) != fault.Cancelled {
			t.Error(err)
		}
		say(t, k.Session, "next")
		k.settle(t)
	})
}

// TestAPromptReleasedWhileItMovesBeginsOnce lets the release and the move race.
func TestAPromptReleasedWhileItMovesBeginsOnce(t *testing.T) {
	for range 200 {
		inTime(t, func(ctx context.Context, t *testing.T) {
			old := talked(ctx, t, answers("D"))
			run, err := old.Handoff(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			accepted, err := old.Prompt(t.Context(), Prompt{Text: "moving"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run(t.Context()); err != nil {
				t.Fatal(err)
			}
			next := talks(ctx, t, memory(t), answers("ok"), answers("S"), nil)
			var both sync.WaitGroup
			both.Go(accepted.Release)
			both.Go(func() {
				carried, err := old.TakeQueues(t.Context())
				if err != nil {
					t.Error(err)
				}
				release, err := next.TakeOver(t.Context(), carried)
				if err != nil {
					t.Error(err)
				}
				release()
			})
			both.Wait()
			next.settle(t)
			if diff := cmp.Diff([]string{"agent_start", "user moving", "answer ok", "agent_end"}, next.told()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// talkedOver is a conversation of one prompt and its answer.
var talkedOver = []message.Message{
	message.NewUser("question", nil),
	&message.Assistant{Role: message.RoleAssistant, StopReason: message.StopStop, Content: message.Blocks{message.NewText("ok")}},
}
