package client

import "context"

// SessionChange tells whether something kept the session from changing, and
// which one moved to the background.
type SessionChange struct {
	Cancelled  bool   `json:"cancelled"`
	Background *Moved `json:"background"` // nil when none moved
}

// Moved is a session that moved to the background; Displaced are the ids of
// those that were stopped to make room.
type Moved struct {
	SessionID   string   `json:"sessionId"`
	SessionFile string   `json:"sessionFile"`
	Streaming   bool     `json:"streaming"`
	Displaced   []string `json:"displaced"`
	Message     string   `json:"message"`
}

// NewSession begins a session; parent is a transcript or "". With background
// set, a turn that streams goes on in the background.
func (c *Client) NewSession(ctx context.Context, parent string, background bool) (SessionChange, error) {
	return Call[SessionChange](ctx, c, "new_session", struct {
		Parent     string `json:"parentSession,omitempty"`
		Background bool   `json:"background,omitempty"`
	}{parent, background})
}

// SwitchSession goes to another transcript, or back to a conversation in the
// background.
func (c *Client) SwitchSession(ctx context.Context, path string) (SessionChange, error) {
	return Call[SessionChange](ctx, c, "switch_session", map[string]string{"sessionPath": path})
}

// Conversation is one in the background; DetachedAt is in milliseconds since the
// epoch.
type Conversation struct {
	SessionID   string `json:"sessionId"`
	SessionFile string `json:"sessionFile"`
	Title       string `json:"title"`
	DetachedAt  int64  `json:"detachedAt"`
	Streaming   bool   `json:"streaming"`
	Stopping    bool   `json:"stopping"`
}

// BackgroundSessions lists the conversations in the background.
func (c *Client) BackgroundSessions(ctx context.Context) ([]Conversation, error) {
	all, err := Call[struct{ Sessions []Conversation }](ctx, c, "get_background_sessions", nil)
	return all.Sessions, err
}

// CancelBackgroundSession ends a conversation in the background and returns when
// it has.
func (c *Client) CancelBackgroundSession(ctx context.Context, id string) error {
	return c.Call(ctx, "cancel_background_session", map[string]string{"sessionId": id}, nil)
}

// BranchPoint is a user message that Branch can go back to.
type BranchPoint struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

// BranchPoints lists the user messages of the session.
func (c *Client) BranchPoints(ctx context.Context) ([]BranchPoint, error) {
	all, err := Call[struct{ Messages []BranchPoint }](ctx, c, "get_branch_messages", nil)
	return all.Messages, err
}

// Branch begins a session with all before a user message, whose text it returns.
func (c *Client) Branch(ctx context.Context, entryID string) (text string, err error) {
	branched, err := Call[struct{ Text string }](ctx, c, "branch", map[string]string{"entryId": entryID})
	return branched.Text, err
}

// Compaction is what compact has put in place of older messages.
type Compaction struct {
	Summary          string `json:"summary"`
	ShortSummary     string `json:"shortSummary"`
	FirstKeptEntryID string `json:"firstKeptEntryId"`
	TokensBefore     int    `json:"tokensBefore"`
}

// Compact replaces older messages by a summary, for which it asks the model.
func (c *Client) Compact(ctx context.Context, instructions string) (Compaction, error) {
	return Call[Compaction](ctx, c, "compact", instructed(instructions))
}

// Handoff has the model write down the conversation and goes on in a new session
// that begins with it.
func (c *Client) Handoff(ctx context.Context, instructions string) error {
	return c.Call(ctx, "handoff", instructed(instructions), nil)
}

func instructed(instructions string) any {
	return struct {
		CustomInstructions string `json:"customInstructions,omitempty"`
	}{instructions}
}

// ExportHTML writes the session to a page, at a path that the server chooses
// when path is "", and returns it.
func (c *Client) ExportHTML(ctx context.Context, path string) (string, error) {
	written, err := Call[struct{ Path string }](ctx, c, "export_html", struct {
		OutputPath string `json:"outputPath,omitempty"`
	}{path})
	return written.Path, err
}
