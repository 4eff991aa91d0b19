package transcript

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"veyyon.dev/veyyon/core/message"
)

func TestSnapshotsAreReadWhileTheLogGoesOn(t *testing.T) {
	l := newLog(t)
	do(t, l.Append(&ModelChange{Model: "a/b"})) // held until the first message
	var readers sync.WaitGroup
	for n := range 60 {
		s := l.Snapshot()
		readers.Go(func() {
			messages, err := s.Messages()
			if err != nil || len(messages) != n {
				t.Errorf("%d messages of %d: %v", len(messages), n, err)
			}
			for _, e := range s.Entries() {
				if line, err := s.Line(e); err != nil || !json.Valid(line) {
					t.Errorf("%s, %v", line, err)
				}
			}
			if nodes, err := s.Nodes(); err != nil || len(nodes) != len(s.Entries()) {
				t.Errorf("%d nodes: %v", len(nodes), err)
			}
			if len(s.labels) != n {
				t.Errorf("%d labels of %d", len(s.labels), n)
			}
		})
		do(t, l.AppendMessage(user(strings.Repeat("x", 3000))))
		do(t, l.SetLabel(l.Leaf().ID, "said"))
	}
	readers.Wait()
}

func TestASnapshotOfAClosedLogIsAnErrorAndOfADeletedFileIsNone(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	s := l.Snapshot()
	do(t, os.Remove(l.Path()))
	messages, err := s.Messages()
	do(t, err)
	same(t, []string{"user: hi"}, texts(messages))
	do(t, l.Close())
	_, first := s.Messages()
	_, second := s.Line(s.Leaf())
	_, third := s.Nodes()
	_, fourth := s.Body(s.Leaf())
	for _, err := range []error{first, second, third, fourth} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%v", err)
		}
	}
	same(t, []message.Message{}, l.Messages())
}

func TestAFileThatWasCutIsAnError(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	do(t, os.Truncate(l.Path(), 300))
	if _, err := l.Snapshot().Messages(); err == nil || !strings.Contains(err.Error(), l.Path()) {
		t.Fatalf("%v", err)
	}
}

func TestNodesAreFlatHoweverLongTheChain(t *testing.T) {
	l, err := New(Options{})
	do(t, err)
	for range 100_000 {
		l.tree.add(&Entry{Type: "x", ID: l.tree.newID(nil), Parent: l.Leaf()})
	}
	nodes, err := l.Snapshot().Nodes()
	do(t, err)
	same(t, []any{100_000, nodes[99_998].ID}, []any{len(nodes), nodes[99_999].ParentID})
	same(t, 100_000, len(pathTo(l.Leaf())))
}

func TestAPreviewIsHowTheTextBegins(t *testing.T) {
	l := newLog(t)
	long := strings.Repeat("ü😀", 100)
	do(t, l.AppendMessage(user(long)))
	first := l.Leaf()
	m := answer("")
	m.Content = message.Blocks{&message.Thinking{Type: "thinking", Thinking: "hm"}, message.NewText("a\n"), message.NewText("b")}
	do(t, l.AppendMessage(m))
	do(t, l.AppendMessage(&message.BashExecution{Role: message.RoleBashExecution, Command: "ls"}))
	do(t, l.Append(&Compaction{Summary: "sum"}, &Custom{CustomType: "note", Data: json.RawMessage(`{"content":"x"}`)}))
	do(t, l.SetLabel(first.ID, "start"))
	for _, s := range []Snapshot{l.Snapshot(), reload(t, l).Snapshot()} {
		if l.closed && s.store == l.store {
			continue
		}
		nodes, err := s.Nodes()
		do(t, err)
		var got []string
		for _, n := range nodes {
			got = append(got, n.Preview)
		}
		same(t, []string{strings.Repeat("ü😀", 60), "a\nb", "ls", "sum", "", ""}, got)
		same(t, "start", nodes[0].Label)
	}
}

func TestTheLastLabelOfAnEntryWins(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("one")))
	one := l.Leaf()
	do(t, l.AppendMessage(user("two")))
	two := l.Leaf()
	do(t, l.SetLabel(one.ID, "a"))
	do(t, l.SetLabel(two.ID, "b"))
	before := l.labels.share()
	do(t, l.SetLabel(one.ID, "c"))
	do(t, l.SetLabel(two.ID, ""))
	same(t, map[string]string{one.ID: "a", two.ID: "b"}, before)
	want := map[string]string{one.ID: "c"}
	same(t, want, l.labels.share())
	if err := l.SetLabel("nowhere", "x"); !errors.Is(err, ErrNoEntry) {
		t.Fatalf("%v", err)
	}
	same(t, want, reload(t, l).labels.share())
}

func TestEntriesOfSubagentsAndRulesComeBackTheSame(t *testing.T) {
	l := newLog(t)
	want := []Body{
		&RuleInjection{InjectedRules: []string{"no-any"}},
		&SessionInit{SystemPrompt: "p", Task: "t", Tools: []string{"read"}, OutputSchema: json.RawMessage(`{"type":"object"}`), Spawns: json.RawMessage(`"*"`)},
		&SubagentSpawn{AgentID: "A", AgentName: "task", Task: "t", SessionFile: "/f", Isolation: "none", Status: "failed", ExitCode: 1, DurationMS: 5, Usage: json.RawMessage(`{"input":1}`), Error: "e"},
	}
	do(t, l.AppendMessage(user("hi")))
	do(t, l.Append(want...))
	again := reload(t, l)
	got, err := again.Snapshot().Bodies(again.Entries()[1:])
	do(t, err)
	same(t, want, got)
}
