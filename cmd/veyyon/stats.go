package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tally"
	"veyyon.dev/veyyon/core/transcript"
)

type sessionStats struct {
	File string `arg:"" optional:"" help:"A session: its file, its id, or the beginning of one; the latest of the working directory without it."`
	JSON bool   `help:"Print JSON."`
}

// stats is what a session came to, as JSON has it: over all that is in the file,
// also on branches that were left and before compactions.
type stats struct {
	SessionFile  string                `json:"sessionFile"`
	SessionID    string                `json:"sessionId"`
	Title        string                `json:"title,omitempty"`
	CWD          string                `json:"cwd"`
	First        *time.Time            `json:"first,omitempty"` // when the first message was made
	Last         *time.Time            `json:"last,omitempty"`
	DurationMS   int64                 `json:"durationMs"`
	Messages     int                   `json:"totalMessages"`
	ByRole       map[message.Role]int  `json:"messages"`
	Calls        int                   `json:"totalToolCalls"`
	ByTool       map[string]int        `json:"toolCalls"`
	Failed       int                   `json:"failedToolResults"`
	Models       map[string]int        `json:"models"` // answers of each
	Tokens       tally.Tokens          `json:"tokens"`
	Cost         float64               `json:"cost"` // US dollars
	ContextUsage *session.ContextUsage `json:"contextUsage,omitempty"`
	Skipped      int                   `json:"skippedLines"`
}

// Run prints the figures.
func (c *sessionStats) Run(flags *launchFlags) error {
	l := offline(flags)
	for _, step := range []func() error{l.place, l.readSettings, l.findModels} {
		if err := step(); err != nil {
			return err
		}
	}
	if c.File == "" {
		latest, err := transcript.Page([]string{l.transcripts(l.dir).Dir}, "", 1)
		if err != nil {
			return err
		}
		if len(latest.Sessions) == 0 {
			return errors.New("there are no sessions of this directory; name one, or see `veyyon session list --all`")
		}
		c.File = latest.Sessions[0].Path
	}
	s, err := l.look(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // read only
	counted, err := l.count(s)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(counted)
	}
	return counted.print(os.Stdout)
}

// count reads the whole session, one entry at a time.
func (l *launch) count(s *transcript.Reading) (*stats, error) {
	var t tally.Tally
	for _, e := range s.Entries() {
		body, err := s.Body(e)
		if err != nil {
			return nil, err
		}
		switch b := body.(type) {
		case *transcript.Message:
			t.Add(b.Message)
		case *transcript.CustomMessage:
			t.Add(&message.Custom{Role: message.RoleCustom})
		}
	}
	title, _ := s.Title()
	header := s.Header()
	counted := &stats{
		SessionFile: s.Path(), SessionID: header.ID, Title: title, CWD: header.CWD, DurationMS: t.Span().Milliseconds(),
		Messages: t.Messages, ByRole: orNone(t.ByRole), Calls: t.Calls, ByTool: orNone(t.ByTool), Failed: t.Failed, Models: orNone(t.ByModel),
		Tokens: t.Tokens, Cost: t.Cost, Skipped: s.Skipped(),
	}
	if !t.First.IsZero() {
		counted.First, counted.Last = &t.First, &t.Last
	}
	context, err := s.Messages()
	if err != nil {
		return nil, err
	}
	counted.ContextUsage = &session.ContextUsage{Tokens: session.ContextTokens(context)}
	chosen := s.Choices().Model
	for _, m := range l.models.All() {
		if m.Ref() == chosen && m.ContextWindow > 0 {
			counted.ContextUsage.ContextWindow = m.ContextWindow
			counted.ContextUsage.Percent = 100 * float64(counted.ContextUsage.Tokens) / float64(m.ContextWindow)
		}
	}
	return counted, nil
}

func (s *stats) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			_, _ = fmt.Fprintf(table, "%s\t%s\n", name, transcript.CleanTitle(value)) // Flush reports
		}
	}
	row("Title", s.Title)
	row("Session", s.SessionID)
	row("File", s.SessionFile)
	row("Directory", s.CWD)
	if s.First != nil {
		row("Started", s.First.Local().Format("2006-01-02 15:04"))
		row("Duration", tally.Took(time.Duration(s.DurationMS)*time.Millisecond))
	}
	row("Models", byCount(s.Models))
	row("Messages", withParts(s.Messages, byCount(s.ByRole)))
	row("Tool calls", withParts(s.Calls, byCount(s.ByTool)))
	if s.Failed > 0 {
		row("Failed calls", tally.Commas(s.Failed))
	}
	row("Tokens", fmt.Sprintf("%s (%s in, %s out, %s from cache, %s into cache)", tally.Commas(s.Tokens.Total),
		tally.Commas(s.Tokens.Input), tally.Commas(s.Tokens.Output), tally.Commas(s.Tokens.CacheRead), tally.Commas(s.Tokens.CacheWrite)))
	row("Cost", tally.Dollars(s.Cost))
	use := tally.Commas(s.ContextUsage.Tokens) + " tokens"
	if s.ContextUsage.ContextWindow > 0 {
		use = fmt.Sprintf("%s of %s tokens (%.1f%%)", tally.Commas(s.ContextUsage.Tokens), tally.Commas(s.ContextUsage.ContextWindow), s.ContextUsage.Percent)
	}
	row("Context", use)
	return table.Flush()
}

func withParts(n int, parts string) string {
	if parts == "" {
		return tally.Commas(n)
	}
	return fmt.Sprintf("%s (%s)", tally.Commas(n), parts)
}

// byCount lists keys with their counts, the most frequent first.
func byCount[K ~string](counts map[K]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b K) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = fmt.Sprintf("%s %s", string(key), tally.Commas(counts[key]))
	}
	return strings.Join(parts, ", ")
}

// orNone is counts, written as {} when there are none.
func orNone[K comparable](counts map[K]int) map[K]int {
	if counts == nil {
		return map[K]int{}
	}
	return counts
}
