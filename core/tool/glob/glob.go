// Package glob is the tool that finds files by name.
package glob

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/tree"
	"veyyon.dev/veyyon/core/tool"
)

// The bounds of a search. At the first the oldest are left out, at the second
// what was not reached yet; the result says so. At the third the search ends.
const (
	maxResults = 200
	timeout    = 5 * time.Second
	maxFound   = 100_000 // paths kept in memory to find the latest among
)

//go:embed glob.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Patterns, directories or files, separated by ;"},
    "paths": {"type": "array", "items": {"type": "string"}, "description": "The same as a list"},
    "hidden": {"type": "boolean", "description": "Find names that start with a dot (default true)"},
    "gitignore": {"type": "boolean", "description": "Leave out what .gitignore leaves out (default true)"},
    "limit": {"type": "integer", "description": "How many paths to show at most (default and most: 200)"}
  },
  "additionalProperties": false
}`

type arguments struct {
	Path      string   `json:"path"`
	Paths     []string `json:"paths"`
	Hidden    *bool    `json:"hidden"`
	Gitignore *bool    `json:"gitignore"`
	Limit     *int     `json:"limit"`
}

// Details is what hosts are told of a search.
type Details struct {
	ScopePath          string   `json:"scopePath"`
	FileCount          int      `json:"fileCount"`
	Files              []string `json:"files"` // never nil
	Truncated          bool     `json:"truncated"`
	ResultLimitReached int      `json:"resultLimitReached,omitempty"`
	MissingPaths       []string `json:"missingPaths,omitempty"`
}

// New returns the tool.
func New() tool.Tool { return globber{} }

type globber struct{}

func (globber) Spec() tool.Spec {
	return tool.Spec{
		Name: "glob", Label: "Glob", Description: description, Parameters: json.RawMessage(parameters), Tier: tool.TierRead,
	}
}

func (globber) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args arguments
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	limit := maxResults
	if args.Limit != nil {
		if *args.Limit <= 0 {
			return tool.ErrorOutput("Limit must be a positive number"), nil
		}
		limit = min(*args.Limit, maxResults)
	}
	scopes, missing, err := tree.Scopes(call.Dir, args.Path, args.Paths)
	if err != nil {
		return tool.Output{}, err
	}
	for _, scope := range scopes {
		if scope.Root == "/" {
			return tool.ErrorOutput("Searching from root directory '/' is not allowed"), nil
		}
	}
	if len(scopes) == 0 {
		return tool.ErrorOutput("Path not found: " + strings.Join(missing, ", ")), nil
	}
	opts := tree.Options{All: args.Gitignore != nil && !*args.Gitignore, NoHidden: args.Hidden != nil && !*args.Hidden}
	found, partial, err := search(ctx, call.Dir, scopes, opts)
	if err != nil {
		return tool.Output{}, err
	}
	return report(args, found, limit, partial, missing)
}

// hit is a path that was found.
type hit struct {
	shown   string
	changed time.Time
}

// search returns what it found, the latest first; partial says that time or
// room ran out.
func search(ctx context.Context, dir string, scopes []tree.Scope, opts tree.Options) (found []hit, partial bool, err error) {
	limited, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	seen := map[string]bool{}
	for _, scope := range scopes {
		if !scope.IsDir {
			found = append(found, hit{shown: file.Display(dir, scope.Root)})
			continue
		}
		err := tree.Walk(limited, scope.Root, opts, func(e tree.Entry) error {
			if !scope.Includes(e.Rel) || seen[e.Path] {
				return nil
			}
			if len(found) >= maxFound {
				return errTooMany
			}
			seen[e.Path] = true
			found = append(found, hitOf(dir, e))
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return nil, false, context.Cause(ctx)
		case limited.Err() != nil, errors.Is(err, errTooMany):
			partial = true
		case err != nil:
			return nil, false, fmt.Errorf("searching %s: %w", scope.Root, err)
		}
	}
	slices.SortStableFunc(found, func(a, b hit) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.shown, b.shown))
	})
	return found, partial, nil
}

var errTooMany = errors.New("too many paths")

func hitOf(dir string, e tree.Entry) hit {
	h := hit{shown: file.Display(dir, e.Path)}
	if e.IsDir() {
		h.shown += "/"
	}
	if info, err := e.Info(); err == nil { // else it has just gone, and is the oldest
		h.changed = info.ModTime()
	}
	return h
}

func report(args arguments, found []hit, limit int, partial bool, missing []string) (tool.Output, error) {
	details := Details{ScopePath: cmp.Or(args.Path, strings.Join(args.Paths, ";"), "."), MissingPaths: missing}
	shown := found[:min(len(found), limit)]
	details.Files = make([]string, len(shown))
	for i, h := range shown {
		details.Files[i], _ = file.Printable([]byte(h.shown))
	}
	details.FileCount = len(shown)
	details.Truncated = partial || len(found) > limit
	text := strings.Join(details.Files, "\n")
	if len(shown) == 0 {
		text = "No files found matching pattern"
	}
	if len(found) > limit {
		details.ResultLimitReached = limit
		text += fmt.Sprintf("\n\n[Showing the latest %d of %d. Use a narrower pattern for the others.]", limit, len(found))
	}
	if partial {
		text += "\n\n[The search was cut short, so paths may be missing. Use a narrower pattern.]"
	}
	if len(missing) > 0 {
		text += "\n\n[Path not found: " + strings.Join(missing, ", ") + "]"
	}
	out := tool.TextOutput(text)
	out.Useless = len(shown) == 0
	return tool.Detailed(out, details)
}
