package prompt

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Sources say what prompts are made of.
type Sources struct {
	Folders
	Custom, Append string // of the command line, which wins over files
	NoRules        bool
	Disabled       []string                // names of rules that are passed over
	Skills         func(dir string) []Note // that models are told of; nil for none
	Warn           func(error)             // told what is wrong with a file that is read
}

// A Library writes the prompts of one process. It reads files once, and again
// only when one of them has changed. Safe for concurrent use.
type Library struct {
	from Sources

	mu     sync.Mutex
	guides map[string]*read // by folder
}

// read is what was read for a folder; it is never changed.
type read struct {
	guide  Guide
	stamps []stamp
}

// maxFolders is how many folders are remembered; with one more all others are
// forgotten.
const maxFolders = 64

// NewLibrary returns a library that has read nothing yet.
func NewLibrary(from Sources) *Library {
	return &Library{from: from, guides: map[string]*read{}}
}

// Session returns what gives the blocks of a session that works in dir with these
// tools. They stay as they are until a file of theirs has changed, the date too,
// since a provider's cache ends at the first byte that differs. One goroutine at
// a time.
func (l *Library) Session(dir string, offered []string) func() []string {
	var last *read
	var skills []Note
	var blocks []string
	return func() []string {
		now := l.guide(dir)
		known := l.skills(dir)
		if last == nil || !slices.Equal(known, skills) || now != last && !reflect.DeepEqual(now.guide, last.guide) {
			blocks = Build(now.with(known), Here(dir, time.Now()), offered)
		}
		last, skills = now, known
		return blocks
	}
}

// Agent is what an agent is told behind its own text: how it works with these
// tools, and of the place.
func (l *Library) Agent(dir string, offered []string) string {
	head := strings.TrimSpace(limits + "\n\n" + toolText(offered))
	return head + "\n\n" + Local(l.guide(dir).with(l.skills(dir)), Here(dir, time.Now()), offered)
}

// skills are those for a folder. They are not part of what is read here: who
// finds them looks after their files.
func (l *Library) skills(dir string) []Note {
	if l.from.Skills == nil {
		return nil
	}
	return l.from.Skills(dir)
}

// with is the guide that tells of these skills too.
func (r *read) with(skills []Note) Guide {
	g := r.guide
	g.Skills = skills
	return g
}

// guide is what holds in a folder as it is now.
func (l *Library) guide(dir string) *read {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.guides[dir]; known != nil && !slices.ContainsFunc(known.stamps, stamp.changed) {
		return known
	}
	if len(l.guides) >= maxFolders {
		clear(l.guides)
	}
	r := &reader{}
	found := &read{guide: l.load(r, dir)}
	found.stamps = r.stamps
	l.guides[dir] = found
	if l.from.Warn != nil {
		for _, fault := range r.faults {
			l.from.Warn(fault)
		}
	}
	return found
}

func (l *Library) load(r *reader, dir string) Guide {
	g := Guide{Custom: l.from.Custom, Append: l.from.Append}
	root, _ := repository(dir)
	if g.Custom == "" {
		g.Custom = l.either(r, dir, root, "SYSTEM.md")
	}
	if g.Append == "" {
		g.Append = l.either(r, dir, root, "APPEND_SYSTEM.md")
	}
	if !l.from.NoRules {
		g.Rules, g.Listed = l.rules(r, dir, root)
	}
	g.Files = instructions(r, l.from.Folders, dir, root)
	return g
}

// either is the text of a file of the project, or else of the profile.
func (l *Library) either(r *reader, dir, root, name string) string {
	if text := r.text(filepath.Join(dir, ".veyyon", name), root); text != "" {
		return text
	}
	return r.text(filepath.Join(l.from.Agent, name), "")
}
