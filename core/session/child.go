package session

import (
	"context"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/transcript"
)

// Child returns what a session that works for this one begins with: its models,
// shell, rules, bounds and choice, but no job board, no todos, and a name of its
// own to providers, whose caches would otherwise take the two for one. The caller
// sets what the two do not share: Log, System, Tools, Emit.
func (s *Session) Child(ctx context.Context) (Options, error) {
	choice, err := s.Choice(ctx)
	opts, at := s.opts, s.place.Load()
	opts.Dir, opts.Began, opts.System, opts.Rules, opts.Gate = at.Dir, "", at.System, at.Rules, at.Gate
	opts.Choice, opts.MaxJobs, opts.Todo, opts.CacheKey, opts.Log, opts.Emit = choice, 0, Todo{}, "", nil, nil
	return opts, err
}

// Folder is where the session keeps what belongs to it beside its transcript,
// "" for one in memory.
func (s *Session) Folder() string { return strings.TrimSuffix(s.Path(), ".jsonl") }

// Tell passes events of work that is done for the session to its host, in the
// order of its own; nothing while the host is elsewhere.
func (s *Session) Tell(ctx context.Context, events ...event.Event) error {
	return s.do(ctx, func(st *state) { st.emit(events...) })
}

// Note appends an entry that is no message to the transcript.
func (s *Session) Note(ctx context.Context, body transcript.Body) error {
	return s.do(ctx, func(st *state) { st.wrote(st.log().Append(body)) })
}
