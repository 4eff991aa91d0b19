package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/transcript"
)

// Transcript is that of the session in front at this moment, to be read anywhere,
// also when the host has left the session. The caller closes file.
func (a *Agent) Transcript(ctx context.Context) (now transcript.Snapshot, file io.Closer, err error) {
	err = a.tell(ctx, func(front *session.Session) (failed error) {
		now, file, failed = front.Apart(ctx)
		return failed
	})
	return now, file, err
}

// SetLabel names an entry of the session in front; an empty label takes the name
// away. An unknown entry has the code fault.NotFound.
func (a *Agent) SetLabel(ctx context.Context, entryID, label string) error {
	return a.tell(ctx, func(front *session.Session) error { return front.SetLabel(ctx, entryID, label) })
}

// MessagesPage takes a look at the finished messages; encode makes the page of
// them and may run anywhere.
func (a *Agent) MessagesPage(ctx context.Context, r session.PageRequest) (encode func() (session.Page, error), err error) {
	page, err := moving(ctx, a, func(front *session.Session) (func() (session.Page, error), error) { return front.Page(ctx, r) })
	if err != nil {
		return nil, err
	}
	return func() (session.Page, error) {
		defer a.laborious()()
		return page()
	}, nil
}

// SessionFile is one of a list of session files. Times are in milliseconds since
// the epoch, 0 when unknown; Size is in bytes.
type SessionFile struct {
	Path          string            `json:"path"`
	ID            string            `json:"id"`
	CWD           string            `json:"cwd"`
	Title         string            `json:"title,omitempty"`
	ParentSession string            `json:"parentSession,omitempty"`
	Created       int64             `json:"created,omitempty"`
	Modified      int64             `json:"modified"`
	Size          int64             `json:"size"`
	FirstMessage  string            `json:"firstMessage"`
	Status        transcript.Status `json:"status"`
}

// ListRequest asks for a page of session files: those of the agent's working
// directory, of CWD, or of all.
type ListRequest struct {
	All    bool
	CWD    string
	Cursor string // of the page before; "" for the first
	Limit  int    // 0 leaves it open
}

// SessionList is a page of session files, the last changed first.
type SessionList struct {
	Sessions   []SessionFile `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"` // absent at the end
	Skipped    int           `json:"skipped,omitempty"`    // files on the way that are no sessions
}

// ListSessions reads the ends of those files of the page that have changed since
// it last did; it waits for the disk.
func (a *Agent) ListSessions(_ context.Context, r ListRequest) (SessionList, error) {
	folders, err := a.folders(r)
	if err != nil {
		return SessionList{}, fault.Wrap(fault.IO, err)
	}
	page, err := a.shelf.Page(folders, r.Cursor, r.Limit)
	if err != nil {
		return SessionList{}, err
	}
	list := SessionList{Sessions: make([]SessionFile, len(page.Sessions)), NextCursor: page.Next, Skipped: page.Skipped}
	for i, s := range page.Sessions {
		list.Sessions[i] = SessionFile{
			Path: s.Path, ID: s.ID, CWD: s.CWD, Title: s.Title, ParentSession: s.Parent, Created: milliseconds(s.Created),
			Modified: milliseconds(s.Modified), Size: s.Size, FirstMessage: s.FirstMessage, Status: s.Status,
		}
	}
	return list, nil
}

func (a *Agent) folders(r ListRequest) ([]string, error) {
	dir := a.opts.Dir
	if r.CWD != "" {
		dir = file.Resolve(a.opts.Dir, r.CWD)
	}
	folder := a.opts.Transcripts(dir).Dir
	switch {
	case folder == "":
		return nil, nil // sessions are in memory
	case r.All && a.opts.Sessions != "":
		return transcript.Folders(a.opts.Sessions)
	}
	return []string{folder}, nil
}

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Opened answers open_session.
type Opened struct {
	SessionChange
	SessionID   string `json:"sessionId"`
	SessionFile string `json:"sessionFile"`
}

// OpenSession goes on with a session that is named by its file, its id or the
// beginning of that; the newest of folder when name is "". The folder is that of
// the working directory when it is "". One that is not found has the code
// fault.NotFound; release and the other errors are those of SwitchSession.
func (a *Agent) OpenSession(ctx context.Context, name, folder string) (opened Opened, release func(), err error) {
	path, err := a.find(name, folder)
	if err != nil {
		return Opened{}, nil, err
	}
	change, release, err := a.SwitchSession(ctx, path)
	if err != nil {
		return Opened{}, nil, err
	}
	front := a.hub.Front()
	return Opened{SessionChange: change, SessionID: front.ID(), SessionFile: front.Path()}, release, nil
}

func (a *Agent) find(name, folder string) (path string, err error) {
	if transcript.IsPath(name) {
		path := file.Resolve(a.opts.Dir, name)
		_, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", fault.Newf(fault.NotFound, "There is no session file %s", path)
		case err != nil:
			return "", fault.Wrap(fault.IO, err)
		}
		return path, nil
	}
	if folder != "" {
		folder = file.Resolve(a.opts.Dir, folder)
	} else if folder = a.opts.Transcripts(a.opts.Dir).Dir; folder == "" {
		return "", fault.New(fault.NotFound, "Sessions are kept in memory only; name the file of one, or a sessionDir")
	}
	if name == "" {
		page, err := transcript.Page([]string{folder}, "", 1)
		switch {
		case err != nil:
			return "", fault.Wrap(fault.IO, err)
		case len(page.Sessions) == 0:
			return "", fault.Newf(fault.NotFound, "There is no session in %s", folder)
		}
		return page.Sessions[0].Path, nil
	}
	found, ok, err := transcript.Find(a.opts.Sessions, folder, name)
	switch {
	case err != nil:
		slog.Warn("looking for a session", "name", name, "err", err)
		return "", fault.Wrap(fault.IO, err)
	case !ok:
		return "", fault.New(fault.NotFound, fmt.Sprintf("Session %q not found.", name))
	}
	return found.Path, nil
}
