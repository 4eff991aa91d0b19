package prompt

import (
	"path/filepath"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/frontmatter"
	"veyyon.dev/veyyon/core/rule"
)

// maxRules bounds the text of the rules that always hold, in bytes. Those that
// do not fit are listed, to be read.
const maxRules = 128 << 10

// rules reads the rules that are not about what a model writes: those that
// always hold, and those to read when they are needed.
func (l *Library) rules(r *reader, dir, root string) (always []File, listed []Note) {
	folders := frontmatter.ProjectDirs(dir, "rules")
	room := maxRules
	hold := func(name, path, text string) {
		if len(text) > room {
			r.fault("%s: there is no room for it, since rules are longer than %d KiB", path, maxRules>>10)
			listed = append(listed, Note{name, "always", path})
			return
		}
		room -= len(text)
		always = append(always, File{name, path, text})
	}
	sticky := func(path, within string) (found bool) {
		text := r.text(path, within)
		if text != "" {
			hold("RULES", path, text)
		}
		return text != ""
	}
	for _, folder := range folders {
		if sticky(filepath.Join(filepath.Dir(folder), "RULES.md"), root) {
			break // the nearest
		}
	}
	sticky(filepath.Join(l.from.Agent, "RULES.md"), "")
	for _, folder := range append(folders, filepath.Join(l.from.Agent, "rules")) {
		r.folder(folder, ".md", ".mdc")
	}
	spoken, faults := rule.Spoken(rule.Sources{Dir: dir, Agent: l.from.Agent, Disabled: l.from.Disabled})
	r.faults = append(r.faults, faults...)
	for _, found := range spoken {
		switch {
		case found.Source.Level == "project" && !file.Within(found.Path, root):
			r.fault(astray, found.Path, root)
		case found.AlwaysApply:
			hold(found.Name, found.Path, found.Content)
		default:
			listed = append(listed, Note{found.Name, found.Description, found.Path})
		}
	}
	return always, listed
}
