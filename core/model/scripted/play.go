package scripted

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// Play is a script and how far it has been played. Safe for concurrent use.
type Play struct {
	mu       sync.Mutex
	turns    []*turn
	requests int
}

var exhausted = &turn{steps: []step{{text: "(script exhausted)", count: 1}}, usage: message.Usage{Input: 100, Output: 10}}

// take gives the turn for a request, and the request's number from 1.
func (p *Play) take(text string) (*turn, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	for _, t := range p.turns {
		if t.used || t.match != nil && !t.match.MatchString(text) {
			continue
		}
		t.used = !t.repeat
		return t, p.requests
	}
	return exhausted, p.requests
}

func (p *Play) stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	next, request := p.take(lastUserText(req.Messages))
	calls := 0
	for _, s := range next.steps {
		if s.call != nil {
			calls++
		}
		if err := s.perform(ctx, draft, fmt.Sprintf("call_%d_%d", request, calls)); err != nil {
			return err
		}
	}
	draft.Usage(next.usage, req.Model.Cost)
	return nil
}

// perform does one step; callID is for a call that has no id of its own.
func (s step) perform(ctx context.Context, draft *model.Draft, callID string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch {
	case s.reply != nil:
		return wire.StatusError(s.reply.status, s.reply.header, s.reply.body)
	case s.drop:
		return &model.Error{Class: model.ClassTransient, Message: "the connection broke in the middle of the answer"}
	case s.hang:
		<-ctx.Done()
		return context.Cause(ctx)
	case s.delay > 0:
		return wait(ctx, s.delay)
	case s.thinking != "":
		draft.Thinking(s.thinking)
	case s.call != nil:
		s.call.write(draft, callID)
	case s.stop != "":
		draft.Stop(s.stop)
	}
	return s.say(ctx, draft)
}

// say writes the step's text as often as it says.
func (s step) say(ctx context.Context, draft *model.Draft) error {
	for range s.count {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		draft.Text(s.text)
	}
	return nil
}

// write puts the call into the draft, its arguments in two halves as real
// providers send them in pieces.
func (c *call) write(draft *model.Draft, id string) {
	if c.id != "" {
		id = c.id
	}
	half := len(c.args) / 2
	for half > 0 && !utf8.RuneStart(c.args[half]) { // a delta is whole characters
		half--
	}
	draft.CallStart(id, c.name)
	draft.CallArguments(c.args[:half])
	draft.CallArguments(c.args[half:])
	draft.CloseBlock()
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
