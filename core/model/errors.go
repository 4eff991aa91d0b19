package model

import "time"

// Class says what kind of failure a request met. The values are the bits of
// errorId on the wire (facts/agent 5.2).
type Class int

// The classes that are told apart. Everything that is none of these is 0.
const (
	ClassContentBlocked Class = 0x8000    // refused by a content filter; not retried
	ClassTransient      Class = 0x20000   // 408, 429, 5xx, 529, dropped connection; retried
	ClassTimeout        Class = 0x40000   // silent too long; retried
	ClassUsageLimit     Class = 0x80000   // quota used up; retried only when the wait is short enough
	ClassOverflow       Class = 0x800000  // the request is larger than the context window; not retried
	ClassAuth           Class = 0x1000000 // 401, 403; not retried
)

// classMarker is set in every errorId that holds class bits.
const classMarker = 0x1000

// Error is a failed request. Errors of providers are always of this type,
// apart from the cause of an ended context.
type Error struct {
	Class      Class
	Status     int           // HTTP status, 0 when there was no answer
	Message    string        // for people; never holds a key
	RetryAfter time.Duration // what the provider asked for, 0 when it did not
}

func (e *Error) Error() string { return e.Message }

// ID is the errorId of the wire.
func (e *Error) ID() int {
	if e.Class == 0 {
		return e.Status
	}
	return classMarker | int(e.Class)
}

// Retryable tells whether asking again can help.
func (e *Error) Retryable() bool {
	return e.Class&(ClassTransient|ClassTimeout|ClassUsageLimit) != 0 && e.Class&(ClassContentBlocked|ClassOverflow|ClassAuth) == 0
}
