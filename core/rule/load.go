package rule

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/frontmatter"
)

// Sources say where rules are found.
type Sources struct {
	Dir      string   // working folder, absolute; those above it count up to the repository's root
	Agent    string   // the profile's folder
	Disabled []string // names of rules that are passed over
}

// maxSteps bounds what all conditions of a project, or of a profile, cost for each
// character of an answer. A fault tells when it is reached; rules behind it are
// passed over.
const maxSteps = 32 << 10

// Load reads the rules that hold in a folder; of two files of one name the
// nearer wins, and any of the project before the profile's. It is nil when there
// are none. A file with a fault is passed over; its fault names file and line.
func Load(from Sources, opts Options) (*Set, []error) {
	set, _, faults := load(from)
	set.opts = opts
	if len(set.rules) == 0 {
		return nil, faults
	}
	return set, faults
}

// Spoken reads the rules that models are told before they write: those that
// always hold, and those with a description, which are not about what models
// write. The faults are those of Load.
func Spoken(from Sources) ([]event.Rule, []error) {
	_, spoken, faults := load(from)
	return spoken, faults
}

func load(from Sources) (*Set, []event.Rule, []error) {
	l := loading{from: from, set: &Set{dir: from.Dir}, taken: map[string]bool{}}
	for _, dir := range frontmatter.ProjectDirs(from.Dir, "rules") {
		l.folder(dir, "project")
	}
	l.room, l.steps = frontmatter.Room{}, 0 // a project crowds out none that a person wants
	l.folder(filepath.Join(from.Agent, "rules"), "user")
	return l.set, l.spoken, l.faults
}

// loading is what has been read so far, and what that has cost.
type loading struct {
	from   Sources
	set    *Set
	spoken []event.Rule
	faults []error
	taken  map[string]bool // names of rules

	room  frontmatter.Room
	steps int // never more than maxSteps, but for a rule that is passed over
}

func (l *loading) folder(dir, level string) {
	files, err := frontmatter.Files(dir, ".md", ".mdc")
	if err != nil {
		l.faults = append(l.faults, err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if l.room.Full() || l.steps > maxSteps || l.taken[name] || slices.Contains(l.from.Disabled, name) {
			continue
		}
		if err := l.file(path, name, level); err != nil {
			l.faults = append(l.faults, err)
		}
	}
}

func (l *loading) file(path, name, level string) error {
	meta, body, err := frontmatter.Read(path)
	if full := l.room.Take(path, meta, body); full != nil {
		return full
	}
	if err != nil {
		return err
	}
	r, err := newRule(meta, body, event.Rule{Name: name, Path: path, Source: event.RuleSource{Provider: "native", Path: path, Level: level}})
	if err != nil {
		return err
	}
	l.taken[name] = true
	switch {
	case len(r.conditions) > 0:
		if l.steps += r.steps(); l.steps > maxSteps {
			return fmt.Errorf("%s: the conditions of rules are too large", path)
		}
		l.set.rules = append(l.set.rules, r)
	case r.AlwaysApply || r.Description != "":
		l.spoken = append(l.spoken, r.Rule)
	}
	return nil
}

// conditionKeys are the names the conditions have had.
var conditionKeys = []string{"condition", "ttsr_trigger", "ttsrTrigger"}

func newRule(meta frontmatter.Meta, body string, of event.Rule) (r *Rule, err error) {
	of.Content = strings.TrimSpace(body)
	r = &Rule{Rule: of}
	if r.Description, err = meta.Text("description"); err != nil {
		return nil, err
	}
	if r.AlwaysApply, err = meta.Bool("alwaysApply"); err != nil {
		return nil, err
	}
	if r.InterruptMode, err = meta.Text("interruptMode"); err != nil {
		return nil, err
	}
	r.mode = Mode(r.InterruptMode)
	if r.mode != "" && !slices.Contains([]Mode{Always, ProseOnly, ToolOnly, Never}, r.mode) {
		return nil, meta.Errorf("interruptMode", "expected always, prose-only, tool-only or never, got %s", r.mode)
	}
	if r.Globs, err = parts(meta, "globs"); err != nil {
		return nil, err
	}
	for _, glob := range r.Globs {
		if !validGlob(glob) {
			return nil, meta.Errorf("globs", "%s is no pattern of paths", glob)
		}
	}
	if r.Scope, err = parts(meta, "scope"); err != nil {
		return nil, err
	}
	for _, word := range r.Scope {
		s, ok := parseScope(word)
		if !ok {
			return nil, meta.Errorf("scope", "%s is no scope", word)
		}
		r.scopes = append(r.scopes, s)
	}
	if err := r.readConditions(meta); err != nil {
		return nil, err
	}
	if len(r.scopes) == 0 {
		r.scopes = []scope{{kind: text}, {kind: tools}}
	}
	return r, nil
}

// readConditions compiles the conditions. A pattern of paths among them says in
// which files nothing may be written, or nothing that the others match.
func (r *Rule) readConditions(meta frontmatter.Meta) error {
	globs := false
	for _, key := range conditionKeys {
		patterns, err := meta.Texts(key)
		if err != nil {
			return err
		}
		for _, pattern := range patterns {
			if isGlob(pattern) {
				globs = true
				r.scopes = append(r.scopes, scope{kind: tools, tool: "edit", glob: pattern}, scope{kind: tools, tool: "write", glob: pattern})
				continue
			}
			c, err := compile(pattern)
			if err != nil {
				return meta.Errorf(key, "%v", err)
			}
			r.conditions = append(r.conditions, c)
			if r.steps() > maxProgram {
				return meta.Errorf(key, "the patterns are too large")
			}
			r.Condition = append(r.Condition, pattern)
		}
	}
	if globs && len(r.conditions) == 0 {
		r.conditions, r.Condition = []condition{anything}, []string{".*"}
	}
	if meta.Has("astCondition") {
		return meta.Errorf("astCondition", "conditions on syntax trees are not supported")
	}
	if meta.Has("scope") || !globs {
		return nil
	}
	r.Scope = nil
	for _, s := range r.scopes {
		r.Scope = append(r.Scope, "tool:"+s.tool+"("+s.glob+")")
	}
	return nil
}

// parts reads a list whose entries may be several, parted by commas that stand
// outside of brackets.
func parts(meta frontmatter.Meta, key string) ([]string, error) {
	texts, err := meta.Texts(key)
	var all []string
	for _, text := range texts {
		depth, from := 0, 0
		for i, c := range text + "," {
			switch c {
			case '(', '{', '[':
				depth++
			case ')', '}', ']':
				depth--
			case ',':
				if depth > 0 && i < len(text) {
					continue
				}
				if part := strings.TrimSpace(text[from:i]); part != "" {
					all = append(all, part)
				}
				from = i + 1
			}
		}
	}
	return all, err
}
