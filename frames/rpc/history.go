package rpc

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"veyyon.dev/veyyon/frames"
)

// EventFilter is the arguments of set_event_filter. Nil Events are all events;
// MessageUpdates is full, delta, or "" for what it is now.
type EventFilter struct {
	Events         []string
	MessageUpdates string
}

// DecodeEventFilter reads an EventFilter. That all events are wanted must be
// said: events is null then.
func DecodeEventFilter(o Object) (f EventFilter, err error) {
	value, ok := o.Get("events")
	switch {
	case !ok:
		return f, errors.New("events must be an array of strings, or null for all")
	case string(value) != "null":
		items, err := o.Array("events")
		if err != nil {
			return f, err
		}
		f.Events = make([]string, len(items))
		for i, item := range items {
			if !frames.IsString(item) {
				return f, fmt.Errorf("events[%d] must be a string", i)
			}
			f.Events[i] = frames.Unquote(item)
		}
	}
	if _, ok := o.Get("messageUpdates"); ok {
		f.MessageUpdates, err = OneOf("messageUpdates", "message updates", "full", "delta")(o)
	}
	return f, err
}

// Entries is the arguments of get_entries: those after Since, all when it is "";
// at most Limit of them, 0 for no limit.
type Entries struct {
	Since string
	Limit int
}

// DecodeEntries reads an Entries.
func DecodeEntries(o Object) (e Entries, err error) {
	if e.Since, err = o.OptString("since"); err != nil {
		return e, err
	}
	e.Limit, err = optCount(o, "limit")
	return e, err
}

// MessagesPage is the arguments of get_messages_page.
type MessagesPage struct {
	Cursor     string
	Limit      int // 0 leaves it open
	Descending bool
}

// DecodeMessagesPage reads a MessagesPage.
func DecodeMessagesPage(o Object) (p MessagesPage, err error) {
	if p.Cursor, err = o.OptString("cursor"); err != nil {
		return p, err
	}
	if p.Limit, err = optCount(o, "limit"); err != nil {
		return p, err
	}
	if o.Set("order") {
		order, err := OneOf("order", "order", "asc", "desc")(o)
		if err != nil {
			return p, err
		}
		p.Descending = order == "desc"
	}
	return p, nil
}

// Label is the arguments of set_label; an empty one takes the name away.
type Label struct {
	EntryID string
	Label   string
}

// DecodeLabel reads a Label.
func DecodeLabel(o Object) (l Label, err error) {
	if l.EntryID, err = o.String("entryId"); err != nil {
		return l, err
	}
	l.Label, err = o.OptString("label")
	return l, err
}

// SessionList is the arguments of list_sessions. Cwd names another working
// folder than the session's; All asks for those of all folders.
type SessionList struct {
	All    bool
	Cwd    string
	Cursor string
	Limit  int // 0 leaves it open
}

// DecodeSessionList reads a SessionList.
func DecodeSessionList(o Object) (l SessionList, err error) {
	if o.Set("scope") {
		scope, err := OneOf("scope", "scope", "current", "all")(o)
		if err != nil {
			return l, err
		}
		l.All = scope == "all"
	}
	if l.Cwd, err = o.OptString("cwd"); err != nil {
		return l, err
	}
	if l.Cursor, err = o.OptString("cursor"); err != nil {
		return l, err
	}
	l.Limit, err = optCount(o, "limit")
	return l, err
}

// OpenSession is the arguments of open_session: an id, the beginning of one, or
// a file; "" for the newest session of the folder.
type OpenSession struct {
	Session string
	Dir     string // folder of session files, "" for the working folder's
}

// DecodeOpenSession reads an OpenSession.
func DecodeOpenSession(o Object) (s OpenSession, err error) {
	if s.Session, err = o.OptString("session"); err != nil {
		return s, err
	}
	s.Dir, err = o.OptString("sessionDir")
	return s, err
}

// optCount reads a field that may be absent, which is as good as 0, or a whole
// number from 1 on.
func optCount(o Object, key string) (int, error) {
	if !o.Set(key) {
		return 0, nil
	}
	value, _ := o.Get(key)
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || n < 1 || n != math.Trunc(n) || n > math.MaxInt32 {
		return 0, fmt.Errorf("%s must be a whole number of at least 1", key)
	}
	return int(n), nil
}
