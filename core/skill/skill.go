// Package skill finds the skills of a profile and a project: folders with a
// SKILL.md, which says how a kind of work is done. People begin one with
// /skill:NAME, and models read its file when they need it.
//
// Source: facts/platform 5.5, decisions 24.
package skill

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/frontmatter"
)

// FileName is the file that makes a folder a skill.
const FileName = "SKILL.md"

// Bounds of a skill, in bytes. A longer name or body makes it one that cannot be
// used; of a longer description the rest is cut.
const (
	maxName        = 64
	maxDescription = 1 << 10
	maxBody        = 256 << 10
)

// A Skill is what the head of one SKILL.md says. It is never changed.
type Skill struct {
	Name        string
	Description string // one line
	Path        string // of its SKILL.md, absolute
	Level       string // project or user
	Hidden      bool   // hide: models are not told of it
	Manual      bool   // disable-model-invocation: only people begin it

	root string // what it must lie in, "" for anywhere
}

// Listed tells whether models are told of the skill.
func (s *Skill) Listed() bool { return !s.Hidden && !s.Manual }

// Prompt is what the skill makes of the words a person calls it with. It reads
// the file as it is now; errors name it.
func (s *Skill) Prompt(words string) (string, error) {
	_, body, err := read(s.Path, s.root)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("Follow the skill %q:\n\n%s\n\nRelative paths in it begin at %s.", s.Name, body, filepath.Dir(s.Path))
	if words = strings.TrimSpace(words); words != "" {
		text += "\n\nUser: " + words
	}
	return text, nil
}

// parse reads the skill in a file.
func parse(path, root, level string) (*Skill, error) {
	meta, _, err := read(path, root)
	if err != nil {
		return nil, err
	}
	s := &Skill{Path: path, Level: level, root: root}
	if s.Name, err = meta.Text("name"); err != nil {
		return nil, err
	}
	if s.Name == "" {
		s.Name = filepath.Base(filepath.Dir(path))
	}
	if !usable(s.Name) {
		return nil, meta.Errorf("name", "expected at most %d letters, digits and signs without spaces and slashes, got %.80q", maxName, s.Name)
	}
	if s.Description, err = meta.Text("description"); err != nil {
		return nil, err
	}
	if s.Description = cut(strings.Join(strings.Fields(s.Description), " ")); s.Description == "" {
		return nil, &frontmatter.Error{File: path, Problem: "the head has no description"}
	}
	if s.Hidden, err = meta.Bool("hide"); err != nil {
		return nil, err
	}
	s.Manual, err = meta.Bool("disable-model-invocation")
	return s, err
}

// read reads a file that must lie within root, wherever links lead: a repository
// must not choose what of the disk a model sees.
func read(path, root string) (frontmatter.Meta, string, error) {
	if err := within(path, root); err != nil {
		return frontmatter.Meta{}, "", err
	}
	meta, body, err := frontmatter.Read(path)
	if err != nil {
		return meta, "", err
	}
	switch body = strings.TrimSpace(body); {
	case body == "":
		err = &frontmatter.Error{File: path, Problem: "has no text below its head"}
	case len(body) > maxBody:
		err = &frontmatter.Error{File: path, Problem: fmt.Sprintf("has more than %d KiB of text", maxBody>>10)}
	}
	return meta, body, err
}

// within is an error when the path leads out of root; "" is anywhere.
func within(path, root string) error {
	if root != "" && !file.Within(path, root) {
		return &frontmatter.Error{File: path, Problem: "leads out of " + root}
	}
	return nil
}

// usable tells whether /skill:NAME can call the name.
func usable(name string) bool {
	return len(name) <= maxName && utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) < 0
}

func cut(text string) string {
	if len(text) <= maxDescription {
		return text
	}
	return strings.ToValidUTF8(text[:maxDescription-len("…")], "") + "…"
}
