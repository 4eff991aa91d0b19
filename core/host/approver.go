package host

import (
	"context"
	"encoding/json"
	"time"
)

// An Approver asks the person whether one tool call may run. Safe for concurrent
// use.
type Approver interface {
	// Approve asks and waits for the person. The error is the cause of ctx, and
	// then the question is taken back; or ErrGone; or says for the model why
	// nobody could be asked.
	Approve(ctx context.Context, p Permission) (Grant, error)
}

// Permission is the question whether a call may run.
type Permission struct {
	CallID string
	Tool   string
	Args   json.RawMessage // what the call's arguments are, an object
	Text   string          // the whole question, in lines
	Title  string          // what the call does, in a line
	// Lasting and LastingAllow tell that the person may settle calls like this one
	// for as long as the session lasts: any way, and by letting them run.
	Lasting, LastingAllow bool
	Timeout               time.Duration // 0 waits for ever
}

// Grant is what the person made of it.
type Grant string

// The grants.
const (
	Allowed       Grant = "allowed"
	AllowedAlways Grant = "allowed_always"
	Denied        Grant = "denied"
	DeniedAlways  Grant = "denied_always"
	Dismissed     Grant = "dismissed" // the question was closed without an answer
	TimedOut      Grant = "timed_out" // nobody answered in time
)
