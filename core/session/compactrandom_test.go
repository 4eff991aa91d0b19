package session

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// heavy makes a drawn message so long that compactions have something to do.
func heavy(t *rapid.T, m message.Message) message.Message {
	text := message.NewText(long("w", rapid.IntRange(0, 1500).Draw(t, "tokens")))
	switch m := m.(type) {
	case *message.User:
		clone := *m
		clone.Content = append(message.Blocks{text}, message.NewImage("AAAA", "image/png"))
		return &clone
	case *message.Assistant:
		clone := *m
		clone.Content = append(message.Blocks{text}, m.Content...)
		return &clone
	case *message.ToolResult:
		clone := *m
		clone.Content = message.Blocks{text}
		return &clone
	}
	return m
}

// fill appends a drawn history with entries of other kinds between, some of
// them older compactions in odd places.
func fill(t *rapid.T, log *transcript.Log) {
	for _, m := range history(t) {
		bodies := []transcript.Body{&transcript.Message{Message: heavy(t, m)}}
		switch rapid.IntRange(0, 9).Draw(t, "beside") {
		case 0:
			bodies = append(bodies, &transcript.ModelChange{Model: "p/m"})
		case 1:
			bodies = append(bodies, &transcript.CustomMessage{CustomType: "note", Content: message.Blocks{message.NewText("n")}})
		case 2:
			first := "gone"
			if entries := log.Entries(); len(entries) > 0 {
				first = entries[rapid.IntRange(0, len(entries)-1).Draw(t, "kept")].ID
			}
			bodies = append(bodies, &transcript.Compaction{Summary: "older", FirstKeptEntryID: first})
		}
		if err := log.Append(bodies...); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRequestsStayPairedOverCompactionsOfAnyHistory compacts odd histories three
// times over, with prompts between. Each request of it is checked by talks.
func TestRequestsStayPairedOverCompactionsOfAnyHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		inTime(t, func(ctx context.Context, t *testing.T) {
			log := newLog(t, transcript.Options{Dir: dir, CWD: dir})
			fill(rt, log)
			k := talks(ctx, t, log, answers("ok"), answers("S"), func(o *Options) {
				o.Choice.Compact = rapid.Bool().Draw(rt, "auto")
				o.Compaction.KeepRecent = rapid.IntRange(1, 4000).Draw(rt, "keep")
				o.Compaction.SupersedeReads, o.Compaction.DropUseless = true, true
			})
			for n := range 3 {
				before := k.state(t)
				held, err := k.Messages(t.Context())
				if err != nil {
					rt.Fatal(err)
				}
				if _, err := k.compactNow(t); err == nil {
					now, err := k.Messages(t.Context())
					if err != nil {
						rt.Fatal(err)
					}
					isSuffix(rt, held, now)
					if after := k.state(t); compaction.Total(now) >= compaction.Total(held) {
						rt.Fatalf("%+v became %+v", before.ContextUsage, after.ContextUsage)
					}
				}
				say(t, k.Session, long(fmt.Sprintf("q%d", n), rapid.IntRange(0, 3000).Draw(rt, "prompt")))
				k.settle(t)
			}
			if t.Failed() {
				rt.Fatal("see above")
			}
			held, err := k.Messages(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			k.Stop(t.Context(), errPulled, true)
			<-k.Done()
			again, err := transcript.Open(log.Path(), transcript.Options{Dir: dir})
			if err != nil {
				rt.Fatal(err)
			}
			defer func() { _ = again.Close() }()
			loaded := again.Messages()
			if len(loaded) != len(held) {
				rt.Fatalf("%d messages held, %d loaded", len(held), len(loaded))
			}
			for i := range held { // results may have been shortened in the context only
				if held[i].Speaker() == message.RoleToolResult {
					held[i], loaded[i] = nil, nil
				}
			}
			if diff := cmp.Diff(held, loaded); diff != "" {
				rt.Fatal(diff)
			}
		})
	})
}

// isSuffix tells whether all but the summary was there before, at the end.
func isSuffix(t *rapid.T, before, after []message.Message) {
	if _, is := after[0].(*message.CompactionSummary); !is {
		t.Fatalf("the context begins with a %s", after[0].Speaker())
	}
	kept := after[1:]
	for i, m := range kept {
		was := before[len(before)-len(kept)+i]
		if m != was && m.Speaker() != message.RoleToolResult {
			t.Fatalf("kept message %d was another", i)
		}
	}
}

// TestAnyOrderOfCommandsLeavesTheSessionWhole lets prompts, compactions, handoffs
// and aborts come at any moment: each accepted prompt gives one agent_end, and
// nothing stays set.
func TestAnyOrderOfCommandsLeavesTheSessionWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inTime(t, func(ctx context.Context, t *testing.T) {
			k := talks(ctx, t, memory(t), slow("ok"), slow("S"), nil)
			accepted := 0
			for range rapid.IntRange(1, 25).Draw(rt, "commands") {
				switch rapid.IntRange(0, 6).Draw(rt, "command") {
				case 0, 1, 2:
					if a, err := k.Prompt(t.Context(), Prompt{Text: long("q", rapid.IntRange(0, 3000).Draw(rt, "tokens"))}); err == nil {
						accepted++
						a.Release()
					}
				case 3:
					if run, err := k.Compact(t.Context(), ""); err == nil {
						go func() { _, _ = run(ctx) }() // ends with the compaction
					}
				case 4:
					if _, err := k.Abort(t.Context()); err != nil {
						rt.Fatal(err)
					}
				case 5:
					if run, err := k.Handoff(t.Context(), ""); err == nil {
						go func() {
							_, _ = run(ctx)
							_ = k.KeepQueues(ctx, Carry{})
						}()
					}
				case 6:
					k.settle(t)
				}
				if rapid.Bool().Draw(rt, "wait") {
					synctest.Wait()
				}
			}
			k.settle(t)
			synctest.Wait()
			k.settle(t)
			told := k.told()
			if ends := timesIn(told, "agent_end"); ends != accepted {
				rt.Fatalf("%d prompts, %d ends: %v", accepted, ends, told)
			}
			if state := k.state(t); state.IsStreaming || state.IsCompacting {
				rt.Fatalf("%+v", state)
			}
			if t.Failed() {
				rt.Fatal("see above")
			}
		})
	})
}
