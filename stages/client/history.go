package client

import (
	"context"
	"encoding/json"
)

// A Message is one of the transcript; Raw is the whole of it.
type Message struct {
	Role string
	Raw  json.RawMessage
}

// UnmarshalJSON keeps the whole message beside its role.
func (m *Message) UnmarshalJSON(raw []byte) error {
	var head struct {
		Role string `json:"role"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	m.Role, m.Raw = head.Role, append(json.RawMessage(nil), raw...)
	return nil
}

// Messages asks for the finished messages of the session.
func (c *Client) Messages(ctx context.Context) ([]Message, error) {
	all, err := Call[struct{ Messages []Message }](ctx, c, "get_messages", nil)
	return all.Messages, err
}

// Page is some of the messages; NextCursor is "" at the end.
type Page struct {
	Messages      []Message `json:"messages"`
	NextCursor    string    `json:"nextCursor"`
	TotalMessages int       `json:"totalMessages"`
}

// PageRequest asks for a page: the first without a Cursor, as many messages as
// the server likes without a Limit, from the oldest on unless Order is "desc".
type PageRequest struct {
	Cursor string `json:"cursor,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	Order  string `json:"order,omitempty"`
}

// MessagesPage asks for a page of the finished messages.
func (c *Client) MessagesPage(ctx context.Context, r PageRequest) (Page, error) {
	return Call[Page](ctx, c, "get_messages_page", r)
}

// Entries asks for the lines of the transcript behind the entry since, or for all
// when that is "". leaf is the entry that the next one will follow.
func (c *Client) Entries(ctx context.Context, since string) (entries []json.RawMessage, leaf string, err error) {
	got, err := Call[struct {
		Entries []json.RawMessage
		LeafID  string
	}](ctx, c, "get_entries", struct {
		Since string `json:"since,omitempty"`
	}{since})
	return got.Entries, got.LeafID, err
}

// SessionInfo is what a list shows of a session file, in part.
type SessionInfo struct {
	Path         string `json:"path"`
	ID           string `json:"id"`
	Cwd          string `json:"cwd"`
	Title        string `json:"title"`
	FirstMessage string `json:"firstMessage"`
	Status       string `json:"status"`
	Size         int64  `json:"size"`
}

// ListRequest asks for session files: those of the working folder, or of another
// one, or, with the Scope "all", of all folders.
type ListRequest struct {
	Scope  string `json:"scope,omitempty"`
	Cwd    string `json:"cwd,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// ListSessions lists session files, the last changed first; next is "" at the
// end.
func (c *Client) ListSessions(ctx context.Context, r ListRequest) (sessions []SessionInfo, next string, err error) {
	page, err := Call[struct {
		Sessions   []SessionInfo
		NextCursor string
	}](ctx, c, "list_sessions", r)
	return page.Sessions, page.NextCursor, err
}

// SetEventFilter lets only events of these names come, all when it is nil.
func (c *Client) SetEventFilter(ctx context.Context, events []string) error {
	return c.Call(ctx, "set_event_filter", map[string]any{"events": events}, nil)
}

// Stats counts what the session holds; Cost is in US dollars.
type Stats struct {
	SessionFile       string  `json:"sessionFile"`
	SessionID         string  `json:"sessionId"`
	UserMessages      int     `json:"userMessages"`
	AssistantMessages int     `json:"assistantMessages"`
	ToolCalls         int     `json:"toolCalls"`
	ToolResults       int     `json:"toolResults"`
	TotalMessages     int     `json:"totalMessages"`
	Cost              float64 `json:"cost"`
	Tokens            struct {
		Input      int `json:"input"`
		Output     int `json:"output"`
		Reasoning  int `json:"reasoning"`
		CacheRead  int `json:"cacheRead"`
		CacheWrite int `json:"cacheWrite"`
		Total      int `json:"total"`
	} `json:"tokens"`
}

// Stats asks for the session's figures.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	return Call[Stats](ctx, c, "get_session_stats", nil)
}

// LastAssistantText asks for the text of the last answer; nil when there is none.
func (c *Client) LastAssistantText(ctx context.Context) (*string, error) {
	last, err := Call[struct{ Text *string }](ctx, c, "get_last_assistant_text", nil)
	return last.Text, err
}

// SetSessionName names the session.
func (c *Client) SetSessionName(ctx context.Context, name string) error {
	return c.Call(ctx, "set_session_name", map[string]string{"name": name}, nil)
}
