// Package fault holds the errors that a host is meant to tell apart: a text
// for people and a short stable word for programs.
package fault

import (
	"errors"
	"fmt"
)

// Code is the short stable word (decisions 6).
type Code string

// The words.
const (
	Invalid        Code = "invalid_argument"
	NotFound       Code = "not_found"
	Busy           Code = "busy"
	NoModel        Code = "no_model"
	NoCredentials  Code = "no_credentials"
	Cancelled      Code = "cancelled"
	Provider       Code = "provider"
	IO             Code = "io"
	Internal       Code = "internal"
	NotImplemented Code = "not_implemented"
)

// Error is an error with its code.
type Error struct {
	code  Code
	text  string
	err   error
	about map[string]string
}

// New returns an error of this code and text.
func New(code Code, text string) *Error { return &Error{code: code, text: text} }

// Newf is New with a format.
func Newf(code Code, format string, args ...any) *Error {
	return &Error{code: code, text: fmt.Sprintf(format, args...)}
}

// Wrap gives err a code; its text stays.
func Wrap(code Code, err error) *Error { return &Error{code: code, text: err.Error(), err: err} }

// About says what the error is about, by a name for programs. It changes e and
// returns it.
func (e *Error) About(name, value string) *Error {
	if e.about == nil {
		e.about = make(map[string]string)
	}
	e.about[name] = value
	return e
}

func (e *Error) Error() string { return e.text }

// Unwrap returns what Wrap was given.
func (e *Error) Unwrap() error { return e.err }

// AboutOf is what About has said of err, or of what it wraps; nil when nothing.
func AboutOf(err error) map[string]string {
	for coded := (*Error)(nil); errors.As(err, &coded); err = coded.err {
		if coded.about != nil {
			return coded.about
		}
	}
	return nil
}

// CodeOf is the code of err, Internal when it has none.
func CodeOf(err error) Code {
	var coded *Error
	if errors.As(err, &coded) {
		return coded.code
	}
	return Internal
}
