// Package grep is the tool that searches the content of files. It runs no other
// program, so no pattern can be taken for an option of one.
package grep

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/file/tree"
	"veyyon.dev/veyyon/core/tool"
)

// timeout is when a search gives what it has found until then.
const timeout = 30 * time.Second

//go:embed grep.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "The regular expression"},
    "path": {"type": "string", "description": "Files, directories or patterns, separated by ; (default: the working directory)"},
    "paths": {"type": "array", "items": {"type": "string"}, "description": "The same as a list"},
    "case": {"type": "boolean", "description": "Tell capital from small letters (default true)"},
    "gitignore": {"type": "boolean", "description": "Leave out what .gitignore leaves out (default true)"},
    "skip": {"type": "integer", "minimum": 0, "description": "How many matching files to leave out (for the next page)"}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`

type arguments struct {
	Pattern   string   `json:"pattern"`
	Path      string   `json:"path"`
	Paths     []string `json:"paths"`
	Case      *bool    `json:"case"`
	Gitignore *bool    `json:"gitignore"`
	Skip      int      `json:"skip"`
}

// New returns the tool, which shows so many lines before and after a hit.
func New(before, after int) tool.Tool { return grepper{timeout, before, after} }

type grepper struct {
	timeout       time.Duration
	before, after int // lines
}

// around is what the description says of the lines around a hit.
const around = "the line before and three lines after each"

func (g grepper) Spec() tool.Spec {
	text := description
	if g.before != 1 || g.after != 3 {
		text = strings.Replace(text, around, fmt.Sprintf("of each the lines around, up to %d before and %d after,", g.before, g.after), 1)
	}
	return tool.Spec{
		Name: "grep", Label: "Grep", Description: text, Parameters: json.RawMessage(parameters), Tier: tool.TierRead,
	}
}

func (g grepper) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args arguments
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	if args.Pattern == "" {
		return tool.ErrorOutput("Pattern must not be empty"), nil
	}
	p, err := compile(args.Pattern, args.Case != nil && !*args.Case)
	if err != nil {
		return tool.ErrorOutput("Invalid regex: " + err.Error()), nil
	}
	scopes, missing, err := tree.Scopes(call.Dir, args.Path, args.Paths)
	if err != nil {
		return tool.Output{}, err
	}
	if len(scopes) == 0 {
		return tool.ErrorOutput("Path not found: " + strings.Join(missing, ", ")), nil
	}
	limit := maxPerFile
	if len(scopes) == 1 && !scopes[0].IsDir {
		limit = maxSingleFile
	}
	limited, stop := context.WithTimeoutCause(ctx, g.timeout, errTimeout)
	defer stop()
	opts := tree.Options{All: args.Gitignore != nil && !*args.Gitignore}
	r := newReport(call.Dir, args.Skip)
	r.before, r.after = g.before, g.after
	err = search(limited, scopes, opts, p, limit, r.take)
	switch {
	case err == nil:
	case errors.Is(err, errTimeout):
		r.timedOut = true
	default:
		return tool.Output{}, err
	}
	r.details.ScopePath = cmp.Or(args.Path, strings.Join(args.Paths, ";"), ".")
	r.details.MissingPaths = missing
	return r.output()
}

var errTimeout = errors.New("grep timed out")
