// Package prompt writes the system prompt: blocks of text that are kept apart
// so that providers can cache them. The same input gives the same bytes.
package prompt

import (
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"time"
)

//go:embed system.md
var core string

// Options say what the prompt is made of.
type Options struct {
	Dir    string    // working directory, absolute
	Now    time.Time // its date is told
	Custom string    // replaces the core text when not ""
	Append string    // a block of its own when not ""
}

// Build returns the blocks: what the agent is, where it works, and what the
// user added.
func Build(o Options) []string {
	head := core
	if o.Custom != "" {
		head = o.Custom
	}
	blocks := []string{
		strings.TrimSpace(head),
		Place(o.Dir, o.Now),
	}
	if o.Append != "" {
		blocks = append(blocks, o.Append)
	}
	return blocks
}

// Place tells where a session works: its directory, the system and the date.
func Place(dir string, now time.Time) string {
	return fmt.Sprintf("Working directory: %s\nOperating system: %s (%s)\nToday's date: %s", dir, runtime.GOOS, runtime.GOARCH, now.Format(time.DateOnly))
}
