package read

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/file/tree"
)

// The bounds of the search for a path that does not exist. When one is met, the
// path counts as not found.
const (
	suffixTimeout = 5 * time.Second
	maxVisited    = 200_000 // entries of the tree
	maxSuggested  = 5       // paths named when several fit
)

// bySuffix lists what below dir ends with the path, at most one more than
// maxSuggested.
func bySuffix(ctx context.Context, dir, wanted string) ([]string, error) {
	suffix := strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(wanted)), "/")
	if suffix == "" || strings.HasPrefix(filepath.ToSlash(wanted), "../") {
		return nil, nil
	}
	limited, stop := context.WithTimeout(ctx, suffixTimeout)
	defer stop()
	var found []string
	visited := 0
	err := tree.Walk(limited, dir, tree.Options{}, func(e tree.Entry) error {
		if visited++; visited > maxVisited || len(found) > maxSuggested {
			return fs.SkipAll
		}
		if strings.HasSuffix("/"+e.Rel, "/"+suffix) {
			found = append(found, e.Rel)
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil || visited > maxVisited {
		return nil, nil // not searched to the end, so nothing is known to be the only one
	}
	return found, nil
}

func notFound(wanted string, found []string) string {
	text := "File not found: " + wanted
	if len(found) > 0 {
		shown := found[:min(len(found), maxSuggested)]
		text += fmt.Sprintf(". Several paths end like this: %s", strings.Join(shown, ", "))
	}
	return text
}
