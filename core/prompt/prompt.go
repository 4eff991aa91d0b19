// Package prompt writes the system prompt: what a model is told before it works.
// The same files give the same bytes, so that providers' caches hold.
//
// Source: facts/agent 12, facts/platform 8.
package prompt

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed system.md
var core string

// A Guide is what the files of person, profile and project add to a prompt.
type Guide struct {
	Custom string // replaces the core text when not ""
	Append string // a block of its own when not ""
	Rules  []File // that always hold
	Listed []Note // rules to read when they are needed
	Skills []Note
	Files  []File // instructions, the farthest first
}

// A File is a text with its name.
type File struct{ Name, Path, Text string }

// A Note tells of a file that a model may read.
type Note struct{ Name, About, Path string }

// Build returns the blocks: what the agent is, what holds here and where it
// works, and what the person added. offered are the names of the tools.
func Build(g Guide, place Place, offered []string) []string {
	head := g.Custom
	if head == "" {
		head = strings.TrimSpace(core) + "\n\n" + toolText(offered)
	}
	blocks := []string{strings.TrimSpace(head), Local(g, place, offered)}
	if g.Append != "" {
		blocks = append(blocks, g.Append)
	}
	return blocks
}

// Local is the block about the place: its rules, skills and instructions, then
// where it is.
func Local(g Guide, place Place, offered []string) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	add(rulesText(g, offered))
	if reads := slices.Contains(offered, "read"); reads {
		add(section("skills", "Instructions for particular kinds of work. When one fits the task, read it before you begin, and follow it.", notes(g.Skills)))
	}
	add(contextText(g.Files))
	add(place.String())
	return strings.Join(parts, "\n\n")
}

func rulesText(g Guide, offered []string) string {
	var b strings.Builder
	for _, r := range g.Rules {
		fmt.Fprintf(&b, "<rule name=\"%s\">\n%s\n</rule>\n", attribute(r.Name), r.Text)
	}
	if reads := slices.Contains(offered, "read"); reads && len(g.Listed) > 0 {
		if len(g.Rules) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("Read these before work that they are about:\n" + notes(g.Listed))
	}
	return section("rules", "Rules that hold for all work here.", b.String())
}

func contextText(files []File) string {
	var b strings.Builder
	for i, f := range files {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "<file path=\"%s\">\n%s\n</file>\n", attribute(f.Path), f.Text)
	}
	return section("context", "Instructions of the person and the project. Where they differ, later ones win; what the person says in the conversation wins over all. "+
		"A directory further down may have an AGENTS.md of its own: read it before you change files there.", b.String())
}

// section is a part between tags, "" when it says nothing.
func section(tag, introduction, text string) string {
	if text == "" {
		return ""
	}
	return "<" + tag + ">\n" + introduction + "\n\n" + strings.TrimSuffix(text, "\n") + "\n</" + tag + ">"
}

// maxAbout bounds what is told of a file in a list, in bytes; the rest is cut.
const maxAbout = 1 << 10

// maxList bounds a list, in bytes; entries beyond it are counted only.
const maxList = 32 << 10

// notes are lines of a list.
func notes(list []Note) string {
	var b strings.Builder
	for i, n := range list {
		line := "- " + oneLine(n.Name) + ": " + cut(oneLine(n.About), maxAbout) + " (" + oneLine(n.Path) + ")\n"
		if b.Len()+len(line) > maxList {
			fmt.Fprintf(&b, "- and %d more, which are not shown\n", len(list)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

var quoted = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", "\n", " ")

func attribute(s string) string { return quoted.Replace(s) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut bounds a text, on a rune.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
