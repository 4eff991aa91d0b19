package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"veyyon.dev/veyyon/core/file"
)

// A Scope is where to search: a file, or a directory and perhaps a pattern for
// the paths below it.
type Scope struct {
	Root    string // absolute
	IsDir   bool
	Pattern string // doublestar, against Entry.Rel; "" takes everything
}

// Includes tells whether a path below the root belongs to the scope.
func (s Scope) Includes(rel string) bool {
	return s.Pattern == "" || doublestar.MatchUnvalidated(s.Pattern, rel)
}

// Scopes reads what a model gives as the path of a search: files, directories
// and patterns, several separated by semicolons or given as a list; none is dir
// itself. What does not exist is returned as missing. An error names a pattern
// that cannot be read.
func Scopes(dir, path string, paths []string) (scopes []Scope, missing []string, err error) {
	for _, item := range split(dir, path, paths) {
		scope, err := scopeOf(dir, item)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, item)
		case err != nil:
			return nil, nil, err
		default:
			scopes = append(scopes, scope)
		}
	}
	return scopes, missing, nil
}

func split(dir, path string, paths []string) []string {
	var items []string
	for _, list := range append([]string{path}, paths...) {
		if _, err := os.Lstat(file.Resolve(dir, list)); err == nil && list != "" {
			items = append(items, list) // a name that holds a semicolon, too
			continue
		}
		for item := range strings.SplitSeq(list, ";") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
	}
	if len(items) == 0 {
		return []string{"."}
	}
	return items
}

func scopeOf(dir, item string) (Scope, error) {
	full := file.Resolve(dir, item)
	info, err := os.Stat(full)
	if err == nil {
		return Scope{Root: full, IsDir: info.IsDir()}, nil
	}
	if !strings.ContainsAny(item, "*?[{") {
		return Scope{}, err
	}
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(item))
	if !doublestar.ValidatePattern(pattern) {
		return Scope{}, fmt.Errorf("%q is not a valid pattern", item)
	}
	if !strings.Contains(filepath.ToSlash(item), "/") {
		pattern = "**/" + pattern // a bare *.go means all of them
	}
	base = file.Resolve(dir, filepath.FromSlash(base))
	info, err = os.Stat(base)
	if err != nil {
		return Scope{}, err
	}
	if !info.IsDir() {
		return Scope{}, fs.ErrNotExist
	}
	return Scope{Root: base, IsDir: true, Pattern: pattern}, nil
}
