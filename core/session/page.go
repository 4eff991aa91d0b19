package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
)

// How much a page of messages holds at the most. One message that is larger
// makes a page of its own.
const (
	pageMessages    = 100 // when the host names no limit
	maxPageMessages = 1000
	pageBytes       = 128 << 10 // of JSON: while one is written, answers wait behind it
)

// PageRequest asks for a page of the finished messages.
type PageRequest struct {
	Cursor     string // of the page before; "" for the first
	Limit      int    // messages at the most; 0 leaves it open
	Descending bool   // from the newest on; a cursor keeps the order it began with
}

// Page is some of the messages of a session, each as JSON.
type Page struct {
	Messages      []json.RawMessage `json:"messages"`
	NextCursor    string            `json:"nextCursor,omitempty"` // absent at the end
	TotalMessages int               `json:"totalMessages"`
}

// StaleCursor is the code of a cursor of another session, or of one whose
// messages have been rewritten since: the host begins again.
const StaleCursor fault.Code = "stale_cursor"

// Page takes a look at the messages of this moment; encode makes the page of
// them, and may run anywhere. Messages that come later do not make a cursor
// stale. The codes of its errors are fault.Invalid and StaleCursor.
func (s *Session) Page(ctx context.Context, r PageRequest) (encode func() (Page, error), err error) {
	var all []message.Message
	from := cursor{session: s.ID(), descending: r.Descending}
	err = try(ctx, s, func(st *state) error {
		from.generation = st.generation
		if from.at = 0; r.Descending {
			from.at = len(st.messages)
		}
		if r.Cursor != "" {
			given, ok := parseCursor(r.Cursor)
			switch {
			case !ok:
				return fault.New(fault.Invalid, "cursor is none that get_messages_page has given")
			case given.session != from.session, given.generation != from.generation, given.at > len(st.messages):
				return fault.New(StaleCursor, "The messages have been rewritten since this cursor was given; begin again without one")
			}
			from = given
		}
		all = st.messages[:len(st.messages):len(st.messages)]
		return nil
	})
	if err != nil {
		return nil, err
	}
	limit := r.Limit
	if limit <= 0 {
		limit = pageMessages
	}
	return func() (Page, error) { return from.page(all, min(limit, maxPageMessages)) }, nil
}

// A cursor is where a page begins: ascending, at is the first message of it;
// descending, the one behind its first.
type cursor struct {
	session    string
	generation int
	descending bool
	at         int
}

func (c cursor) String() string {
	order := "asc"
	if c.descending {
		order = "desc"
	}
	return fmt.Sprintf("%s.%d.%s.%d", c.session, c.generation, order, c.at)
}

func parseCursor(text string) (c cursor, ok bool) {
	parts := strings.Split(text, ".")
	id := len(parts) - 3 // the id of a session may have dots itself
	if id < 1 || parts[id+1] != "asc" && parts[id+1] != "desc" {
		return c, false
	}
	generation, err := strconv.Atoi(parts[id])
	if err != nil {
		return c, false
	}
	at, err := strconv.Atoi(parts[id+2])
	return cursor{strings.Join(parts[:id], "."), generation, parts[id+1] == "desc", at}, err == nil && at >= 0
}

// page encodes up to limit messages from the cursor on.
func (c cursor) page(all []message.Message, limit int) (Page, error) {
	page := Page{Messages: []json.RawMessage{}, TotalMessages: len(all)}
	size, step, end := 0, 1, len(all)
	if c.descending {
		step, end = -1, 0
	}
	at := c.at
	for ; at != end && len(page.Messages) < limit; at += step {
		m := all[at+(step-1)/2] // descending, at is the one behind
		text, err := message.Marshal(m)
		if err != nil {
			return Page{}, fmt.Errorf("encoding a message: %w", err)
		}
		if size += len(text); size > pageBytes && len(page.Messages) > 0 {
			break
		}
		page.Messages = append(page.Messages, text)
	}
	if at != end {
		c.at = at
		page.NextCursor = c.String()
	}
	return page, nil
}
