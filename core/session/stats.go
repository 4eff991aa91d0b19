package session

import (
	"context"
	"io"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tally"
	"veyyon.dev/veyyon/core/transcript"
)

// State is a snapshot of everything a host may want to know.
func (s *Session) State(ctx context.Context) (State, error) {
	return ask(ctx, s, func(st *state) State {
		offered := st.s.opts.Tools().Offered()
		tools := make([]DumpTool, len(offered))
		for i, spec := range offered {
			tools[i] = DumpTool{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters}
		}
		title, _ := st.log().Title()
		return State{
			Model: st.choice.Model, ThinkingLevel: st.level(), IsStreaming: st.streaming(), IsCompacting: st.writing != nil && st.writing.compact,
			SteeringMode: st.choice.Steering, FollowUpMode: st.choice.FollowUp, InterruptMode: st.choice.Interrupt,
			SessionFile: st.log().Path(), SessionID: st.log().ID(), SessionName: title,
			AutoCompactionEnabled: st.choice.Compact, MessageCount: len(st.messages),
			QueuedMessageCount: len(st.queues.steering) + len(st.queues.followUp),
			TodoPhases:         st.todos, SystemPrompt: st.system, DumpTools: tools, ContextUsage: st.usage(),
		}
	})
}

// Messages lists the finished messages of the context.
func (s *Session) Messages(ctx context.Context) ([]message.Message, error) {
	return ask(ctx, s, func(st *state) []message.Message {
		return append([]message.Message{}, st.messages...)
	})
}

// Apart is the transcript as it is now: finished messages, and no part of an
// answer that is under way. It outlives the session; the caller closes it.
func (s *Session) Apart(ctx context.Context) (snapshot transcript.Snapshot, file io.Closer, err error) {
	err = try(ctx, s, func(st *state) (err error) {
		snapshot, file, err = st.log().Apart()
		return err
	})
	return snapshot, file, err
}

// ContextTokens estimates what the messages of a session take of the context, as
// a session that goes on with them would, but for its instructions and tools:
// these it counts only until the first answer.
func ContextTokens(messages []message.Message) int {
	var size contextSize
	for _, m := range messages {
		size.add(m)
	}
	return size.counted + size.since
}

// Stats counts what the context holds.
func (s *Session) Stats(ctx context.Context) (Stats, error) {
	return ask(ctx, s, func(st *state) Stats {
		stats := count(st.messages)
		stats.SessionFile, stats.SessionID, stats.ContextUsage = st.log().Path(), st.log().ID(), st.usage()
		return stats
	})
}

// count is over the messages in context, so it shrinks with a compaction.
func count(messages []message.Message) Stats {
	var counted tally.Tally
	for _, m := range messages {
		counted.Add(m)
	}
	return Stats{
		UserMessages: counted.ByRole[message.RoleUser], AssistantMessages: counted.ByRole[message.RoleAssistant],
		ToolCalls: counted.Calls, ToolResults: counted.ByRole[message.RoleToolResult], TotalMessages: counted.Messages,
		Tokens: counted.Tokens, Cost: counted.Cost,
	}
}

// LastAssistantText is the trimmed text of the last answer; ok is false when
// there is none. An aborted answer without content does not count.
func (s *Session) LastAssistantText(ctx context.Context) (text string, ok bool, err error) {
	err = s.do(ctx, func(st *state) {
		for _, m := range slices.Backward(st.messages) {
			a, is := m.(*message.Assistant)
			if !is || a.StopReason == message.StopAborted && len(a.Content) == 0 {
				continue
			}
			text, ok = strings.TrimSpace(a.Content.Text()), true
			return
		}
	})
	return text, ok, err
}
