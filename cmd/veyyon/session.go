package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"veyyon.dev/veyyon/core/transcript"
)

type sessionCommand struct {
	List  sessionList  `cmd:"" default:"withargs" help:"List the sessions of the working directory, the last changed first."`
	Stats sessionStats `cmd:"" help:"Count messages, tool calls, tokens and money of a session."`
}

type sessionList struct {
	All    bool   `help:"List those of all directories."`
	Limit  int    `default:"50" placeholder:"N" help:"How many at the most; up to 200."`
	Cursor string `placeholder:"CURSOR" help:"Where the page before ended."`
	JSON   bool   `help:"Print JSON."`
}

// listed is a session in the list, as JSON has it.
type listed struct {
	ID           string            `json:"id"`
	Path         string            `json:"path"`
	CWD          string            `json:"cwd"`
	Title        string            `json:"title,omitempty"`
	FirstMessage string            `json:"firstMessage,omitempty"`
	Created      time.Time         `json:"created"`
	Modified     time.Time         `json:"modified"`
	Size         int64             `json:"size"` // bytes
	Status       transcript.Status `json:"status"`
}

// Run prints one page of the list.
func (c *sessionList) Run(flags *launchFlags) error {
	if c.Limit < 1 || c.Limit > transcript.MaxPage {
		return usageErrorf("--limit must be between 1 and %d, not %d", transcript.MaxPage, c.Limit)
	}
	l := offline(flags)
	if err := l.place(); err != nil {
		return err
	}
	folders := []string{l.transcripts(l.dir).Dir}
	if c.All {
		var err error
		if folders, err = transcript.Folders(l.dirs.Sessions); err != nil {
			return err
		}
	}
	page, err := transcript.Page(folders, c.Cursor, c.Limit)
	if err != nil {
		return err
	}
	if c.JSON {
		return printListing(page)
	}
	if len(page.Sessions) == 0 {
		_, _ = fmt.Fprintln(os.Stderr, "There are no sessions here. --all lists those of all directories.") // nobody to tell
		return nil
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, s := range page.Sessions {
		where := ""
		if c.All {
			where = transcript.CleanTitle(s.CWD) + "\t"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s%s\n", transcript.CleanTitle(s.ID), s.Modified.Local().Format("2006-01-02 15:04"), s.Status, bytesOf(s.Size), where, name(s)) // Flush reports
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if page.Next != "" {
		_, _ = fmt.Fprintf(os.Stderr, "There are more: --cursor %s\n", page.Next) // nobody to tell
	}
	return nil
}

func printListing(page transcript.Listing) error {
	sessions := []listed{}
	for _, s := range page.Sessions {
		sessions = append(sessions, listed{
			ID: s.ID, Path: s.Path, CWD: s.CWD, Title: s.Title, FirstMessage: s.FirstMessage,
			Created: s.Created, Modified: s.Modified.UTC(), Size: s.Size, Status: s.Status,
		})
	}
	return printJSON(struct {
		Sessions   []listed `json:"sessions"`
		NextCursor string   `json:"nextCursor,omitempty"`
	}{sessions, page.Next})
}

// name is what a session is called, on one line.
func name(s transcript.Summary) string {
	const enough = 60 // characters of a line that has four columns before it
	text := []rune(transcript.CleanTitle(cmp.Or(s.Title, s.FirstMessage)))
	if len(text) > enough {
		return strings.TrimSpace(string(text[:enough-1])) + "…"
	}
	return string(text)
}

// bytesOf writes a size with its unit.
func bytesOf(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
