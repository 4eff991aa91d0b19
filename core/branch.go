package core

import (
	"context"

	"veyyon.dev/veyyon/core/hub"
)

// Branched answers branch: the text of the message that was gone back to.
type Branched struct {
	Text      string `json:"text"`
	Cancelled bool   `json:"cancelled"`
}

// Branch begins a session that holds all before a user message of the one in
// front, which stops if a turn streams. An entry that is none has the code
// fault.Invalid, and then nothing changes. It waits for the disk, which copies
// the file: the commands behind it are about the new session.
func (a *Agent) Branch(ctx context.Context, entryID string) (branched Branched, err error) {
	err = a.hub.Change(ctx, func(m *hub.Members) error {
		front := m.Front()
		choice, err := front.Choice(ctx)
		if err != nil {
			return err
		}
		opts := a.opts.Transcripts(front.Dir())
		opts.Parent = front.Path()
		text, log, err := front.Branch(ctx, entryID, opts)
		if err != nil {
			return err
		}
		branched.Text = text
		m.Drop(ctx)
		a.attach(ctx, m, a.begin(log, choice))
		return nil
	})
	return branched, err
}
