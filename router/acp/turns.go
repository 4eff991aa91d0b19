package acp

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/message"
	core "veyyon.dev/veyyon/core/session"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

const (
	// unwindGrace is how long a cancelled turn may take to end; then its prompt is
	// answered and its session closed.
	unwindGrace = 5 * time.Second
	// together is how close prompts come that were sent one right behind the other:
	// these follow one another. One that is sent later takes the place of a turn
	// that streams.
	together = 250 * time.Millisecond
)

var (
	errCancelled = errors.New("the client has cancelled the turn")
	errReplaced  = errors.New("another prompt has taken the place of this turn")
	errStuck     = errors.New("ACP cancel cleanup timed out")
)

// A turn is a prompt on its way. Those of a session follow one another; the first
// in the session's list is under way.
type turn struct {
	prompt core.Prompt
	ctx    context.Context // ends when the turn is cancelled
	cancel context.CancelCauseFunc
	sent   time.Time
	ended  chan struct{} // closed when result and err are set
	told   chan struct{} // closed when the answer is on its way
	result wire.PromptResult
	err    error
}

// prompt admits a prompt in its turn, and is answered when its turn has ended.
func (s *Server) prompt(_ context.Context, p wire.Prompt) (router.Finish, error) {
	one, err := s.find(p.SessionID)
	if err != nil {
		return nil, err
	}
	asked := core.Prompt{Text: p.Text}
	for i, p := range p.Images {
		image, err := picture.FitBlock(s.opts.Images, message.NewImage(p.Data, p.MimeType))
		if err != nil {
			return nil, wire.Invalid("image %d of the prompt: %v", i, err)
		}
		asked.Images = append(asked.Images, image)
	}
	t := &turn{prompt: asked, sent: time.Now(), ended: make(chan struct{}), told: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(one.life)
	one.submit(t)
	return func(ctx context.Context) (router.Answer, error) {
		defer context.AfterFunc(ctx, func() { t.cancel(errCancelled) })()
		<-t.ended // the turn hears that it is cancelled, and ends soon then
		if t.err != nil {
			close(t.told)
			return router.Answer{}, t.err
		}
		return router.Answer{Data: t.result, Then: func() { close(t.told) }}, nil
	}, nil
}

// submit puts a turn behind the others. One that streams has to end for it.
func (one *session) submit(t *turn) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.turns = append(one.turns, t)
	if len(one.turns) == 1 {
		one.server.works.Go(one.work) // ends when no turn is left; each ends with the session
		return
	}
	first := one.turns[0]
	if one.sink.streams() || t.sent.Sub(first.sent) > together {
		first.cancel(errReplaced)
	}
}

// work has one turn after the other until none is left.
func (one *session) work() {
	for t := one.first(); t != nil; t = one.next() {
		t.result, t.err = one.perform(t)
		t.cancel(nil)
		close(t.ended)
	}
}

func (one *session) first() *turn {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.turns[0]
}

// next takes the turn away that has ended, and returns the one behind it.
func (one *session) next() *turn {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.turns = one.turns[1:]
	if len(one.turns) == 0 {
		return nil
	}
	return one.turns[0]
}

// busy tells whether a turn is under way.
func (one *session) busy() bool {
	one.mu.Lock()
	defer one.mu.Unlock()
	return len(one.turns) > 0
}

// cancel ends the turn under way. Without one, and for a session that is not
// open, it does nothing.
func (s *Server) cancel(_ context.Context, id string) (router.Answer, error) {
	one, err := s.find(id)
	if err != nil {
		return router.Answer{}, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(one.turns) > 0 {
		one.turns[0].cancel(errCancelled)
	}
	return router.Answer{}, nil
}

// cancelAll ends the turn under way and those behind it, and returns them.
func (one *session) cancelAll() []*turn {
	one.mu.Lock()
	defer one.mu.Unlock()
	for _, t := range one.turns {
		t.cancel(errClosed)
	}
	return slices.Clone(one.turns)
}

var cancelled = wire.PromptResult{StopReason: wire.StopCancelled}

// perform has one turn. What is told of it is told when it returns.
func (one *session) perform(t *turn) (wire.PromptResult, error) {
	if t.ctx.Err() != nil {
		return cancelled, nil
	}
	if t.prompt.Text == "" && len(t.prompt.Images) == 0 {
		return wire.PromptResult{StopReason: wire.StopEndTurn}, nil
	}
	one.sink.begin()
	if err := one.run(t); err != nil {
		return wire.PromptResult{}, err
	}
	if t.ctx.Err() == nil {
		one.sink.tellFailure()
	}
	outcome := one.sink.finish()
	if t.ctx.Err() != nil {
		return cancelled, nil
	}
	one.conclude(t.ctx, outcome)
	return outcome.result(), nil
}

// run lets the agent do what the prompt asks for, and returns when all has come
// to rest.
func (one *session) run(t *turn) error {
	over := make(chan error, 1) // one of the three is called, once
	t.prompt.Done = func(core.PromptEnd) { over <- nil }
	t.prompt.Local = func() { over <- nil }
	t.prompt.Fail = func(err error) { over <- err }
	accepted, err := one.agent.Prompt(t.ctx, t.prompt)
	if err != nil {
		if t.ctx.Err() != nil {
			return nil
		}
		return err
	}
	if accepted.Release != nil {
		accepted.Release()
	}
	if local := accepted.AgentInvoked; local != nil && !*local {
		return nil
	}
	select {
	case err := <-over:
		if err != nil {
			return err
		}
	case <-t.ctx.Done():
		return one.abort()
	}
	if t.rest(one) != nil && t.ctx.Err() != nil {
		return one.abort()
	}
	return nil
}

// rest waits until the session has come to rest. Background jobs may go on for long:
// what they give waits for the next prompt, as clients can show it nowhere else.
func (t *turn) rest(one *session) error {
	if err := one.agent.Settled(t.ctx); err != nil {
		return err
	}
	if err := one.agent.Park(t.ctx); err != nil {
		return err
	}
	return one.agent.Settled(t.ctx) // a run may have begun in between
}

// abort ends what runs and waits for it. A session that does not come to rest is
// of no use any more, and is closed.
func (one *session) abort() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(one.life), unwindGrace)
	defer cancel()
	wait, err := one.agent.Abort(ctx)
	if err == nil && wait != nil {
		err = wait(ctx)
	}
	if err == nil || ctx.Err() == nil {
		return nil
	}
	one.server.remove(one.id)
	one.server.works.Go(func() { one.unwind(errStuck) })
	return nil
}

// conclude tells what holds when a turn has ended.
func (one *session) conclude(ctx context.Context, o outcome) {
	state, err := one.agent.State(ctx)
	if err != nil {
		return // the session has ended
	}
	if o.dirty {
		_, _ = one.tellOptions(ctx) // likewise
	}
	if usage := state.ContextUsage; usage != nil && o.ran {
		update := wire.UsageUpdate{Update: "usage_update", Used: usage.Tokens, Size: usage.ContextWindow}
		if stats, err := one.agent.Stats(ctx); err == nil && stats.Cost > 0 {
			update.Cost = &wire.Cost{Amount: stats.Cost, Currency: "USD"}
		}
		one.sink.send(update)
	}
	if o.ran {
		one.sink.send(wire.SessionInfo{Update: "session_info_update", UpdatedAt: stamp(time.Now())})
	}
}

// outcome is what a turn came to.
type outcome struct {
	ran   bool               // a model was asked
	last  *message.Assistant // its last answer, nil for none
	usage message.Usage
	dirty bool // an option has changed by itself
}

// result is the answer to the prompt.
func (o outcome) result() wire.PromptResult {
	r := wire.PromptResult{StopReason: stopReason(o.last)}
	if o.usage.TotalTokens > 0 {
		r.Usage = &wire.TurnUsage{
			InputTokens: o.usage.Input, OutputTokens: o.usage.Output, TotalTokens: o.usage.TotalTokens,
			CachedReadTokens: o.usage.CacheRead, CachedWriteTokens: o.usage.CacheWrite,
		}
	}
	return r
}

// refusal is what the errors of providers say that want no part in something
// (facts/acp 6.4).
var refusal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)content[_ ]?filter|refus(al|ed)`) })

// stopReason says why the model stopped. Other failures of a provider are told as
// text, and end the turn.
func stopReason(last *message.Assistant) string {
	switch {
	case last == nil:
		return wire.StopEndTurn
	case last.StopReason == message.StopLength:
		return wire.StopMaxTokens
	case last.StopReason == message.StopAborted:
		return wire.StopCancelled
	case last.StopReason == message.StopError && refusal().MatchString(last.ErrorMessage):
		return wire.StopRefusal
	case last.StopDetails != nil && last.StopDetails.Type == "refusal":
		return wire.StopRefusal
	}
	return wire.StopEndTurn
}
