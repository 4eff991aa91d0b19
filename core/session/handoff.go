package session

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/fault"
)

// Why a conversation cannot be handed off (facts/rpc 5.34).
var (
	errHandoffBusy      = fault.New(fault.Busy, "Cannot hand off while a response is in progress")
	errNothingToHandOff = fault.New(fault.Invalid, "Nothing to hand off (no messages yet)")
	errHandoffCancelled = fault.New(fault.Cancelled, "Handoff cancelled")
	errNoModelToHandOff = fault.New(fault.NoModel, "No model selected for handoff")
)

// minHandoff is how many messages a conversation has that can be handed off.
const minHandoff = 2

// Handoff lets the model write a document for a session that goes on with the
// work. run waits for it, and must be called; Abort cancels it (fault.Cancelled).
// Prompts accepted meanwhile wait. When it fails they begin here; when it has
// succeeded, they wait until TakeQueues has taken them or KeepQueues gives them
// back. The document is "" when the model had nothing to say: then they begin
// here too.
func (s *Session) Handoff(ctx context.Context, instructions string) (run func(context.Context) (document string, err error), err error) {
	var w *writing
	err = try(ctx, s, func(st *state) (failed error) {
		w, failed = st.handoff(instructions)
		return failed
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) {
		w.await(ctx)
		return w.document, ofProvider(w.err)
	}, nil
}

func (st *state) handoff(instructions string) (*writing, error) {
	switch m := st.choice.Model; {
	case st.stopped, st.moved:
		return nil, ErrClosed
	case st.run != nil || st.held():
		return nil, errHandoffBusy
	case len(st.messages) < minHandoff:
		return nil, errNothingToHandOff
	case m == nil:
		return nil, errNoModelToHandOff
	case !st.s.opts.Models.HasKey(m):
		return nil, fault.Newf(fault.NoCredentials, "No API key for %s", m.Provider)
	}
	if err := st.ready(); err != nil {
		return nil, err
	}
	w := st.openWriting(st.life, false)
	wishes := st.wishes()
	wishes.Focus = instructions
	author, messages := st.author(st.ratio(st.contextTokens())), st.messages[:len(st.messages):len(st.messages)]
	st.carryOut(w, func(ctx context.Context) (written, error) {
		wishes := author.discreet(wishes)
		text, err := author.write(ctx, func(r compaction.Room) compaction.Request { return compaction.Handoff(messages, wishes, r) })
		if errors.Is(err, errWroteNothing) {
			err = nil // an empty document is one (facts/rpc 5.34)
		}
		return written{text: text}, err
	}, func(st *state, text written, err error) {
		if w.ctx.Err() != nil {
			text, err = written{}, errHandoffCancelled
		}
		w.document, w.err = text.text, err
		st.handed = err == nil && text.text != "" && !st.stopped
		st.endWriting(w)
		st.beginNext()
	})
	return w, nil
}
