package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"veyyon.dev/veyyon/core/frontmatter"
)

const (
	// maxSkills bounds the skills of a working folder; a fault tells of more, which
	// are passed over.
	maxSkills = 256
	// maxEntries bounds what is looked at in one folder of skills; more is passed
	// over.
	maxEntries = 1024
	// maxFolders is how many working folders are remembered; with one more all
	// others are forgotten.
	maxFolders = 64
)

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

	mu   sync.Mutex
	sets map[string]*Set // by working folder
}

// A Set is the skills of a working folder, the nearest first. It is never
// changed.
type Set struct {
	Skills []*Skill // of different names
	Faults []Fault
}

// A Fault is why a skill cannot be used. Err names the file.
type Fault struct {
	Name string // of its folder
	Err  error
}

// None is the set without skills.
var None = &Set{}

// NewLibrary returns a library that has read nothing yet.
func NewLibrary(from Sources) *Library {
	return &Library{from: from, sets: map[string]*Set{}}
}

// Load finds the skills for work in dir: those of the project from there up to
// the root of its repository, then the profile's; of two of one name the nearer
// wins. The set is the same pointer for as long as nothing has changed.
func (l *Library) Load(dir string) *Set {
	if l.from.Off {
		return None
	}
	found := l.find(dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.sets[dir]; known != nil && known.equal(found) {
		return known
	}
	if len(l.sets) >= maxFolders {
		clear(l.sets)
	}
	l.sets[dir] = found
	for _, fault := range found.Faults {
		if l.from.Warn != nil {
			l.from.Warn(fault.Err)
		}
	}
	return found
}

func (set *Set) equal(other *Set) bool {
	same := func(a, b *Skill) bool { return *a == *b }
	return slices.EqualFunc(set.Skills, other.Skills, same) && slices.EqualFunc(set.Faults, other.Faults, func(a, b Fault) bool {
		return a.Name == b.Name && a.Err.Error() == b.Err.Error()
	})
}

// Find returns the skill of that name, nil when there is none.
func (set *Set) Find(name string) *Skill {
	if i := slices.IndexFunc(set.Skills, func(s *Skill) bool { return s.Name == name }); i >= 0 {
		return set.Skills[i]
	}
	return nil
}

// Fault tells why the skill in a folder of that name cannot be used, nil when
// there is none.
func (set *Set) Fault(name string) error {
	if i := slices.IndexFunc(set.Faults, func(f Fault) bool { return f.Name == name }); i >= 0 {
		return set.Faults[i].Err
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
	names, err := l.folders.Take(folder, entries)
	if err != nil && !missing(err) {
		set.Faults = append(set.Faults, Fault{filepath.Base(folder), err})
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
			set.Faults = append(set.Faults, Fault{name, err})
			return
		}
		if err != nil {
			set.Faults = append(set.Faults, Fault{name, err})
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

// entries lists what is in a folder, sorted, without what is hidden.
func entries(folder string) ([]string, error) {
	f, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY, 0) // opening a FIFO would wait for ever
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	names, err := f.Readdirnames(maxEntries)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") }), err
}
