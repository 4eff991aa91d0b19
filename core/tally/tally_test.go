package tally_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tally"
)

func TestAConversationIsCountedWithTheUsageOfItsTasks(t *testing.T) {
	usage := message.Usage{Input: 10, Output: 4, CacheRead: 3, CacheWrite: 2, TotalTokens: 19, ReasoningTokens: 1, Cost: message.Cost{Total: 0.25}}
	answer := &message.Assistant{
		Provider: "p", Model: "m", Usage: usage, Timestamp: 4000,
		Content: message.Blocks{&message.ToolCall{Name: "task"}, &message.ToolCall{Name: "read"}, &message.ToolCall{Name: "read"}},
	}
	result := func(tool, details string, failed bool) message.Message {
		return &message.ToolResult{ToolName: tool, Details: json.RawMessage(details), IsError: failed, Timestamp: 3000}
	}
	const spent = `{"usage":{"input":1,"output":2,"totalTokens":3,"cost":{"total":0.5}}}`
	var got tally.Tally
	for _, m := range []message.Message{
		&message.User{Timestamp: 1000},
		answer,
		result("task", spent, false),
		result("read", spent, true), // only tasks speak for other transcripts
		result("task", `{"usage":"unknown"}`, false),
		result("task", ``, false),
		result("job", spent, false),
		&message.Unknown{},
	} {
		got.Add(m)
	}
	want := tally.Tally{
		Messages: 8, ByRole: map[message.Role]int{message.RoleUser: 1, message.RoleAssistant: 1, message.RoleToolResult: 5},
		Calls: 3, ByTool: map[string]int{"task": 1, "read": 2}, Failed: 1, ByModel: map[string]int{"p/m": 1},
		Tokens: tally.Tokens{Input: 12, Output: 8, Reasoning: 1, CacheRead: 3, CacheWrite: 2, Total: 25}, Cost: 1.25,
		First: time.UnixMilli(1000).UTC(), Last: time.UnixMilli(4000).UTC(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Span() != 3*time.Second {
		t.Error(got.Span())
	}
}

func TestFiguresAreWrittenForPeople(t *testing.T) {
	got := []string{
		tally.Commas(0), tally.Commas(999), tally.Commas(1000), tally.Commas(-123456), tally.Commas(1234567),
		tally.Dollars(0.00123), tally.Dollars(12.345),
		tally.Took(1500 * time.Millisecond), tally.Took(59900 * time.Millisecond), tally.Took(61 * time.Second), tally.Took(61 * time.Minute), tally.Took(73 * time.Hour),
	}
	want := []string{"0", "999", "1,000", "-123,456", "1,234,567", "$0.0012", "$12.35", "1.5 s", "59 s", "1 min 1 s", "1 h 1 min", "3 days"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
