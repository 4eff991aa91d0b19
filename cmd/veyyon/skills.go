package main

import (
	"strings"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/prompt"
	"veyyon.dev/veyyon/core/skill"
)

// newSkills is what finds skills, as flags and settings have it.
func (l *launch) newSkills() *skill.Library {
	s := l.settings
	from := skill.Sources{
		Agent: l.dirs.Agent, Off: l.flags.NoSkills || !config.SkillsOn.Of(s),
		Included: words(config.SkillsIncluded.Of(s)), Ignored: words(config.SkillsIgnored.Of(s)),
		Warn: func(err error) { l.warnOnce("a skill was passed over", err) },
	}
	if l.flags.Skills != "" {
		from.Included = nil
		for name := range strings.SplitSeq(l.flags.Skills, ",") {
			from.Included = append(from.Included, strings.TrimSpace(name))
		}
	}
	for _, name := range words(config.Disabled.Of(s)) {
		if name, ok := strings.CutPrefix(name, "skill:"); ok {
			from.Ignored = append(from.Ignored, name)
		}
	}
	return skill.NewLibrary(from)
}

// skillNotes are what models are told of the skills for work in dir.
func (l *launch) skillNotes(dir string) []prompt.Note {
	var notes []prompt.Note
	for _, s := range l.skills.Load(dir).Skills {
		if s.Listed() {
			notes = append(notes, prompt.Note{Name: s.Name, About: s.Description, Path: s.URL()})
		}
	}
	return notes
}
