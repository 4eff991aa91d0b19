// Package template finds what people have written to be said again: commands and
// prompts, Markdown files that become prompts when their name is called. Nothing
// in them is run.
//
// Source: facts/platform 5.4, decisions 24.
package template

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/frontmatter"
)

// Bounds of a template. A longer name makes it one that cannot be used; of a
// longer description the rest is cut, and a line of the body that stands for it
// is cut sooner.
const (
	maxName        = 64 // bytes
	maxDescription = 1 << 10
	maxFirstLine   = 60 // characters
)

// A Template is what the head of one file says. It is never changed.
type Template struct {
	Name        string
	Description string // one line
	Hint        string // argument-hint: what to type behind the name
	Path        string // absolute; "" for one that comes with the program

	root string // what it must lie in, "" for anywhere
	body string // of one that comes with the program
}

// Expand is what the template becomes with the words behind its name. It reads
// the file as it is now; errors name it.
func (t *Template) Expand(words string) (string, error) {
	body := t.body
	if t.Path != "" {
		var err error
		if _, body, err = read(t.Path, t.root); err != nil {
			return "", err
		}
	}
	text, err := fill(body, words)
	if err != nil {
		return "", fmt.Errorf("/%s: %w", t.Name, err)
	}
	return text, nil
}

// open reads the template in a file.
func open(path, root string) (*Template, error) {
	meta, body, err := read(path, root)
	if err != nil {
		return nil, err
	}
	t := &Template{Name: stem(path), Path: path, root: root}
	if !usable(t.Name) {
		return nil, &frontmatter.Error{File: path, Problem: fmt.Sprintf("expected a name of at most %d letters, digits and signs without spaces", maxName)}
	}
	if t.Hint, err = meta.Text("argument-hint"); err != nil {
		t.Hint = strings.Join(listed(meta, "argument-hint"), " ")
	}
	if t.Description, err = meta.Text("description"); err != nil {
		return nil, err
	}
	t.Hint, t.Description = oneLine(t.Hint), oneLine(t.Description)
	if t.Description == "" {
		t.Description = firstLine(body)
	}
	return t, nil
}

// listed is a hint as YAML reads [this] one: a list.
func listed(meta frontmatter.Meta, key string) (parts []string) {
	texts, _ := meta.Texts(key) // what is neither gives no hint
	for _, text := range texts {
		parts = append(parts, "["+text+"]")
	}
	return parts
}

// read reads a file that must lie within root, wherever links lead: a repository
// must not choose what of the disk a model sees.
func read(path, root string) (frontmatter.Meta, string, error) {
	if err := within(path, root); err != nil {
		return frontmatter.Meta{}, "", err
	}
	meta, body, err := frontmatter.Read(path)
	if body = strings.TrimSpace(body); err == nil && body == "" {
		err = &frontmatter.Error{File: path, Problem: "has no text"}
	}
	return meta, body, err
}

func within(path, root string) error {
	if root != "" && !file.Within(path, root) {
		return &frontmatter.Error{File: path, Problem: "leads out of " + root}
	}
	return nil
}

func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// usable tells whether a prompt can call the name.
func usable(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) &&
		strings.IndexFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) < 0
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxDescription {
		return text
	}
	return strings.ToValidUTF8(text[:maxDescription-len("…")], "") + "…"
}

// firstLine stands for a description.
func firstLine(body string) string {
	line, _, _ := strings.Cut(body, "\n")
	if runes := []rune(oneLine(line)); len(runes) > maxFirstLine {
		return string(runes[:maxFirstLine]) + "..."
	}
	return oneLine(line)
}
