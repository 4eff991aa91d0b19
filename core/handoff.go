package core

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/hub"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/transcript"
)

// HandedOff answers handoff. SavedPath is where the document was kept beside the
// session; it is not, by this command.
type HandedOff struct {
	SavedPath string `json:"savedPath,omitempty"`
}

// errMovedOn is why a document comes to no use.
var errMovedOn = fault.New(fault.Cancelled, "Handoff cancelled")

// Handoff has the model write down the conversation of the session in front. run
// waits for that and then goes on in a new session that begins with the document;
// it must be called. What waited in the old session waits in the new one until
// release, which the caller calls when the host has its answer. done is nil when
// the model had nothing to say: then nothing has changed. Prompts that come
// meanwhile are accepted and begin afterwards.
//
// The errors are those of Session.Handoff; the host that has moved to another
// session meanwhile has cancelled it.
func (a *Agent) Handoff(ctx context.Context, instructions string) (run func(context.Context) (done *HandedOff, release func(), err error), err error) {
	var front *session.Session
	write, err := moving(ctx, a, func(s *session.Session) (func(context.Context) (string, error), error) {
		front = s
		return s.Handoff(ctx, instructions)
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*HandedOff, func(), error) {
		document, err := write(ctx)
		if err != nil || document == "" {
			return nil, nil, err
		}
		release, err := a.succeed(ctx, front, document)
		if err != nil {
			return nil, nil, err
		}
		return &HandedOff{}, release, nil
	}, nil
}

// succeed puts a new session that begins with the document in the place of old.
// When it cannot, what waits in old begins there.
func (a *Agent) succeed(ctx context.Context, old *session.Session, document string) (release func(), err error) {
	var carry session.Carry
	err = a.hub.Change(ctx, func(m *hub.Members) error {
		if m.Front() != old {
			return errMovedOn
		}
		next, err := a.successor(ctx, old, document)
		if err != nil {
			return err
		}
		if carry, err = old.TakeQueues(ctx); err != nil {
			return a.discard(ctx, next, err)
		}
		// Before the host can reach the new session: what waited comes first there.
		if release, err = next.TakeOver(ctx, carry); err != nil {
			return a.discard(ctx, next, err)
		}
		m.Drop(ctx)
		m.Attach(ctx, next)
		return nil
	})
	if err != nil {
		_ = old.KeepQueues(ctx, carry) // an ended session has none
	}
	return release, err
}

func (a *Agent) successor(ctx context.Context, old *session.Session, document string) (*session.Session, error) {
	choice, err := old.Choice(ctx)
	if err != nil {
		return nil, err
	}
	opts := a.opts.Transcripts(old.Dir())
	opts.Parent = old.Path()
	log, err := transcript.New(opts)
	if err != nil {
		return nil, err
	}
	err = log.Append(&transcript.CustomMessage{
		CustomType: "handoff", Content: message.Blocks{message.NewText(document)}, Display: true, Attribution: "agent",
	})
	if err == nil {
		err = log.Flush()
	}
	if err != nil {
		_ = log.Close() // the first error tells
		return nil, fault.Wrap(fault.IO, err)
	}
	return a.begin(log, choice), nil
}
