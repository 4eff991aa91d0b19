package approval

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/patch"
)

// fileArguments are the arguments that hold the paths of builtin tools.
type fileArguments struct {
	Path  string   `json:"path"`
	Paths []string `json:"paths"`
	// Edits and Input are those of edit where it goes by patches.
	Edits []struct {
		Op     string `json:"op"`
		Rename string `json:"rename"`
	} `json:"edits"`
	Input string `json:"input"`
}

// The tools with paths, and whether these are lists of patterns.
var fileTools = map[string]bool{"read": false, "write": false, "edit": false, "grep": true, "glob": true}

// paths are the files and directories that a call names.
func (c Call) paths() (paths []string) {
	lists, has := fileTools[c.Tool]
	if !has {
		return nil
	}
	var args fileArguments
	_ = json.Unmarshal(c.Args, &args) // what does not fit here may be nothing to the tool, and the rest is read
	named := append([]string{args.Path}, args.Paths...)
	if c.Tool == "edit" {
		for _, e := range args.Edits {
			named = append(named, e.Rename)
		}
		named = append(named, patch.Paths(args.Input)...)
	}
	for _, path := range named {
		if path == "" {
			continue
		}
		paths = append(paths, path)
	}
	if !lists {
		return paths
	}
	var each []string
	for _, path := range paths {
		each = append(each, path)
		for item := range strings.SplitSeq(path, ";") {
			each = append(each, fixedPart(strings.TrimSpace(item)))
		}
	}
	return each
}

// local tells whether a call writes a file of the session's own.
func (c Call) local() bool {
	if c.Tool != "write" {
		return false
	}
	var args fileArguments
	_ = json.Unmarshal(c.Args, &args) // as above
	scheme, _, ok := file.URL(args.Path)
	return ok && scheme == "local"
}

// What becomes of a file that an edit does not just change.
const (
	fateDelete = "delete"
	fateMove   = "move"
)

// fate tells whether an edit deletes files or moves them, "" for neither.
// Deleting counts for more.
func (c Call) fate() string {
	if c.Tool != "edit" {
		return ""
	}
	var args fileArguments
	_ = json.Unmarshal(c.Args, &args) // as above
	moves := strings.Contains(args.Input, patch.MoveTo)
	if strings.Contains(args.Input, patch.DeleteFile) {
		return fateDelete
	}
	for _, e := range args.Edits {
		if e.Op == "delete" {
			return fateDelete
		}
		moves = moves || e.Rename != ""
	}
	if moves {
		return fateMove
	}
	return ""
}

// gist says in a line what a call does (facts/acp 10.1).
func (c Call) gist() string {
	if c.Tool == shellTool {
		var args shellArguments
		_ = json.Unmarshal(c.Args, &args) // they fit the schema
		runes := []rune(strings.TrimSpace(args.Command))
		return string(runes[:min(len(runes), maxGist)])
	}
	paths := c.paths()
	switch fate := c.fate(); {
	case fate == fateDelete && len(paths) > 0:
		return "Delete " + paths[0]
	case fate == fateMove && len(paths) > 1:
		return "Move " + paths[0] + " to " + paths[1]
	case len(paths) > 0:
		return c.Tool + ": " + paths[0]
	}
	return c.Tool
}

// maxGist is how many characters of a shell line the gist has.
const maxGist = 80

// fixedPart is the directory that a pattern begins in.
func fixedPart(pattern string) string {
	at := strings.IndexAny(pattern, "*?[{\\")
	if at < 0 {
		return pattern
	}
	if at = strings.LastIndexByte(pattern[:at], '/'); at < 0 {
		return "."
	}
	return pattern[:at+1]
}

// outside lists the paths of the call that lead out of where the session works,
// by whatever links.
func (c Call) outside() (outside []string) {
	for _, path := range c.paths() {
		if _, _, url := file.URL(path); url || path == "" || c.Tool == "read" && path == "/" { // as the tool reads it
			continue
		}
		if beyond := c.beyond(path); len(beyond) > 0 && !slices.Contains(outside, beyond[0]) {
			outside = append(outside, beyond[0])
		}
	}
	return outside
}

// beyond is where the path leads, if that is outside. What may be a selector of
// lines at its end counts as one, too.
func (c Call) beyond(path string) []string {
	for at := len(path); at > 0; at = strings.LastIndexByte(path[:at], ':') {
		full := file.Resolve(c.Dir, path[:at])
		target, err := file.Target(full)
		if err != nil {
			return []string{full}
		}
		if !c.inside(target) {
			return []string{target}
		}
	}
	return nil
}

func (c Call) inside(target string) bool {
	roots := c.Within
	if roots == nil {
		roots = []string{c.Dir}
	}
	for _, root := range roots {
		root, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, target); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
