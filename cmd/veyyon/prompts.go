package main

import (
	"fmt"
	"os"
	"strings"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/prompt"
	"veyyon.dev/veyyon/core/tool"
)

// prompts reads what the command line says in place of the system prompt or
// behind it.
func (l *launch) prompts() error {
	var err error
	if l.custom, err = textOrFile("--system-prompt", string(l.flags.System)); err == nil {
		l.added, err = textOrFile("--append-system-prompt", string(l.flags.AppendSystem))
	}
	return err
}

// newLibrary is what writes system prompts from the files of person, profile and
// project.
func (l *launch) newLibrary() *prompt.Library {
	d := l.dirs
	return prompt.NewLibrary(prompt.Sources{
		Folders: prompt.Folders{User: d.User, Home: d.Home, Root: d.Root, Agent: d.Agent, Foreign: config.ImportForeign.Of(l.settings)}, Custom: l.custom, Append: l.added,
		NoRules: l.flags.NoRules, Disabled: words(config.RulesDisabled.Of(l.settings)),
		Skills: l.skillNotes,
		Warn:   func(err error) { l.warnOnce("a file of instructions was passed over", err) },
	})
}

// system writes the system prompts of sessions with these tools.
func (l *launch) system(tools tool.Set) func(dir string) func() []string {
	if os.Getenv("NULL_PROMPT") == "true" {
		return func(string) func() []string { return nil }
	}
	var names []string
	for _, spec := range tools.Offered() {
		names = append(names, spec.Name)
	}
	return func(dir string) func() []string { return l.library.Session(dir, names) }
}

// textOrFile is the text of the file of that name, or else the text itself. One
// that can only have been meant as the name of a file has to be one: a model
// would be told a path in place of what to do.
func textOrFile(flag, value string) (string, error) {
	if value == "" || strings.ContainsAny(value, "\n\x00") {
		return value, nil
	}
	info, err := os.Stat(value)
	switch {
	case err == nil && info.Mode().IsRegular():
	case !likePath(value):
		return value, nil
	case err == nil:
		return "", fmt.Errorf("%s: %s is not a file; name a file, or give the text itself", flag, value)
	default:
		return "", fmt.Errorf("%s: there is no file %s; name one that is there, or give the text itself", flag, value)
	}
	text, err := os.ReadFile(value)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return string(text), nil
}

// likePath says whether value looks like the name of a file, and like no text:
// one word that begins as paths do or ends as files of prompts do.
func likePath(value string) bool {
	if strings.ContainsAny(value, " \t") {
		return false
	}
	for _, start := range []string{"./", "../", "~/", "/"} {
		if len(value) > len(start) && strings.HasPrefix(value, start) {
			return true
		}
	}
	return strings.HasSuffix(value, ".md") || strings.HasSuffix(value, ".txt")
}
