package template

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// place is a profile beside a repository with a folder in it.
type place struct {
	t           *testing.T
	agent, root string
	dir         string // the working folder
}

func newPlace(t *testing.T) place {
	dir := t.TempDir()
	p := place{t, filepath.Join(dir, "agent"), filepath.Join(dir, "repo"), filepath.Join(dir, "repo", "deep")}
	p.write(filepath.Join(p.root, ".git", "HEAD"), "ref: refs/heads/main\n")
	p.write(filepath.Join(p.dir, "main.c"), "")
	return p
}

func (p place) write(path, text string) string {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p place) near(name, text string) string {
	return p.write(filepath.Join(p.dir, ".veyyon", name), text)
}
func (p place) user(name, text string) string { return p.write(filepath.Join(p.agent, name), text) }
func (p place) library() *Library             { return NewLibrary(Sources{Agent: p.agent}) }

func describe(list List) (lines []string) {
	for _, t := range list.Templates {
		lines = append(lines, t.Name+" | "+t.Description+" | "+t.Hint)
	}
	return lines
}

func faults(set *Set) (lines []string) {
	for _, f := range slices.Concat(set.Commands.Faults, set.Prompts.Faults) {
		lines = append(lines, f.Name+" | "+f.Err.Error())
	}
	return lines
}

func TestTheNearerOfTwoTemplatesWins(t *testing.T) {
	p := newPlace(t)
	p.near("commands/a.md", "---\ndescription: near\nargument-hint: <file> [how]\n---\nnear $1")
	p.near("commands/notes.txt", "none")
	p.near("commands/below/no.md", "commands are not looked for in folders")
	p.write(filepath.Join(p.root, ".veyyon/commands/a.md"), "middle")
	p.write(filepath.Join(p.root, ".veyyon/commands/b.md"), "\n\n"+strings.Repeat("long ", 20)+"\nsecond")
	p.user("commands/b.md", "far")
	p.user("commands/c.md", "---\nargument-hint: [issue]\n---\nfar")
	p.user("prompts/a.md", "prompt a")
	p.user("prompts/sub/deeper/p.md", "prompt p: $ARGUMENTS")
	p.near("prompts/other/p.md", "near p: $ARGUMENTS")
	set := p.library().Load(p.dir)
	want := []string{"a | near | <file> [how]", "b | " + strings.Repeat("long ", 12) + "... | ", "c | far | [issue]", "init | Write an AGENTS.md for this project | "}
	if diff := cmp.Diff(want, describe(set.Commands)); diff != "" || faults(set) != nil {
		t.Error(diff, faults(set))
	}
	if diff := cmp.Diff([]string{"p | near p: $ARGUMENTS | ", "a | prompt a | "}, describe(set.Prompts)); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"/a x": "near x", " /p\tq r ": "near p: q r", "/b": strings.Repeat("long ", 20) + "\nsecond", "/c\n1\n2": "far\n\n1\n2",
	} {
		if got, ok, err := set.Expand(text); got != want || !ok || err != nil {
			t.Errorf("%q becomes %q, %t, %v", text, got, ok, err)
		}
	}
	for _, text := range []string{"", "/", "a", "/A", "/a:b", "/none", "say /a", "/ a"} {
		if got, ok, err := set.Expand(text); ok || err != nil {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
	if got, ok, _ := set.ExpandPrompt("/a"); got != "prompt a" || !ok {
		t.Error(got)
	}
	if _, ok, _ := set.ExpandPrompt("/b"); ok {
		t.Error("a command is no prompt")
	}
	if got, ok, err := set.Expand("/init be brief"); !ok || err != nil || !strings.HasSuffix(got, "be brief") {
		t.Error(got, err)
	}
}

func TestABrokenTemplateSaysWhy(t *testing.T) {
	p := newPlace(t)
	outside := p.write(filepath.Join(p.agent, "secret.md"), "secret")
	bad := p.near("commands/bad.md", "---\ndescription: [\n---\nx")
	empty := p.near("commands/empty.md", "---\ndescription: d\n---\n")
	spaced := p.near("commands/two words.md", "x")
	link := filepath.Join(p.dir, ".veyyon", "commands", "link.md")
	folder := filepath.Join(p.dir, ".veyyon", "prompts")
	for name, to := range map[string]string{link: outside, folder: p.agent, filepath.Join(filepath.Dir(link), "gone.md"): "/nowhere"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	library := NewLibrary(Sources{Agent: p.agent, Warn: func(err error) { told = append(told, err.Error()) }})
	set := library.Load(p.dir)
	want := []string{
		"bad | " + bad + ":2: sequence end token ']' not found", "empty | " + empty + ": has no text", "link | " + link + ": leads out of " + p.root,
		"two words | " + spaced + ": expected a name of at most 64 letters, digits and signs without spaces", "prompts | " + folder + ": leads out of " + p.root,
	}
	if diff := cmp.Diff(want, faults(set)); diff != "" {
		t.Error(diff)
	}
	library.Load(p.dir)
	if len(told) != len(want) {
		t.Error(told)
	}
	if _, ok, err := set.Expand("/bad x"); !ok || err == nil {
		t.Error(err)
	}
	p.user("commands/bad.md", "stands in")
	if got, ok, err := library.Load(p.dir).Expand("/bad"); got != "stands in" || !ok || err != nil {
		t.Error(got, err)
	}
}

func TestATemplateIsReadAsItIsWhenItIsCalled(t *testing.T) {
	p := newPlace(t)
	path := p.near("commands/a.md", "one")
	l := p.library()
	set := l.Load(p.dir)
	if l.Load(p.dir) != set {
		t.Error("another set although nothing changed")
	}
	p.near("commands/a.md", "another")
	if got, _, err := set.Expand("/a"); got != "another" || err != nil {
		t.Error(got, err)
	}
	if l.Load(p.dir) == set {
		t.Error("a changed file is not read again")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := set.Expand("/a"); !ok || err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, ok, _ := l.Load(p.dir).Expand("/a"); ok {
		t.Error("a file that is gone is still a command")
	}
}

func TestThereAreOnlySoManyTemplates(t *testing.T) {
	p := newPlace(t)
	for i := range maxTemplates + 1 {
		p.user(fmt.Sprintf("commands/c%03d.md", i), "x")
	}
	for i := range 5 {
		for j := range maxLooked / 4 {
			p.user(fmt.Sprintf("prompts/f%d/x%03d.txt", i, j), "x")
		}
	}
	set := p.library().Load(p.dir)
	if len(set.Commands.Templates) != maxTemplates+len(bundled) || len(faults(set)) != 2 {
		t.Error(len(set.Commands.Templates), faults(set))
	}
}
