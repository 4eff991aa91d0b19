// Package subagent runs agents that work for an agent: each in a session of its
// own, with a transcript of its own and never more tools than the one that
// started it.
package subagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/frontmatter"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
)

// Definition says what an agent is: a Markdown file whose body is its system
// prompt (facts/agent 7.1).
type Definition struct {
	Name        string
	Description string
	Source      event.AgentSource
	File        string // "" for a bundled one
	Prompt      string
	Tools       []string        // names; nil for all that its parent has
	Spawns      []string        // the agents it may start; "*" is any
	Models      []string        // selectors, the first that can be used counts; none for its parent's
	Thinking    model.Level     // "" for its parent's
	Output      json.RawMessage // a JSON Schema of its result; nil for any
	Blocking    bool            // runs within the call even when that asks for the background
	Requests    int             // soft budget of model requests; 0 for the usual one
}

// parse reads a definition. The error tells the file and the line.
func parse(meta frontmatter.Meta, body string) (Definition, error) {
	d := Definition{Prompt: strings.TrimSpace(body)}
	var errs [8]error
	var thinking string
	d.Name, errs[0] = meta.Text("name")
	d.Description, errs[1] = meta.Text("description")
	d.Tools, errs[2] = names(meta, "tools")
	d.Spawns, errs[3] = names(meta, "spawns")
	d.Models, errs[4] = names(meta, "model")
	thinking, errs[5] = meta.Text("thinking-level")
	d.Blocking, errs[6] = meta.Bool("blocking")
	d.Output, errs[7] = schema(meta)
	for _, err := range errs {
		if err != nil {
			return d, err
		}
	}
	switch {
	case d.Name == "":
		return d, meta.Errorf("name", "is missing")
	case d.Description == "":
		return d, meta.Errorf("description", "is missing")
	case d.Prompt == "":
		return d, meta.Errorf("name", "there is no prompt below the head")
	}
	if thinking != "" {
		if _, d.Thinking = registry.SplitLevel(":" + thinking); d.Thinking == "" {
			return d, meta.Errorf("thinking-level", "%q is no level", thinking)
		}
	}
	if !meta.Has("spawns") && slices.Contains(d.Tools, "task") {
		d.Spawns = []string{"*"}
	}
	return d, nil
}

// names is a list, or one text with commas.
func names(meta frontmatter.Meta, key string) (list []string, err error) {
	texts, err := meta.Texts(key)
	if err != nil || texts == nil {
		return nil, err
	}
	list = []string{}
	for _, text := range texts {
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				list = append(list, name)
			}
		}
	}
	return list, nil
}

func schema(meta frontmatter.Meta) (json.RawMessage, error) {
	if !meta.Has("output") {
		return nil, nil
	}
	wanted, ok := meta.Value("output").(map[string]any)
	if !ok {
		return nil, meta.Errorf("output", "expected a JSON Schema")
	}
	raw, err := json.Marshal(wanted)
	if err != nil {
		return nil, meta.Errorf("output", "%v", err)
	}
	return raw, nil
}

// MayStart tells whether the agent may start that one.
func (d Definition) MayStart(name string) bool {
	return slices.Contains(d.Spawns, "*") || slices.Contains(d.Spawns, name)
}

// Agents are the definitions that hold in a folder, by name. Warnings tell which
// files were passed over, and why.
type Agents struct {
	byName   map[string]Definition
	room     frontmatter.Room
	Warnings []string
}

// find reads the definitions: of the project from its folder up, of the user,
// and the bundled ones. The first of a name wins; those that are switched off
// are not there.
func (o Options) find(dir string) Agents {
	a := Agents{byName: map[string]Definition{}}
	for _, folder := range frontmatter.ProjectDirs(dir, "agents") {
		a.folder(folder, event.AgentProject)
	}
	a.room = frontmatter.Room{} // a project crowds out none that a person wants
	if o.UserDir != "" {
		a.folder(o.UserDir, event.AgentUser)
	}
	for _, d := range bundled() {
		if _, taken := a.byName[d.Name]; !taken {
			a.byName[d.Name] = d
		}
	}
	for name, setting := range o.Agents {
		if d, ok := a.byName[name]; !ok {
			continue
		} else if off(setting) {
			delete(a.byName, name)
		} else if models := modelsOf(setting); models != nil {
			d.Models = models
			a.byName[name] = d
		}
	}
	return a
}

func (a *Agents) folder(folder string, source event.AgentSource) {
	files, err := frontmatter.Files(folder, ".md")
	if err != nil {
		a.Warnings = append(a.Warnings, fmt.Sprintf("agents in %s were passed over: %v", folder, err))
	}
	for _, file := range files {
		if a.room.Full() {
			return
		}
		meta, body, err := frontmatter.Read(file)
		var d Definition
		if full := a.room.Take(file, meta, body); full != nil {
			err = full
		} else if err == nil {
			d, err = parse(meta, body)
		}
		if err != nil {
			a.Warnings = append(a.Warnings, fmt.Sprintf("an agent was passed over: %v", err))
			continue
		}
		if _, taken := a.byName[d.Name]; taken {
			continue
		}
		d.Source, d.File = source, file
		a.byName[d.Name] = d
	}
}

// Lookup finds an agent by its exact name.
func (a Agents) Lookup(name string) (Definition, bool) {
	d, ok := a.byName[name]
	return d, ok
}

// All lists the agents by name.
func (a Agents) All() []Definition {
	list := make([]Definition, 0, len(a.byName))
	for _, d := range a.byName {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// off tells whether a setting of agent.agents switches its agent off: false,
// {enabled: false} or {disabled: true}.
func off(setting any) bool {
	switch s := setting.(type) {
	case bool:
		return !s
	case map[string]any:
		return s["enabled"] == false || s["disabled"] == true
	}
	return false
}

// modelsOf are the selectors of a setting of agent.agents, nil when it has none:
// a text, or {model: a text or a list of texts}.
func modelsOf(setting any) []string {
	switch s := setting.(type) {
	case string:
		return []string{s}
	case map[string]any:
		return modelsOf(s["model"])
	case []any:
		var models []string
		for _, item := range s {
			if text, ok := item.(string); ok {
				models = append(models, text)
			}
		}
		return models
	}
	return nil
}

// ProjectDir is the nearest folder of the project with definitions in it; ""
// when there is none.
func ProjectDir(dir string) string {
	for _, folder := range frontmatter.ProjectDirs(dir, "agents") {
		if files, err := frontmatter.Files(folder, ".md"); err == nil && len(files) > 0 {
			return filepath.Clean(folder)
		}
	}
	return ""
}
