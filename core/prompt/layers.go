package prompt

import (
	"path/filepath"
	"slices"
	"strings"
)

// The bounds of all instructions of a session.
const (
	// maxContext bounds their text, in bytes. The nearest files are taken first;
	// what does not fit is cut or passed over, with a fault.
	maxContext = 256 << 10
	// maxReferences is how many references are followed; more stay as they are.
	maxReferences = 128
	// maxDepth is how deep imports may import; deeper ones stay as they are.
	maxDepth = 5
)

// Folders are where instructions are found. All are absolute.
type Folders struct {
	User  string // the person's home, for ~ in imports
	Home  string // what all profiles share
	Root  string // of the profile
	Agent string // the profile's folder of settings
	// Foreign takes the instructions that are written for other agents where there
	// are none of ours.
	Foreign bool
}

// The files that other agents read their instructions from, in a folder of a
// project and in the person's home (facts/platform 12). The first that is there
// counts.
var (
	foreign     = []string{"CLAUDE.md", ".claude/CLAUDE.md", ".agents/AGENTS.md", ".agent/AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"}
	foreignHome = []string{".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"}
)

// others are these files of a folder, none unless they are wanted.
func (f Folders) others(folder string, names []string) (paths []string) {
	if !f.Foreign {
		return nil
	}
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// layers reads the files of instructions that hold in a folder.
type layers struct {
	*reader
	home     string          // of the person
	room     int             // bytes that are left
	followed int             // references
	seen     map[target]bool // that were looked at
	texts    map[string]bool // that were found
	files    []File          // the nearest first
}

// target is a file and the folder it must lie in, "" for any.
type target struct{ path, within string }

// instructions are the files for a folder of the project with this root: those of the person, then those of
// the project from its root down, one for each folder. A text that stands in
// several counts where it is nearest.
func instructions(r *reader, from Folders, dir, root string) []File {
	l := &layers{reader: r, home: from.User, room: maxContext, seen: map[target]bool{}, texts: map[string]bool{}}
	for at := dir; ; at = filepath.Dir(at) {
		own := filepath.Join(at, ".veyyon")
		if own == from.Home { // the person's, which counts for all projects
			l.first(root, append([]string{filepath.Join(at, "AGENTS.md")}, from.others(at, foreign)...)...)
		} else {
			l.first(root, append([]string{filepath.Join(own, "AGENTS.md"), filepath.Join(at, "AGENTS.md")}, from.others(at, foreign)...)...)
		}
		if at == root {
			break
		}
	}
	l.first("", filepath.Join(from.Agent, "AGENTS.md"), filepath.Join(from.Root, "AGENTS.md"),
		filepath.Join(from.Agent, "agent.md"), filepath.Join(from.Root, "agent.md"))
	l.first("", append([]string{filepath.Join(from.Home, "AGENTS.md")}, from.others(from.User, foreignHome)...)...)
	slices.Reverse(l.files)
	return l.files
}

// first takes the first of these files that says something.
func (l *layers) first(within string, paths ...string) {
	for _, path := range paths {
		if l.seen[target{path, within}] {
			return
		}
		if text := l.text(path, within); text != "" {
			l.add(path, text, within, 0)
			return
		}
	}
}

// add takes a file, and then those it imports, which are farther than it.
func (l *layers) add(path, text, within string, depth int) {
	l.seen[target{path, within}] = true
	if l.texts[text] {
		return
	}
	l.texts[text] = true
	imports := references(text)
	if len(text) > l.room {
		l.fault("%s: there is no room for all of it, since instructions are longer than %d KiB", path, maxContext>>10)
		if text = strings.ToValidUTF8(text[:l.room], ""); text == "" {
			return
		}
		text += leftOut(path)
	}
	l.room = max(0, l.room-len(text))
	l.files = append(l.files, File{Path: path, Text: text})
	if depth == maxDepth {
		return
	}
	for _, name := range slices.Backward(imports) {
		l.take(l.resolve(path, name), within, depth+1)
	}
}

// resolve is where an import leads.
func (l *layers) resolve(from, name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(l.home, rest)
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(from), name)
}

// take reads an imported file. One that is missing was no import.
func (l *layers) take(path, within string, depth int) {
	if l.seen[target{path, within}] || l.followed == maxReferences {
		return
	}
	l.seen[target{path, within}] = true
	l.followed++
	if there := l.look(path); there == nil || there.IsDir() {
		return
	}
	if text := l.text(path, within); text != "" {
		l.add(path, text, within, depth)
	}
}
