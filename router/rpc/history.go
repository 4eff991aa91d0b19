package rpc

import (
	"context"
	"encoding/json"
	"io"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// inlineBytes is how large an answer may be, in bytes, that is encoded on its
// way out. A larger one is encoded in a pool, so that no other frame waits for
// that, and may come behind answers to later commands.
const inlineBytes = 1 << 20

// messages lists the finished messages of this moment.
func (c *commands) messages(ctx context.Context, _ struct{}) (router.Answer, router.Finish, error) {
	all, err := c.agent.Messages(ctx)
	if err != nil {
		return router.Answer{}, nil, err
	}
	answer := keyed("messages", all)
	if weight(all) <= inlineBytes {
		return answer, nil, nil
	}
	return router.Answer{}, func(ctx context.Context) (router.Answer, error) {
		select {
		case c.large <- struct{}{}:
		case <-ctx.Done():
			return router.Answer{}, context.Cause(ctx)
		}
		defer func() { <-c.large }()
		text, err := encodeMessages(all)
		return router.Answer{Data: text}, err
	}, nil
}

// encodeMessages makes the text of a large answer message by message, into room
// for all: an encoder that makes all of it would take several times as much.
func encodeMessages(all []message.Message) (text encoded, err error) {
	const each = 500 // for the keys and the usage
	size := 0
	for _, m := range all {
		size += each + message.Bytes(m)
	}
	text = append(make(encoded, 0, size+size/8), `{"messages":[`...)
	for i, m := range all {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = frames.Append(text, m); err != nil {
			return nil, err
		}
	}
	return append(text, "]}"...), nil
}

// weight is about how many bytes the messages take as JSON; it stops counting
// beyond inlineBytes.
func weight(messages []message.Message) (size int) {
	const each = 300 // for the keys and the usage
	for _, m := range messages {
		if size += each + message.Bytes(m); size > inlineBytes {
			break
		}
	}
	return size
}

// encoded is data that is JSON already.
type encoded []byte

// AppendJSON implements frames.Appender.
func (e encoded) AppendJSON(dst []byte) ([]byte, error) { return append(dst, e...), nil }

// inlinePoints is how much of the file may be read for branch points in the
// ordered lane, in bytes. More is read in a pool.
const inlinePoints = 256 << 10

func (c *commands) branchMessages(ctx context.Context, _ struct{}) (router.Answer, router.Finish, error) {
	now, file, err := c.agent.Transcript(ctx)
	if err != nil {
		return router.Answer{}, nil, err
	}
	read := func(context.Context) (router.Answer, error) {
		defer release(file)
		points, err := session.BranchPoints(now)
		return keyed("messages", points), err
	}
	size := 0
	for _, e := range now.Entries() {
		if e.Role == message.RoleUser {
			size += e.Size()
		}
	}
	if size > inlinePoints {
		return router.Answer{}, read, nil
	}
	answer, err := read(ctx)
	return answer, nil, err
}

// entryList is the data of get_entries: lines of the transcript as they are
// stored, in the order of the file. LeafID is the entry that the next one will
// follow, null in an empty session; HasMore tells of a list that was cut.
type entryList struct {
	Entries []json.RawMessage `json:"entries"`
	LeafID  *string           `json:"leafId"`
	HasMore bool              `json:"hasMore,omitempty"`
}

// entriesBytes bounds the lines of one answer. A host asks again for the rest,
// from the last that it got.
const entriesBytes = 8 << 20

// unknownSince is the code of an entry that is not in the transcript, so that a
// host knows to begin again.
const unknownSince fault.Code = "unknown_since"

func (c *commands) entries(ctx context.Context, args wire.Entries) (router.Finish, error) {
	now, file, err := c.agent.Transcript(ctx)
	if err != nil {
		return nil, err
	}
	since, ok := now.Since(args.Since)
	if !ok {
		release(file)
		return nil, fault.New(unknownSince, "Unknown entry: "+args.Since)
	}
	wanted := len(since)
	if args.Limit > 0 {
		wanted = min(wanted, args.Limit)
	}
	return func(context.Context) (router.Answer, error) {
		defer release(file)
		lines, err := now.Lines(since[:wanted], entriesBytes)
		if err != nil {
			return router.Answer{}, fault.Wrap(fault.IO, err)
		}
		if lines == nil {
			lines = []json.RawMessage{}
		}
		return encode(entryList{Entries: lines, LeafID: leafID(now), HasMore: len(lines) < len(since)})
	}, nil
}

// release closes a transcript that has been read.
func release(file io.Closer) { _ = file.Close() } // nothing was written to it

// encode makes the text of an answer here, so that nobody waits for it later.
func encode(data any) (router.Answer, error) {
	text, err := frames.Marshal(data)
	return router.Answer{Data: encoded(text)}, err
}

func leafID(s transcript.Snapshot) *string {
	if s.Leaf() == nil {
		return nil
	}
	return &s.Leaf().ID
}

// treeNode is an entry without its contents. The tree is a flat list, parents
// before their children: a chain of entries nested in each other is more than
// most readers of JSON take.
type treeNode struct {
	ID        string       `json:"id"`
	ParentID  *string      `json:"parentId"`
	Type      string       `json:"type"`
	Timestamp string       `json:"timestamp,omitempty"` // RFC 3339, as in the file
	Role      message.Role `json:"role,omitempty"`
	Preview   string       `json:"preview,omitempty"` // how its text begins
	Label     string       `json:"label,omitempty"`
}

// sessionTree is the data of get_tree.
type sessionTree struct {
	Nodes  []treeNode `json:"nodes"`
	LeafID *string    `json:"leafId"`
}

func (c *commands) tree(ctx context.Context, _ struct{}) (router.Finish, error) {
	now, file, err := c.agent.Transcript(ctx)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (router.Answer, error) {
		defer release(file)
		nodes, err := now.Nodes()
		if err != nil {
			return router.Answer{}, fault.Wrap(fault.IO, err)
		}
		answer := sessionTree{Nodes: make([]treeNode, len(nodes)), LeafID: leafID(now)}
		for i, n := range nodes {
			answer.Nodes[i] = treeNode{ID: n.ID, Type: n.Type, Role: n.Role, Preview: n.Preview, Label: n.Label}
			if n.ParentID != "" {
				answer.Nodes[i].ParentID = &nodes[i].ParentID
			}
			if !n.Time.IsZero() {
				answer.Nodes[i].Timestamp = n.Time.Format("2006-01-02T15:04:05.000Z07:00")
			}
		}
		return encode(answer)
	}, nil
}

func (c *commands) setLabel(ctx context.Context, args wire.Label) error {
	return c.agent.SetLabel(ctx, args.EntryID, args.Label)
}

func (c *commands) openSession(ctx context.Context, args wire.OpenSession) (router.Answer, error) {
	opened, release, err := c.agent.OpenSession(ctx, args.Session, args.Dir)
	return router.Answer{Data: opened, Then: release}, err
}

func (c *commands) listSessions(_ context.Context, args wire.SessionList) (router.Finish, error) {
	return func(ctx context.Context) (router.Answer, error) {
		list, err := c.agent.ListSessions(ctx, core.ListRequest{All: args.All, CWD: args.Cwd, Cursor: args.Cursor, Limit: args.Limit})
		return router.Answer{Data: list}, err
	}, nil
}

// messagesPage looks at the messages in its turn, and encodes them beside the
// lane: one message makes a page however large it is.
func (c *commands) messagesPage(ctx context.Context, p wire.MessagesPage) (router.Finish, error) {
	encode, err := c.agent.MessagesPage(ctx, session.PageRequest(p))
	if err != nil {
		return nil, err
	}
	return func(context.Context) (router.Answer, error) {
		page, err := encode()
		return router.Answer{Data: page}, err
	}, nil
}
