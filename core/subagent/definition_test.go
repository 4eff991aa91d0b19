package subagent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/frontmatter"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func definition(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nDo it.\n"
}

func TestEveryBundledAgentCanBeUsed(t *testing.T) {
	entries, err := files.ReadDir("bundled")
	if err != nil || len(bundled()) != len(entries) {
		t.Fatalf("%d of %d agents, %v", len(bundled()), len(entries), err)
	}
	for _, d := range bundled() {
		if d.Description == "" || d.Prompt == "" || d.Source != event.AgentBundled {
			t.Errorf("%+v", d)
		}
	}
}

func TestTheNearerDefinitionWinsAndABadOneIsPassedOver(t *testing.T) {
	top, user := t.TempDir(), t.TempDir()
	dir := filepath.Join(top, "a", "b")
	put(t, filepath.Join(top, ".git", "HEAD"), "")
	put(t, filepath.Join(dir, "main.go"), "")
	put(t, filepath.Join(top, "a", ".veyyon", "agents", "near.md"), definition("tester", "near"))
	put(t, filepath.Join(top, ".veyyon", "agents", "far.md"), definition("tester", "far"))
	put(t, filepath.Join(top, ".veyyon", "agents", "bad.md"), "---\nname: bad\ntools: {a: 1}\ndescription: x\n---\nDo it.\n")
	put(t, filepath.Join(user, "mine.md"), definition("tester", "mine"))
	put(t, filepath.Join(user, "scout.md"), definition("scout", "my own scout"))
	put(t, filepath.Join(user, "nameless.md"), "Do it.\n")
	agents := Options{UserDir: user, Agents: map[string]any{"sonic": false, "task": map[string]any{"model": "p/m"}}}.find(dir)

	said := map[string]string{}
	for _, d := range agents.All() {
		said[d.Name] = d.Description
	}
	if said["tester"] != "near" || said["scout"] != "my own scout" || said["sonic"] != "" || said["task"] == "" {
		t.Error(said)
	}
	if d, _ := agents.Lookup("task"); !cmp.Equal(d.Models, []string{"p/m"}) {
		t.Error(d.Models)
	}
	if len(agents.Warnings) != 2 || !strings.Contains(agents.Warnings[0], "bad.md:3") || !strings.Contains(agents.Warnings[1], "nameless.md") {
		t.Error(agents.Warnings)
	}
	if got := ProjectDir(dir); got != filepath.Join(top, "a", ".veyyon", "agents") {
		t.Error(got)
	}
}

func TestDefinitionsAreBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range frontmatter.MaxFiles + 2 {
		put(t, filepath.Join(dir, ".veyyon", "agents", fmt.Sprintf("a%03d.md", i)), definition(fmt.Sprintf("a%03d", i), "b"))
	}
	agents := Options{}.find(dir)
	if n := len(agents.All()) - len(bundled()); n != frontmatter.MaxFiles || len(agents.Warnings) != 1 || !strings.Contains(agents.Warnings[0], "a256.md: there are more than 256") {
		t.Errorf("%d agents, %v", n, agents.Warnings)
	}
}

func FuzzDefinition(f *testing.F) {
	f.Add([]byte(definition("a", "b")))
	f.Add([]byte("---\nname: a\ndescription: b\ntools: x, y\nspawns: \"*\"\nmodel: [p/m]\nthinking-level: high\noutput: {type: object}\n---\nDo it."))
	f.Fuzz(func(t *testing.T, text []byte) {
		meta, body, err := frontmatter.Split(text)
		if err != nil {
			return
		}
		d, err := parse(meta, body)
		if err == nil && (d.Name == "" || d.Description == "" || d.Prompt == "") {
			t.Errorf("%+v", d)
		}
	})
}
