package session

import (
	"context"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/message"
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
			TodoPhases:         st.todos, SystemPrompt: st.s.opts.System, DumpTools: tools, ContextUsage: st.usage(),
		}
	})
}

// Messages lists the finished messages of the context.
func (s *Session) Messages(ctx context.Context) ([]message.Message, error) {
	return ask(ctx, s, func(st *state) []message.Message {
		return append([]message.Message{}, st.messages...)
	})
}

// Stats counts what the context holds.
func (s *Session) Stats(ctx context.Context) (Stats, error) {
	return ask(ctx, s, func(st *state) Stats {
		stats := count(st.messages)
		stats.SessionFile, stats.SessionID, stats.ContextUsage = st.log().Path(), st.log().ID(), st.usage()
		return stats
	})
}

func count(messages []message.Message) Stats {
	stats := Stats{TotalMessages: len(messages)}
	for _, m := range messages {
		switch m := m.(type) {
		case *message.User:
			stats.UserMessages++
		case *message.ToolResult:
			stats.ToolResults++
		case *message.Assistant:
			stats.AssistantMessages++
			stats.ToolCalls += len(m.Content.ToolCalls())
			stats.Tokens.Input += m.Usage.Input
			stats.Tokens.Output += m.Usage.Output
			stats.Tokens.Reasoning += m.Usage.ReasoningTokens
			stats.Tokens.CacheRead += m.Usage.CacheRead
			stats.Tokens.CacheWrite += m.Usage.CacheWrite
			stats.Tokens.Total += m.Usage.TotalTokens
			stats.Cost += m.Usage.Cost.Total
		}
	}
	return stats
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
