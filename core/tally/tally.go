// Package tally counts what a conversation came to: messages, tool calls,
// tokens, money. Hosts, exported pages and the command line show the same
// figures, since they all count here.
package tally

import (
	"encoding/json"
	"time"

	"veyyon.dev/veyyon/core/message"
)

// A Tally is what has been counted so far. The zero value is ready for use. One
// goroutine only.
type Tally struct {
	Messages int
	ByRole   map[message.Role]int // those of a role that is not ours are not in it
	Calls    int
	ByTool   map[string]int // calls, by the name of the tool
	Failed   int            // tool results that are errors
	ByModel  map[string]int // answers, by "provider/id"
	Tokens   Tokens
	Cost     float64 // US dollars

	// First and Last are when the earliest and the latest message were made; zero
	// when none says so.
	First, Last time.Time
}

// Tokens sums the usage of answers. Input leaves out what came from or went to
// a cache; Reasoning is a part of Output.
type Tokens struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	Reasoning  int `json:"reasoning"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Total      int `json:"total"`
}

// Add counts a message. The result of a task, and of a background job that was one,
// brings the usage of its subagents, whose answers are in other transcripts (facts/rpc 6.8).
func (t *Tally) Add(m message.Message) {
	t.Messages++
	if role := m.Speaker(); role != message.RoleOther {
		count(&t.ByRole, role)
	}
	switch m := m.(type) {
	case *message.User:
		t.at(m.Timestamp)
	case *message.Developer:
		t.at(m.Timestamp)
	case *message.BashExecution:
		t.at(m.Timestamp)
	case *message.Assistant:
		t.at(m.Timestamp)
		count(&t.ByModel, m.Provider+"/"+m.Model)
		for _, call := range m.Content.ToolCalls() {
			t.Calls++
			count(&t.ByTool, call.Name)
		}
		t.use(m.Usage)
	case *message.Custom:
		t.at(m.Timestamp)
		if m.CustomType == "async-result" {
			t.use(usageOf(m.Details))
		}
	case *message.ToolResult:
		t.at(m.Timestamp)
		if m.IsError {
			t.Failed++
		}
		if m.ToolName == "task" || m.ToolName == "job" { // reports that came with either
			t.use(usageOf(m.Details))
		}
	}
}

// Span is the time from the first message to the last.
func (t *Tally) Span() time.Duration { return t.Last.Sub(t.First) }

func (t *Tally) use(u message.Usage) {
	t.Tokens.Input += u.Input
	t.Tokens.Output += u.Output
	t.Tokens.Reasoning += u.ReasoningTokens
	t.Tokens.CacheRead += u.CacheRead
	t.Tokens.CacheWrite += u.CacheWrite
	t.Tokens.Total += u.TotalTokens
	t.Cost += u.Cost.Total
}

// usageOf is the usage that details speak of; none when they do not fit, as
// other programs write details too.
func usageOf(details json.RawMessage) message.Usage {
	var d struct {
		Usage message.Usage `json:"usage"`
	}
	if len(details) == 0 || json.Unmarshal(details, &d) != nil {
		return message.Usage{}
	}
	return d.Usage
}

func (t *Tally) at(millis int64) {
	if millis <= 0 {
		return
	}
	at := time.UnixMilli(millis).UTC()
	if t.First.IsZero() || at.Before(t.First) {
		t.First = at
	}
	if at.After(t.Last) {
		t.Last = at
	}
}

func count[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}
