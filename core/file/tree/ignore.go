package tree

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"veyyon.dev/veyyon/core/file"
)

// maxIgnoreFile is how many bytes of one .gitignore are heeded.
const maxIgnoreFile = 1 << 20

// ignore holds the rules of one directory; the chain leads upwards. A walk asks
// about each directory before it goes in, so a rule is only ever compared with
// the entry itself, and what an excluded directory holds is never seen: that is
// git's own behaviour ("it is not possible to re-include a file if a parent
// directory is excluded").
type ignore struct {
	dir    string // absolute
	rules  []rule
	parent *ignore
}

type rule struct {
	glob    string
	negate  bool // "!": includes again
	dirOnly bool // ends with "/"
	whole   bool // compared with the path below dir, not only with the name
	literal bool // glob has nothing special in it
}

// ignoreAbove collects the rules that hold in root from the directories above
// it, up to the one that holds .git; without such there are none.
func ignoreAbove(root string) *ignore {
	if isRepository(root) {
		return nil
	}
	parent := filepath.Dir(root)
	if parent == root || !insideRepository(parent) {
		return nil
	}
	return ignoreAbove(parent).in(parent)
}

func insideRepository(dir string) bool {
	for {
		if isRepository(dir) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// in adds the rules that stand in dir.
func (ig *ignore) in(dir string) *ignore {
	var rules []rule
	if isRepository(dir) {
		rules = readRules(filepath.Join(dir, ".git", "info", "exclude"))
	}
	rules = append(rules, readRules(filepath.Join(dir, ".gitignore"))...)
	if len(rules) == 0 {
		return ig
	}
	return &ignore{dir: dir, rules: rules, parent: ig}
}

// excludes asks the nearest rules first, and of one file the last first.
func (ig *ignore) excludes(entry string, isDir bool) bool {
	for ; ig != nil; ig = ig.parent {
		rel := strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(entry), filepath.ToSlash(ig.dir)), "/")
		name := path.Base(rel)
		for i := len(ig.rules) - 1; i >= 0; i-- {
			if r := &ig.rules[i]; r.matches(rel, name, isDir) {
				return !r.negate
			}
		}
	}
	return false
}

func (r *rule) matches(rel, name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	against := name
	if r.whole {
		against = rel
	}
	if r.literal {
		return r.glob == against
	}
	return doublestar.MatchUnvalidated(r.glob, against)
}

func readRules(name string) []rule {
	f, info, err := file.Open(name)
	if err != nil {
		return nil // most directories have none
	}
	defer func() { _ = f.Close() }() // read only
	text := make([]byte, min(info.Size(), maxIgnoreFile))
	n, _ := f.ReadAt(text, 0) // what could be read counts
	var rules []rule
	for line := range strings.Lines(string(text[:n])) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// braces are special to doublestar and plain to git.
var braces = strings.NewReplacer(`{`, `\{`, `}`, `\}`)

// parseRule reads a line as gitignore(5) has it.
func parseRule(line string) (r rule, ok bool) {
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " ")
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	line, r.negate = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.whole = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if inside, all := strings.CutSuffix(line, "/**"); all {
		line = inside + "/**/*" // all that is inside, but not the directory itself
	}
	r.literal = !strings.ContainsAny(line, `*?[]{}\`)
	r.glob = braces.Replace(line)
	return r, line != "" && doublestar.ValidatePattern(r.glob)
}
