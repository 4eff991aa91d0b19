package session

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// tokens is what a provider would count for a request, by our own estimate.
func tokens(r *model.Request) int { return compaction.Total(r.Messages) }

// works calls prints with such results, one a turn, and then answers.
func works(results ...int) speaks {
	turn := 0
	return func(_ context.Context, _ *model.Request, d *model.Draft) error {
		if turn < len(results) {
			d.Text("working")
			d.CallStart(fmt.Sprintf("call%d", turn), "prints")
			d.CallArguments(fmt.Sprintf(`{"tokens":%d,"turn":%d}`, results[turn], turn))
			turn++
			return nil
		}
		d.Text("done")
		return nil
	}
}

func repeat(n, times int) []int { return slices.Repeat([]int{n}, times) }

func TestALongRunIsCompactedBetweenItsTurns(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), works(repeat(900, 60)...), answers("S"), nil)
		say(t, k.Session, "a long task")
		k.settle(t)
		for i, r := range k.requests {
			if n := tokens(r); n > window {
				t.Errorf("request %d has %d tokens", i, n)
			}
		}
		told := k.told()
		starts, ends := timesIn(told, "compacting: threshold"), timesIn(told, "compacted: result true, aborted false, retry false")
		if starts < 4 || starts != ends || timesIn(told, "agent_start") != 1 || timesIn(told, "agent_end") != 1 || told[len(told)-2] != "answer done" {
			t.Errorf("%d starts, %d ends: %v", starts, ends, told)
		}
	})
}

func timesIn(list []string, want string) int {
	n := 0
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

func TestOneHugeResultDoesNotFillTheWindowAgainAndAgain(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), works(90_000, 100, 90_000), answers("S"), nil)
		say(t, k.Session, "read it all")
		k.settle(t)
		for i, r := range k.requests {
			if n := tokens(r); n > window {
				t.Errorf("request %d has %d tokens", i, n)
			}
		}
		if told := k.told(); timesIn(told, "compacting: threshold") > 1 || told[len(told)-2] != "answer done" {
			t.Errorf("events: %v", told)
		}
	})
}

func TestMidTurnCompactionCanBeSwitchedOff(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), works(repeat(900, 12)...), answers("S"), func(o *Options) { o.Compaction.MidTurn = false })
		say(t, k.Session, "a long task")
		k.settle(t)
		told := k.told()
		if !slices.Equal(told[len(told)-6:], []string{
			"answer done", "compacting: threshold", "compacted: result true, aborted false, retry false", "agent_start", "answer done", "agent_end",
		}) {
			t.Errorf("events: %v", told)
		}
	})
}

func TestAPromptThatWouldNotFitWaitsForACompaction(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), answers("ok"), answers("S"), nil)
		for n := range 5 {
			say(t, k.Session, long(fmt.Sprintf("q%d", n), 1600))
			k.settle(t)
		}
		begun := len(k.told())
		say(t, k.Session, long("q5", 1600))
		if state := k.state(t); !state.IsStreaming {
			t.Error("the prompt was accepted and does not count")
		}
		k.settle(t)
		want := []string{
			"compacting: threshold", "compacted: result true, aborted false, retry false",
			"agent_start", "user q5 abc abc a", "answer ok", "agent_end",
		}
		if diff := cmp.Diff(want, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestASummaryThatCannotBeHadDoesNotStopTheRunAndIsNotAskedForAtEachTurn(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		failed := 0
		k := talks(ctx, t, memory(t), works(repeat(100, 100)...), func(context.Context, *model.Request, *model.Draft) error {
			failed++
			return &model.Error{Message: "no summaries today"}
		}, nil)
		say(t, k.Session, long("q", 8000))
		k.settle(t)
		told := k.told()
		if failed == 0 || failed > 8 || told[len(told)-2] != "answer done" ||
			timesIn(told, "compacting: threshold") != timesIn(told, "compacted: result false, aborted false, retry falseAuto-compaction failed: no summaries today") {
			t.Errorf("%d attempts: %v", failed, told)
		}
	})
}

func TestAbortEndsTheRunThatCompacts(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), works(repeat(900, 30)...), hung, nil)
		say(t, k.Session, "a long task")
		synctest.Wait()
		if state := k.state(t); !state.IsCompacting || !state.IsStreaming {
			t.Fatalf("%+v", state)
		}
		wait, err := k.Abort(t.Context())
		if err != nil || wait(t.Context()) != nil {
			t.Fatal(err)
		}
		told := k.told()
		want := []string{"compacted: result false, aborted true, retry false", "aborted Interrupted by user", "agent_end"}
		if state := k.state(t); state.IsCompacting || state.IsStreaming || !slices.Equal(told[len(told)-3:], want) {
			t.Errorf("%+v, %v", state, told)
		}
	})
}

func TestSwitchedOffNothingIsCompactedByItself(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := filled(ctx, t, func(ctx context.Context, r *model.Request, d *model.Draft) error {
			if tokens(r) > 3800 {
				return overflow(ctx, r, d)
			}
			d.Text("ok")
			return nil
		}, answers("S"), nil)
		if err := k.SetAutoCompaction(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		begun := len(k.told())
		say(t, k.Session, long("big", 9000))
		k.settle(t)
		if diff := cmp.Diff([]string{"agent_start", "user big abc abc ", "error prompt is too long", "agent_end"}, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
		if _, err := k.compactNow(t); err != nil {
			t.Errorf("by hand: %v", err)
		}
	})
}

func TestAnAnswerThatWasCutShortGoesOnAfterACompaction(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		first := true
		k := talks(ctx, t, memory(t), func(_ context.Context, r *model.Request, d *model.Draft) error {
			if !first {
				d.Text("the end")
				return nil
			}
			first = false
			d.Text(long("half", 9000))
			d.Stop(message.StopLength)
			return nil
		}, answers("S"), nil)
		say(t, k.Session, long("write", 500))
		k.settle(t)
		want := []string{
			"agent_start", "user write abc ab", "answer half abc abc",
			"compacting: threshold", "compacted: result true, aborted false, retry false",
			"agent_start", "answer the end", "agent_end",
		}
		if diff := cmp.Diff(want, k.told()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUselessResultsMakeRoomWithoutASummary(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), answers("ok"), answers("S"), func(o *Options) { o.Compaction.DropUseless = true })
		call := &message.ToolCall{Type: "toolCall", ID: "c", Name: "prints", Arguments: []byte("{}")}
		if err := k.do(t.Context(), func(st *state) {
			st.record(message.NewUser("q", nil))
			st.record(&message.Assistant{Role: message.RoleAssistant, StopReason: message.StopToolUse, Content: message.Blocks{call}})
			st.record(&message.ToolResult{Role: message.RoleToolResult, ToolCallID: "c", Useless: true, Content: message.Blocks{message.NewText(long("x", 9500))}})
		}); err != nil {
			t.Fatal(err)
		}
		say(t, k.Session, "next")
		k.settle(t)
		if diff := cmp.Diff([]string{"agent_start", "user next", "answer ok", "agent_end"}, k.told()); diff != "" {
			t.Error(diff)
		}
		if state := k.state(t); state.ContextUsage.Tokens > 100 {
			t.Errorf("%+v", state.ContextUsage)
		}
	})
}

func TestAnIdleSessionIsCompactedInItsTime(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := filled(ctx, t, answers("ok"), answers("S"), func(o *Options) { o.Compaction.IdleAfter, o.Compaction.IdleTokens = 60, 3000 })
		begun := len(k.told())
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if len(k.told()) != begun {
			t.Errorf("too early: %v", k.told()[begun:])
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"compacting: idle", "compacted: result true, aborted false, retry false"}, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(k.told()) != begun+2 {
			t.Errorf("again: %v", k.told()[begun:])
		}
	})
}

func TestAModelThatStoppedBeforeACompactionIsAskedToGoOn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		ends   []string
	}{
		"it goes on":   {nil, []string{"agent_start", "answer nothing", "agent_end"}},
		"switched off": {func(o *Options) { o.Compaction.AutoContinue = false }, []string{"agent_end"}},
		"at its limit": {func(o *Options) { o.Budget.Turns = 1 }, []string{"agent_end"}},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(ctx context.Context, t *testing.T) {
				first := true
				k := talks(ctx, t, memory(t), func(_ context.Context, r *model.Request, d *model.Draft) error {
					text := "nothing"
					if first {
						text, first = long("much", 9000), false
					}
					d.Text(text)
					return nil
				}, answers("S"), c.change)
				say(t, k.Session, long("go", 500))
				k.settle(t)
				want := append([]string{
					"agent_start", "user go abc abc a", "answer much abc abc", "compacting: threshold", "compacted: result true, aborted false, retry false",
				}, c.ends...)
				if diff := cmp.Diff(want, k.told()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestWhatCouldNotBeCompactedYetIsCompactedLater(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), answers("ok"), answers("S"), nil)
		say(t, k.Session, long("huge", window*95/100)) // beyond the threshold, and all there is yet
		k.settle(t)
		for range 6 {
			say(t, k.Session, long("more", 100))
			k.settle(t)
		}
		if n := timesIn(k.told(), "compacting: threshold"); n == 0 {
			t.Errorf("it was never compacted: %v", k.asked())
		}
	})
}

func TestTheNextAttemptToCompactComesBeforeTheWindowIsFull(t *testing.T) {
	for _, c := range []struct{ attempted, window, want int }{
		{0, 1000, 0}, {400, 1000, 500}, {800, 1000, 900}, {900, 1000, 962}, {990, 1000, 1052}, {1000, 1000, 1250}, {1200, 1000, 1500}, {400, 0, 500},
	} {
		if got := regrown(c.attempted, c.window); got != c.want {
			t.Errorf("regrown(%d, %d) is %d, want %d", c.attempted, c.window, got, c.want)
		}
	}
}
