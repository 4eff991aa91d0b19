package session

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// BranchPoint is a user message one can go back to.
type BranchPoint struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

// BranchPoints lists the user messages with a text, in the order they were
// written, those of left branches too.
func BranchPoints(s transcript.Snapshot) ([]BranchPoint, error) {
	var said []*transcript.Entry
	for _, e := range s.Entries() {
		if e.Role == message.RoleUser {
			said = append(said, e)
		}
	}
	bodies, err := s.Bodies(said)
	if err != nil {
		return nil, fault.Wrap(fault.IO, err)
	}
	points := []BranchPoint{}
	for i, body := range bodies {
		if text, ok := saidIn(body); ok && text != "" {
			points = append(points, BranchPoint{EntryID: said[i].ID, Text: text})
		}
	}
	return points, nil
}

// saidIn is the text of an entry that is a user message.
func saidIn(body transcript.Body) (text string, ok bool) {
	said, ok := body.(*transcript.Message)
	if !ok {
		return "", false
	}
	m, ok := said.Message.(*message.User)
	if !ok {
		return "", false
	}
	return m.Content.Text(), true
}

// SetLabel names an entry of the transcript; an empty label takes the name away.
// An unknown entry has the code fault.NotFound.
func (s *Session) SetLabel(ctx context.Context, entryID, label string) error {
	return try(ctx, s, func(st *state) error {
		err := st.log().SetLabel(entryID, transcript.CleanTitle(label))
		if errors.Is(err, transcript.ErrNoEntry) {
			return fault.New(fault.NotFound, "Unknown entry: "+entryID)
		}
		st.wrote(err)
		return nil
	})
}

// branchText is fixed by the protocol's clients.
const branchText = "Invalid entry ID for branching"

// Branch makes a transcript of all before a user message of this session, which
// does not change, and returns the message's text. The session waits while the
// file is copied: what comes next is said in the branch. An entry that is none,
// or unknown, has the code fault.Invalid.
func (s *Session) Branch(ctx context.Context, entryID string, opts transcript.Options) (text string, log *transcript.Log, err error) {
	err = try(ctx, s, func(st *state) error {
		e, said, ok := st.branchPoint(entryID)
		if !ok {
			return fault.New(fault.Invalid, branchText)
		}
		made, err := st.log().Branch(e.Parent, opts)
		if err != nil {
			return fault.Wrap(fault.IO, err)
		}
		text, log = said, made
		return nil
	})
	return text, log, err
}

// branchPoint is the entry of that id with its text; ok is false when it is no
// user message.
func (st *state) branchPoint(id string) (e *transcript.Entry, text string, ok bool) {
	if e = st.log().ByID(id); e == nil {
		return nil, "", false
	}
	text, ok = saidIn(st.log().Body(e))
	return e, text, ok
}
