package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

func TestCompactPutsASummaryInPlaceOfOldMessages(t *testing.T) {
	dir := t.TempDir()
	inTime(t, func(ctx context.Context, t *testing.T) {
		log := newLog(t, transcript.Options{Dir: dir, CWD: t.TempDir()})
		counting := speaks(func(_ context.Context, r *model.Request, d *model.Draft) error {
			d.Text("ok")
			d.Usage(message.Usage{Input: 5000, Output: 10}, model.Price{})
			return nil
		})
		k := talks(ctx, t, log, counting, answers("## Goal\nTo see.\n"), func(o *Options) { o.Choice.Compact = false })
		if err := k.SetTodos(t.Context(), []tool.Phase{{Name: "A", Tasks: []tool.Task{{Content: "feed it", Status: "pending"}}}}); err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			say(t, k.Session, long(fmt.Sprintf("q%d", n), 1200))
			k.settle(t)
		}
		before := k.state(t)
		run, err := k.Compact(t.Context(), "the ostrich")
		if err != nil {
			t.Fatal(err)
		}
		result, err := run(t.Context())
		if err != nil || result.Summary != "## Goal\nTo see." || result.ShortSummary != "To see." || result.TokensBefore != 5010 || result.FirstKeptEntryID == "" {
			t.Fatalf("%+v, %v", result, err)
		}
		request := k.requests[len(k.requests)-1].Messages[0].(*message.User).Content.Text()
		if !strings.Contains(request, "Additional focus: the ostrich") || !strings.Contains(request, "- feed it") {
			t.Errorf("the request for the summary: %s", request)
		}
		after := k.state(t)
		if after.IsCompacting || after.ContextUsage.Tokens >= before.ContextUsage.Tokens || after.ContextUsage.Tokens > 2600 {
			t.Errorf("usage %+v before, %+v after", before.ContextUsage, after.ContextUsage)
		}
		say(t, k.Session, "q4")
		k.settle(t)
		if got := k.asked(); got[len(got)-1] != "user The conversa; user q2 abc abc a; answer ok; user q3 abc abc a; answer ok; user q4" {
			t.Errorf("the next request: %v", got[len(got)-1])
		}
		if got := k.told(); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "compact") }) {
			t.Errorf("events: %v", got)
		}
		held, err := k.Messages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		k.Stop(t.Context(), errPulled, true)
		<-k.Done()
		again, err := transcript.Open(log.Path(), transcript.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(held, again.Messages()); diff != "" {
			t.Errorf("a resumed session differs: %s", diff)
		}
		resumed := talks(ctx, t, again, answers("ok"), answers("S"), nil)
		state := resumed.state(t)
		if len(state.TodoPhases) != 1 || state.ContextUsage.Tokens > 5010 {
			t.Errorf("resumed with %+v, %+v", state.TodoPhases, state.ContextUsage)
		}
	})
}

func TestWhatWasCountedBeforeACompactionIsNotCountedAfterAResume(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		log := memory(t)
		usage := message.Usage{Input: 9000, TotalTokens: 9000}
		old := &message.Assistant{Role: message.RoleAssistant, StopReason: message.StopStop, Usage: usage, Timestamp: message.Now(), Content: message.Blocks{message.NewText("ok")}}
		if err := log.Append(&transcript.Message{Message: message.NewUser("q", nil)}, &transcript.Message{Message: old}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := log.Append(&transcript.Compaction{Summary: "S", FirstKeptEntryID: log.Leaf().Parent.ID}); err != nil {
			t.Fatal(err)
		}
		k := talks(ctx, t, log, answers("ok"), answers("S"), nil)
		if usage := k.state(t).ContextUsage; usage.Tokens > 100 {
			t.Errorf("usage %+v", usage)
		}
	})
}

func TestCompactSaysWhyItCannot(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), answers("ok"), slow("S"), nil)
		refused := func(want string, code fault.Code) {
			t.Helper()
			if _, err := k.compactNow(t); err == nil || err.Error() != want || fault.CodeOf(err) != code {
				t.Errorf("%v (%s), want %s (%s)", err, fault.CodeOf(err), want, code)
			}
		}
		refused("Nothing to compact (session too small)", fault.Invalid)
		for n := range 3 {
			say(t, k.Session, long(fmt.Sprintf("q%d", n), 1200))
			k.settle(t)
		}
		run, err := k.Compact(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		refused("Compaction already in progress", fault.Busy)
		if _, err := run(t.Context()); err != nil {
			t.Fatal(err)
		}
		refused("Already compacted", fault.Invalid)
		if len(k.asked()) != 4 {
			t.Errorf("requests: %v", k.asked())
		}
		if err := k.SetModel(t.Context(), &model.Model{ID: "n", Provider: "p"}); err != nil {
			t.Fatal(err)
		}
		refused("Nothing to compact (session too small)", fault.Invalid)
		empty := talks(ctx, t, memory(t), answers("ok"), answers("S"), func(o *Options) { o.Choice.Model = nil })
		if _, err := empty.compactNow(t); err == nil || err.Error() != "No model selected" || fault.CodeOf(err) != fault.NoModel {
			t.Errorf("without a model: %v", err)
		}
	})
}

// filled is a session with three long prompts answered.
func filled(ctx context.Context, t *testing.T, say1, sum speaks, change func(*Options)) *talk {
	t.Helper()
	k := talks(ctx, t, memory(t), say1, sum, change)
	for n := range 3 {
		say(t, k.Session, long(fmt.Sprintf("q%d", n), 1200))
		k.settle(t)
	}
	return k
}

func TestAbortCancelsACompactionAndLeavesNothingSet(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := filled(ctx, t, answers("ok"), hung, nil)
		before, _ := k.Messages(t.Context())
		run, err := k.Compact(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if state := k.state(t); !state.IsCompacting || state.IsStreaming {
			t.Errorf("compacting: %+v", state)
		}
		wait, err := k.Abort(t.Context())
		if err != nil || wait(t.Context()) != nil {
			t.Fatal(err)
		}
		if state := k.state(t); state.IsCompacting || state.IsStreaming {
			t.Errorf("aborted: %+v", state)
		}
		if _, err := run(t.Context()); err == nil || err.Error() != "Compaction cancelled" || fault.CodeOf(err) != fault.Cancelled {
			t.Error(err)
		}
		after, _ := k.Messages(t.Context())
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
		say(t, k.Session, "next")
		k.settle(t)
		if told := k.told(); !slices.Equal(told[len(told)-4:], []string{"agent_start", "user next", "answer ok", "agent_end"}) {
			t.Errorf("events: %v", told)
		}
	})
}

func TestWhatArrivesWhileCompactingRunsAfterItInOrderAndOnce(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		let := make(chan struct{})
		k := filled(ctx, t, answers("ok"), func(_ context.Context, _ *model.Request, d *model.Draft) error {
			<-let
			d.Text("S")
			return nil
		}, nil)
		begun := len(k.told())
		run, err := k.Compact(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		say(t, k.Session, "one")
		say(t, k.Session, "two")
		release, err := k.FollowUp(t.Context(), Prompt{Text: "later"})
		if err != nil {
			t.Fatal(err)
		}
		release()
		if release, err = k.Steer(t.Context(), Prompt{Text: "steer"}); err != nil {
			t.Fatal(err)
		}
		release()
		synctest.Wait()
		if state := k.state(t); !state.IsCompacting || state.IsStreaming || len(k.told()) != begun {
			t.Errorf("meanwhile: %+v, %v", state, k.told()[begun:])
		}
		close(let)
		if _, err := run(t.Context()); err != nil {
			t.Fatal(err)
		}
		k.settle(t)
		want := []string{
			"agent_start", "user one", "user steer", "answer ok", "user later", "answer ok", "agent_end",
			"agent_start", "user two", "answer ok", "agent_end",
		}
		if diff := cmp.Diff(want, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCompactAbortsTheRunningTurnFirst(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		stuck := false
		k := filled(ctx, t, func(ctx context.Context, r *model.Request, d *model.Draft) error {
			if stuck {
				return hung(ctx, r, d)
			}
			d.Text("ok")
			return nil
		}, answers("S"), nil)
		stuck = true
		begun := len(k.told())
		say(t, k.Session, "long work")
		synctest.Wait()
		result, err := k.compactNow(t)
		if err != nil || result.Summary != "S" {
			t.Fatal(result, err)
		}
		want := []string{"agent_start", "user long work", "aborted Interrupted by user", "agent_end"}
		if diff := cmp.Diff(want, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
		if state := k.state(t); state.IsStreaming || state.IsCompacting {
			t.Errorf("%+v", state)
		}
	})
}

func TestAFailedSummaryChangesNothingAndPassingFailuresAreWaitedOut(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		var failures []error
		k := filled(ctx, t, answers("ok"), func(_ context.Context, _ *model.Request, d *model.Draft) error {
			if len(failures) > 0 {
				err := failures[0]
				failures = failures[1:]
				return err
			}
			d.Text("S")
			return nil
		}, nil)
		busy := &model.Error{Class: model.ClassTransient, Message: "busy"}
		failures = []error{busy, busy, busy}
		before, _ := k.Messages(t.Context())
		if _, err := k.compactNow(t); err == nil || err.Error() != "busy" || fault.CodeOf(err) != fault.Provider {
			t.Error(err, fault.CodeOf(err))
		}
		failures = []error{&model.Error{Class: model.ClassTransient | model.ClassTimeout, Message: "silence"}}
		if _, err := k.compactNow(t); err == nil || err.Error() != "silence" {
			t.Error(err)
		}
		failures = []error{errors.New("odd")}
		if _, err := k.compactNow(t); err == nil || err.Error() != "odd" {
			t.Error(err)
		}
		after, _ := k.Messages(t.Context())
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
		failures = []error{busy, &model.Error{Class: model.ClassOverflow, Message: "too long"}, busy}
		if _, err := k.compactNow(t); err != nil {
			t.Error(err)
		}
	})
}

func TestASummaryThatSaysNothingReplacesNothing(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		summary := " \n"
		k := filled(ctx, t, answers("ok"), func(_ context.Context, _ *model.Request, d *model.Draft) error {
			d.Text(summary)
			if summary == "half" {
				d.Stop(message.StopLength)
			}
			return nil
		}, nil)
		for _, summary = range []string{" \n", ""} {
			if _, err := k.compactNow(t); err == nil || err.Error() != "p/m wrote nothing" || fault.CodeOf(err) != fault.Provider {
				t.Error(err, fault.CodeOf(err))
			}
		}
		summary = "half"
		result, err := k.compactNow(t)
		if err != nil || !strings.HasPrefix(result.Summary, "half\n\n[This text was cut off at its limit.]") {
			t.Error(result, err)
		}
	})
}

func TestAnotherModelCanWriteTheSummaries(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		var asked []string
		k := filled(ctx, t, answers("ok"), func(_ context.Context, r *model.Request, d *model.Draft) error {
			if asked = append(asked, r.Model.ID); r.Model.ID == "writer" {
				return &model.Error{Class: model.ClassAuth, Message: "no"}
			}
			d.Text("S")
			return nil
		}, func(o *Options) { o.Compaction.Model = &model.Model{ID: "writer", Provider: "p"} })
		if _, err := k.compactNow(t); err != nil || !slices.Equal(asked, []string{"writer", "m"}) {
			t.Error(asked, err)
		}
	})
}

func TestAPanicInTheProviderFailsTheCompactionOnly(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := filled(ctx, t, answers("ok"), func(context.Context, *model.Request, *model.Draft) error { panic("oh") }, nil)
		if _, err := k.compactNow(t); err == nil || err.Error() != "internal error: oh" {
			t.Error(err)
		}
		say(t, k.Session, "next")
		k.settle(t)
	})
}

func TestStoppingTheSessionEndsItsCompaction(t *testing.T) {
	for name, stop := range map[string]func(context.Context, *talk, context.CancelFunc){
		"softly": func(ctx context.Context, k *talk, _ context.CancelFunc) { k.Finish(ctx, errPulled) },
		"hard":   func(_ context.Context, _ *talk, pull context.CancelFunc) { pull() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, pull := context.WithCancel(t.Context())
				defer pull()
				k := filled(ctx, t, answers("ok"), hung, nil)
				run, err := k.Compact(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				say(t, k.Session, "held")
				synctest.Wait()
				stop(t.Context(), k, pull)
				if _, err := run(t.Context()); err == nil || err.Error() != "Compaction cancelled" {
					t.Error(err)
				}
				<-k.Done()
				if told := k.told(); told[len(told)-1] != "agent_end" {
					t.Errorf("events: %v", told)
				}
			})
		})
	}
}
