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
	if l.custom, err = textOrFile(string(l.flags.System)); err == nil {
		l.added, err = textOrFile(string(l.flags.AppendSystem))
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

// textOrFile is the text of the file of that name, or else the text itself.
func textOrFile(value string) (string, error) {
	if value == "" || strings.ContainsAny(value, "\n\x00") {
		return value, nil
	}
	if info, err := os.Stat(value); err != nil || !info.Mode().IsRegular() {
		return value, nil
	}
	text, err := os.ReadFile(value)
	if err != nil {
		return "", fmt.Errorf("reading the prompt: %w", err)
	}
	return string(text), nil
}
