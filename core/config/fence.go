package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A fence is a setting that stands between a model and what it must not do or
// see. Where a person's own file speaks of it in a way that is not understood,
// the default would be the opposite of what was wanted: it is closed then.
type fence struct {
	key    *spec
	about  string // how the names of the settings begin that belong to it
	word   string // what a file that cannot be read at all holds if it speaks of it
	closed []any  // the values that are safe, and first the one that is taken
}

var fences = []fence{
	{ApprovalMode.spec, "tools.approval", "approval", []any{"ask", "always-ask", "plan"}},
	{SecretsOn.spec, "secrets", "secrets", []any{true}},
}

// meant tells whether a name that nothing follows may be meant for the fence, or
// for a group that it is in.
func (f fence) meant(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, f.about) || strings.HasPrefix(f.about, name+".")
}

// closeUnread closes the fences that a file of the person's speaks of which
// cannot be used, for whatever text can be read of it. It returns what to say of it.
func (s *Settings) closeUnread(file string) (said string) {
	text, err := readFile(file)
	for _, f := range fences {
		if err != nil || bytes.Contains(text, []byte(f.word)) {
			said += s.shut(f, file)
		}
	}
	return said
}

// closeUnclear closes the fences that a layer of the person's speaks of in
// settings that are not followed, unclear among them.
func (s *Settings) closeUnclear(l *layer, unclear []string) (warnings []Warning) {
	if !l.mine {
		return nil
	}
	l.walk(l.tree, nil, func(path []string, _ string) { unclear = append(unclear, join(path)) })
	for _, f := range fences {
		if slices.ContainsFunc(unclear, f.meant) {
			if said := s.shut(f, l.file); said != "" {
				warnings = append(warnings, Warning{File: l.file, Text: "what it says of " + f.about + " is not understood" + said})
			}
		}
	}
	return warnings
}

// shut gives a fence its safe value, unless it has one, and says so.
func (s *Settings) shut(f fence, file string) string {
	if slices.Contains(f.closed, s.values[f.key.name]) {
		return ""
	}
	*s = *s.override(f.key, f.closed[0], file)
	return fmt.Sprintf("; to be safe, %s is %v", f.key.name, f.closed[0])
}
