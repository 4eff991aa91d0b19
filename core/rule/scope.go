package rule

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// kind is what sort of stream a model writes.
type kind int

const (
	text kind = iota
	thinking
	tools
)

// scope is where a rule holds.
type scope struct {
	kind kind
	tool string // "" is any
	glob string // of the paths the call names; "" is any call
}

var toolScope = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:tool(?:call)?:)?([\w.-]+)(?:\((.+)\))?$`) })

func parseScope(word string) (scope, bool) {
	switch word {
	case "text":
		return scope{kind: text}, true
	case "thinking":
		return scope{kind: thinking}, true
	case "tool", "toolcall":
		return scope{kind: tools}, true
	}
	part := toolScope().FindStringSubmatch(word)
	if part == nil || part[2] != "" && !validGlob(part[2]) {
		return scope{}, false
	}
	return scope{kind: tools, tool: part[1], glob: part[2]}, true
}

// verdict is whether a rule holds for a stream.
type verdict int

const (
	no     verdict = iota
	unsure         // it hangs on a path that the call has not named yet
	yes
)

// holds tells whether the rule is about the stream.
func (r *Rule) holds(s *stream, dir string) verdict {
	if len(r.Globs) > 0 {
		if v := s.names(r.Globs, dir); v != yes {
			return v
		}
	}
	best := no
	for _, sc := range r.scopes {
		if sc.kind != s.kind || sc.tool != "" && sc.tool != s.tool {
			continue
		}
		v := yes
		if sc.glob != "" {
			v = s.names([]string{sc.glob}, dir)
		}
		best = max(best, v)
	}
	return best
}

// names tells whether the stream is a call that names a path that any of the
// globs fits.
func (s *stream) names(globs []string, dir string) verdict {
	for _, p := range s.args.paths {
		if slices.ContainsFunc(globs, func(glob string) bool { return fits(glob, p, dir) }) {
			return yes
		}
	}
	if s.kind == tools && !s.ended {
		return unsure
	}
	return no
}

func validGlob(glob string) bool { return doublestar.ValidatePattern(strings.TrimPrefix(glob, "./")) }

// fits tells whether a glob fits a path or its end: `*.go` is any Go file.
func fits(glob, p, dir string) bool {
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	if !filepath.IsAbs(glob) {
		glob = "/**/" + strings.TrimPrefix(glob, "./")
	}
	return doublestar.MatchUnvalidated(glob, filepath.Clean(p))
}
