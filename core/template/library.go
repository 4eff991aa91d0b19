package template

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"veyyon.dev/veyyon/core/frontmatter"
)

const (
	// maxTemplates bounds the commands of a working folder, and its prompts; a
	// fault tells of more, which are passed over.
	maxTemplates = 256
	// maxDepth is how deep folders of prompts may lie within each other; deeper
	// ones are passed over.
	maxDepth = 4
	// maxLooked bounds the files and folders that are looked at for one kind; a
	// fault tells of more, which are passed over.
	maxLooked = 2048
)

//go:embed bundled/init.md
var initText string

// bundled are the commands that come with the program.
var bundled = []*Template{{Name: "init", Description: "Write an AGENTS.md for this project", body: strings.TrimSpace(initText)}}

// Sources say where templates are found.
type Sources struct {
	Agent string      // the profile's folder
	Warn  func(error) // told why one cannot be used, when that is found out; nil for nobody
}

// A Library finds templates. It reads a file once, and again only when it has
// changed. Safe for concurrent use.
type Library struct {
	from      Sources
	folders   frontmatter.Shelf[[]string]
	templates frontmatter.Shelf[*Template]
	latest    frontmatter.Latest[Set]
}

// A Set is the templates of a working folder. It is never changed.
type Set struct {
	Commands List // which hosts list
	Prompts  List
}

// A List is the templates of one kind, the nearest first. Of two of one name the
// first counts.
type List struct {
	Templates []*Template
	Faults    frontmatter.Faults
}

// None is the set without templates.
var None = &Set{}

// NewLibrary returns a library that has read nothing yet.
func NewLibrary(from Sources) *Library { return &Library{from: from} }

// Load finds the templates for work in dir: those of the project from there up to
// the root of its repository, then the profile's, then those of the program; of
// two of one name the nearer wins. The set is the same pointer for as long as
// nothing has changed.
func (l *Library) Load(dir string) *Set {
	found := &Set{l.find(dir, "commands", 1), l.find(dir, "prompts", maxDepth)}
	found.Commands.Templates = append(found.Commands.Templates, bundled...)
	set, news := l.latest.Keep(dir, found, (*Set).equal)
	for _, fault := range slices.Concat(set.Commands.Faults, set.Prompts.Faults) {
		if news && l.from.Warn != nil {
			l.from.Warn(fault.Err)
		}
	}
	return set
}

func (set *Set) equal(other *Set) bool {
	return set.Commands.equal(other.Commands) && set.Prompts.equal(other.Prompts)
}

func (l List) equal(other List) bool {
	same := func(a, b *Template) bool { return *a == *b }
	return slices.EqualFunc(l.Templates, other.Templates, same) && l.Faults.Equal(other.Faults)
}

// Expand is what becomes of a prompt that calls a command or a prompt by its
// name; ok is false when it calls none. The name ends at the first white space.
func (set *Set) Expand(text string) (expanded string, ok bool, err error) {
	return expand(text, set.Commands, set.Prompts)
}

// ExpandPrompt is Expand without the commands.
func (set *Set) ExpandPrompt(text string) (expanded string, ok bool, err error) {
	return expand(text, set.Prompts)
}

func expand(text string, lists ...List) (expanded string, ok bool, err error) {
	call, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return "", false, nil
	}
	name, words := call, ""
	if i := strings.IndexFunc(call, unicode.IsSpace); i >= 0 {
		name, words = call[:i], call[i:]
	}
	for _, list := range lists {
		for _, t := range list.Templates {
			if t.Name == name {
				expanded, err = t.Expand(words)
				return expanded, true, err
			}
		}
	}
	for _, list := range lists {
		if err := list.Faults.Of(name); err != nil {
			return "", true, err
		}
	}
	return "", false, nil
}

// A search is for the templates of one kind.
type search struct {
	*Library
	List
	taken  map[string]bool
	looked int
}

func (l *Library) find(dir, kind string, depth int) List {
	s := search{Library: l, taken: map[string]bool{}}
	project := frontmatter.ProjectDirs(dir, kind)
	root := filepath.Dir(filepath.Dir(project[len(project)-1]))
	for _, folder := range project {
		s.read(folder, root, depth)
	}
	s.read(filepath.Join(l.from.Agent, kind), "", depth)
	return s.List
}

// read adds the templates of a folder, and of those in it.
func (s *search) read(folder, root string, depth int) {
	names, err := s.folders.Take(folder, func(folder string) ([]string, error) {
		if err := within(folder, root); err != nil {
			return nil, err
		}
		return frontmatter.Entries(folder)
	})
	if err != nil && !missing(err) {
		s.fault(filepath.Base(folder), err)
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if s.looked++; s.looked > maxLooked {
			if s.looked == maxLooked+1 {
				s.fault(stem(path), fmt.Errorf("%s: there are more than %d files and folders of its kind", path, maxLooked))
			}
			return
		}
		if filepath.Ext(name) != ".md" {
			if depth > 1 {
				s.read(path, root, depth-1)
			}
			continue
		}
		if s.taken[stem(path)] {
			continue
		}
		t, err := s.Library.templates.Take(path, func(path string) (*Template, error) { return open(path, root) })
		switch {
		case missing(err):
			continue // a link to nothing
		case err == nil && len(s.Templates) == maxTemplates:
			err = fmt.Errorf("%s: there are more than %d of its kind", path, maxTemplates)
		}
		if err != nil {
			s.fault(stem(path), err)
			continue
		}
		s.taken[t.Name] = true
		s.Templates = append(s.Templates, t)
	}
}

func (s *search) fault(name string, err error) {
	s.Faults = append(s.Faults, frontmatter.Fault{Name: name, Err: err})
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
