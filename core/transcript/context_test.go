package transcript

import (
	"encoding/json"
	"testing"

	"veyyon.dev/veyyon/core/message"
)

func TestOnlyTheLastCompactionOnThePathCounts(t *testing.T) {
	l := newLog(t)
	var ids []string
	say := func(text string) {
		do(t, l.AppendMessage(user(text)))
		ids = append(ids, l.Leaf().ID)
	}
	say("one")
	say("two")
	do(t, l.Append(&Compaction{Summary: "first", FirstKeptEntryID: ids[1]}))
	say("three")
	do(t, l.Append(&CustomMessage{CustomType: "x", Content: message.Blocks{message.NewText("note")}}))
	do(t, l.Append(&Compaction{Summary: "second", FirstKeptEntryID: ids[1], TokensBefore: 5}))
	compacted := l.Leaf()
	say("four")
	want := []string{"compactionSummary: second", "user: two", "user: three", "custom: note", "user: four"}
	same(t, want, texts(l.Messages()))

	l.SetLeaf(compacted.Parent)
	same(t, []string{"compactionSummary: first", "user: two", "user: three", "custom: note"}, texts(l.Messages()))
	l.SetLeaf(l.ByID(ids[1]))
	same(t, []string{"user: one", "user: two"}, texts(l.Messages()))
	l.SetLeaf(nil)
	same(t, []string{}, texts(l.Messages()))
	same(t, want, texts(reload(t, l).Messages()))
}

func TestCompactionThatKeepsWhatIsNotOnThePathKeepsNothing(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("one")))
	do(t, l.Append(&Compaction{Summary: "all", FirstKeptEntryID: "nowhere"}))
	do(t, l.AppendMessage(user("two")))
	same(t, []string{"compactionSummary: all", "user: two"}, texts(l.Messages()))
}

func TestBranchesAreApart(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("root")))
	root := l.Leaf()
	do(t, l.AppendMessage(user("left")))
	l.SetLeaf(root)
	do(t, l.Append(&BranchSummary{FromID: root.ID, Summary: "went left"}))
	do(t, l.AppendMessage(user("right")))
	same(t, []string{"user: root", "branchSummary: went left", "user: right"}, texts(reload(t, l).Messages()))
}

func TestChoicesAreTheLastOnesOfThePath(t *testing.T) {
	l := newLog(t)
	high, auto := "high", "auto"
	do(t, l.AppendMessage(answer("x")))
	same(t, Choices{Model: "scripted/demo"}, l.Choices())
	do(t, l.Append(&ModelChange{Model: "a/b"}, &ModelChange{Model: "c/d", Role: "smol"}))
	do(t, l.Append(&ThinkingChange{}, &ThinkingChange{ThinkingLevel: &high, Configured: &auto}))
	same(t, Choices{Model: "a/b", Thinking: "high", Configured: "auto"}, l.Choices())
	do(t, l.Append(&ThinkingChange{}))
	same(t, Choices{Model: "a/b"}, reload(t, l).Choices())
}

func TestEntryLineHasTheDocumentedShape(t *testing.T) {
	l := newLog(t)
	do(t, l.Append(&ModelChange{Model: "a/b"}))
	line, err := l.Snapshot().Line(l.Leaf())
	do(t, err)
	var entry map[string]any
	do(t, json.Unmarshal(line, &entry))
	same(t, map[string]any{
		"type": "model_change", "id": l.Leaf().ID, "parentId": nil, "timestamp": stamp(l.Leaf().Time), "model": "a/b",
	}, entry)
	same(t, 8, len(l.Leaf().ID))
}
