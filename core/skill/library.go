package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"veyyon.dev/veyyon/core/frontmatter"
)

// maxSkills bounds the skills of a working folder; a fault tells of more, which
// are passed over.
const maxSkills = 256

// Sources say where skills are found, and which count.
type Sources struct {
	Agent    string      // the profile's folder
	Off      bool        // none at all
	Included []string    // patterns of names, as path.Match has them; all when empty
	Ignored  []string    // the same, of those that are passed over
	Warn     func(error) // told why a skill cannot be used, when that is found out; nil for nobody
}

// A Library finds skills. It reads a file once, and again only when it has
// changed: asking again costs a look at each file. Safe for concurrent use.
type Library struct {
	from    Sources
	folders frontmatter.Shelf[[]string]
	skills  frontmatter.Shelf[*Skill]
	latest  frontmatter.Latest[Set]
}

// A Set is the skills of a working folder, the nearest first. It is never
// changed.
type Set struct {
	Skills []*Skill           // of different names
	Faults frontmatter.Faults // by the names of their folders
}

// None is the set without skills.
var None = &Set{}

// NewLibrary returns a library that has read nothing yet.
func NewLibrary(from Sources) *Library {
	return &Library{from: from}
}

// Load finds the skills for work in dir: those of the project from there up to
// the root of its repository, then the profile's; of two of one name the nearer
// wins. The set is the same pointer for as long as nothing has changed.
func (l *Library) Load(dir string) *Set {
	if l.from.Off {
		return None
	}
	set, news := l.latest.Keep(dir, l.find(dir), (*Set).equal)
	for _, fault := range set.Faults {
		if news && l.from.Warn != nil {
			l.from.Warn(fault.Err)
		}
	}
	return set
}

func (set *Set) equal(other *Set) bool {
	same := func(a, b *Skill) bool { return *a == *b }
	return slices.EqualFunc(set.Skills, other.Skills, same) && set.Faults.Equal(other.Faults)
}

// Find returns the skill of that name, nil when there is none.
func (set *Set) Find(name string) *Skill {
	if i := slices.IndexFunc(set.Skills, func(s *Skill) bool { return s.Name == name }); i >= 0 {
		return set.Skills[i]
	}
	return nil
}

func (l *Library) find(dir string) *Set {
	set, taken := &Set{}, map[string]string{}
	project := frontmatter.ProjectDirs(dir, "skills")
	root := filepath.Dir(filepath.Dir(project[len(project)-1]))
	for _, folder := range project {
		l.read(set, taken, folder, root, "project")
	}
	l.read(set, taken, filepath.Join(l.from.Agent, "skills"), "", "user")
	return set
}

// read adds the skills of a folder; taken are the names that count already, with
// the folder of each.
func (l *Library) read(set *Set, taken map[string]string, folder, root, level string) {
	names, err := l.folders.Take(folder, frontmatter.Entries)
	if err != nil && !missing(err) {
		set.Faults = append(set.Faults, frontmatter.Fault{Name: filepath.Base(folder), Err: err})
	}
	for _, name := range names {
		file := filepath.Join(folder, name, FileName)
		s, err := l.skills.Take(file, func(file string) (*Skill, error) { return parse(file, root, level) })
		switch {
		case missing(err), err == nil && !l.counts(s.Name):
			continue
		case err != nil:
		case taken[s.Name] == folder:
			err = fmt.Errorf("%s: another skill of this folder is called %s", file, s.Name)
		case taken[s.Name] != "":
			continue
		case len(set.Skills) == maxSkills:
			err = fmt.Errorf("%s: there are more than %d skills", file, maxSkills)
			set.Faults = append(set.Faults, frontmatter.Fault{Name: name, Err: err})
			return
		}
		if err != nil {
			set.Faults = append(set.Faults, frontmatter.Fault{Name: name, Err: err})
			continue
		}
		taken[s.Name] = folder
		set.Skills = append(set.Skills, s)
	}
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// counts tells whether the settings let a skill of that name count.
func (l *Library) counts(name string) bool {
	fits := func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok || err != nil && pattern == name
	}
	return (len(l.from.Included) == 0 || slices.ContainsFunc(l.from.Included, fits)) && !slices.ContainsFunc(l.from.Ignored, fits)
}
