package session

import (
	"context"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/transcript"
)

// SetModel chooses the model of the next request. The level asked for stays,
// and is fitted to the model anew.
func (s *Session) SetModel(ctx context.Context, m *model.Model) error {
	return s.do(ctx, func(st *state) {
		before := st.level()
		st.choice.Model, st.fallback = m, fallback{}
		st.wrote(st.log().Append(&transcript.ModelChange{Model: m.Ref()}))
		st.levelChanged(before)
	})
}

// SetThinkingLevel asks for a level: one the model accepts, auto, or inherit.
func (s *Session) SetThinkingLevel(ctx context.Context, level model.Level) error {
	return try(ctx, s, func(st *state) error {
		if err := registry.CheckLevel(st.choice.Model, level); err != nil {
			return fault.Wrap(fault.Invalid, err)
		}
		st.setLevel(level)
		return nil
	})
}

// CycleThinkingLevel goes to the next level; "" when the model does not reason.
func (s *Session) CycleThinkingLevel(ctx context.Context) (model.Level, error) {
	return ask(ctx, s, func(st *state) model.Level {
		next := registry.NextLevel(st.choice.Model, st.choice.Thinking)
		if next != "" {
			st.setLevel(next)
		}
		return next
	})
}

func (st *state) setLevel(level model.Level) {
	before := st.level()
	st.choice.Thinking = level
	st.wrote(st.log().Append(st.thinking()))
	st.levelChanged(before)
}

// thinking is the level as the transcript notes it.
func (st *state) thinking() *transcript.ThinkingChange {
	effective, configured := string(st.level()), string(st.choice.Thinking)
	return &transcript.ThinkingChange{ThinkingLevel: &effective, Configured: &configured}
}

// levelChanged tells the host when another level is in effect than before.
func (st *state) levelChanged(before model.Level) {
	if now := st.level(); now != before {
		st.emit(event.ThinkingLevelChanged{ThinkingLevel: string(now), Configured: string(st.choice.Thinking)})
	}
}

// SetAutoRetry switches retries on or off for this session.
func (s *Session) SetAutoRetry(ctx context.Context, on bool) error {
	return s.do(ctx, func(st *state) { st.choice.AutoRetry = on })
}

// SetAutoCompaction switches compaction by itself on or off for this session.
func (s *Session) SetAutoCompaction(ctx context.Context, on bool) error {
	return s.do(ctx, func(st *state) { st.choice.Compact = on })
}

// AbortRetry ends a wait before a retry, and with it the run; otherwise it does
// nothing.
func (s *Session) AbortRetry(ctx context.Context) error {
	return s.do(ctx, func(st *state) {
		if st.run != nil && st.run.backoff != nil {
			st.giveUpRetry()
		}
	})
}

// Choice tells what a session that follows this one takes over.
func (s *Session) Choice(ctx context.Context) (Choice, error) {
	return ask(ctx, s, func(st *state) Choice {
		choice := st.choice
		if st.fallback.primary != nil {
			choice.Model = st.fallback.primary
		}
		return choice
	})
}

// nameText is fixed by the protocol ("Session name cannot be empty").
const nameText = "Session name cannot be empty"

// SetName names the session. Control characters become spaces and runs of
// spaces one; nothing must not be left.
func (s *Session) SetName(ctx context.Context, name string) error {
	tidy := transcript.CleanTitle(name)
	if tidy == "" {
		return fault.New(fault.Invalid, nameText)
	}
	return s.do(ctx, func(st *state) { st.wrote(st.log().SetTitle(tidy, transcript.TitleUser)) })
}
