package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// place is a profile beside a repository with a folder in it.
type place struct {
	t                    testing.TB
	agent, root, project string
}

func newPlace(t testing.TB) place {
	dir := t.TempDir()
	p := place{t, filepath.Join(dir, "agent"), filepath.Join(dir, "repo"), filepath.Join(dir, "repo", "deep")}
	p.write(filepath.Join(p.root, ".git", "HEAD"), "ref: refs/heads/main\n")
	p.write(filepath.Join(p.project, "main.c"), "")
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

// user and near write a skill of the profile and of the folder.
func (p place) user(name, text string) string {
	return p.write(filepath.Join(p.agent, "skills", name, FileName), text)
}

func (p place) near(name, text string) string {
	return p.write(filepath.Join(p.project, ".veyyon", "skills", name, FileName), text)
}

func (p place) library() *Library { return NewLibrary(Sources{Agent: p.agent}) }

// names are the names in a set, each with its level.
func names(s *Set) (names []string) {
	for _, s := range s.Skills {
		names = append(names, s.Level+" "+s.Name)
	}
	return names
}

func faults(s *Set) (faults []string) {
	for _, f := range s.Faults {
		faults = append(faults, f.Name+": "+f.Err.Error())
	}
	return faults
}

func about(description string) string { return "---\ndescription: " + description + "\n---\nbody\n" }

func TestTheNearerOfTwoSkillsWins(t *testing.T) {
	p := newPlace(t)
	p.user("both", about("far"))
	p.user("mine", about("mine"))
	p.write(filepath.Join(p.root, ".veyyon", "skills", "both", FileName), about("middle"))
	p.near("both", "---\nname: both\ndescription: >\n  near\n  by\nhide: true\n---\nbody")
	p.near("other", "---\nname: renamed\ndescription: d\ndisable-model-invocation: true\n---\nbody")
	p.write(filepath.Join(p.agent, "skills", ".hidden", FileName), about("no"))
	p.write(filepath.Join(p.agent, "skills", "empty", "notes.md"), "no skill")
	p.write(filepath.Join(p.agent, "skills", "file.md"), "no skill")
	set := p.library().Load(p.project)
	if diff := cmp.Diff([]string{"project both", "project renamed", "user mine"}, names(set)); diff != "" || set.Faults != nil {
		t.Error(diff, faults(set))
	}
	if s := set.Find("both"); s.Description != "near by" || s.Listed() || set.Find("renamed").Listed() || !set.Find("mine").Listed() {
		t.Errorf("%+v", s)
	}
}

func TestABrokenSkillIsAFaultThatNamesItsFile(t *testing.T) {
	p := newPlace(t)
	outside := p.write(filepath.Join(p.agent, "secret.md"), about("stolen"))
	wrong := map[string]string{}
	broken := func(name, text, problem string) { wrong[name] = p.near(name, text) + problem }
	broken("bare", "just text", ": the head has no description")
	broken("blank", "---\ndescription: d\n---\n \n", ": has no text below its head")
	broken("huge", "---\ndescription: d\n---\n"+strings.Repeat("x", maxBody+1), ": has more than 256 KiB of text")
	broken("name", "---\nname: a b\ndescription: d\n---\nx", `:2: name: expected at most 64 letters, digits and signs without spaces and slashes, got "a b"`)
	broken("open", "---\ndescription: d\n", ":1: the head is not closed by a line of three dashes")
	broken("yaml", "---\ndescription: [\n---\nx", ":2: sequence end token ']' not found")
	broken("zzz", "---\nhide: perhaps\ndescription: d\n---\nx", ":2: hide: expected true or false, got perhaps")
	link := filepath.Join(p.project, ".veyyon", "skills", "link", FileName)
	p.write(filepath.Join(filepath.Dir(link), "x"), "")
	fifo := filepath.Join(p.project, ".veyyon", "skills", "fifo", FileName)
	p.write(filepath.Join(filepath.Dir(fifo), "x"), "")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	wrong["link"], wrong["fifo"] = link+": leads out of "+p.root, fifo+": is not a regular file"
	p.user("yaml", about("stands in for the broken one"))
	var want, told []string
	for _, name := range []string{"bare", "blank", "fifo", "huge", "link", "name", "open", "yaml", "zzz"} {
		want = append(want, name+": "+wrong[name])
	}
	library := NewLibrary(Sources{Agent: p.agent, Warn: func(err error) { told = append(told, err.Error()) }})
	set := library.Load(p.project)
	if diff := cmp.Diff(want, faults(set)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"user yaml"}, names(set)); diff != "" {
		t.Error(diff)
	}
	library.Load(p.project)
	if len(told) != len(want) || set.Faults.Of("bare") == nil || set.Faults.Of("none") != nil {
		t.Error(told)
	}
}

func TestSettingsChooseAmongSkills(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"go-test", "go-lint", "web"} {
		p.user(name, about(name))
	}
	for _, c := range []struct {
		from Sources
		want []string
	}{
		{Sources{Off: true}, nil},
		{Sources{Included: []string{"go-*"}}, []string{"user go-lint", "user go-test"}},
		{Sources{Ignored: []string{"*-test", "web"}}, []string{"user go-lint"}},
		{Sources{Included: []string{"["}}, nil},
	} {
		c.from.Agent = p.agent
		if diff := cmp.Diff(c.want, names(NewLibrary(c.from).Load(p.project))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestASetStaysTheSameUntilAFileChanges(t *testing.T) {
	p := newPlace(t)
	path := p.user("a", about("one"))
	l := p.library()
	first := l.Load(p.project)
	if l.Load(p.project) != first {
		t.Error("another set although nothing changed")
	}
	p.user("a", about("another"))
	second := l.Load(p.project)
	if second == first || second.Find("a").Description != "another" {
		t.Error("a changed file is not read again")
	}
	p.user("b", about("b"))
	if diff := cmp.Diff([]string{"user a", "user b"}, names(l.Load(p.project))); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"user b"}, names(l.Load(p.project))); diff != "" {
		t.Error(diff)
	}
}

func TestThereAreOnlySoManySkills(t *testing.T) {
	p := newPlace(t)
	for i := range maxSkills + 2 {
		p.user(fmt.Sprintf("s%03d", i), about("d"))
	}
	set := p.library().Load(p.project)
	if len(set.Skills) != maxSkills || len(set.Faults) != 1 || !strings.HasSuffix(set.Faults[0].Err.Error(), "there are more than 256 skills") {
		t.Error(len(set.Skills), faults(set))
	}
}

func TestASkillIsReadAsItIsWhenItIsCalled(t *testing.T) {
	p := newPlace(t)
	path := p.near("greet", about("Greets"))
	s := p.library().Load(p.project).Find("greet")
	p.near("greet", "---\ndescription: d\n---\n\nSay hello.\n")
	text, err := s.Prompt("  to Bob ")
	want := "Follow the skill \"greet\":\n\nSay hello.\n\nRelative paths in it begin at " + filepath.Dir(path) + ".\n\nUser: to Bob"
	if text != want || err != nil {
		t.Error(text, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(""); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

func TestAURLLeadsToFilesOfItsSkillOnly(t *testing.T) {
	p := newPlace(t)
	greet := p.near("greet", about("Greets"))
	folder := filepath.Dir(greet)
	p.write(filepath.Join(folder, "more", "words.txt"), "hello")
	p.near("bad", "---\n")
	secret := p.write(filepath.Join(p.agent, "secret"), "s")
	for name, to := range map[string]string{"link": secret, "dir": p.agent} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	l := p.library()
	for url, want := range map[string]string{
		"skill://greet": greet, "skill://greet/": greet, "skill://greet/SKILL.md": greet,
		"skill://greet/more/words.txt": filepath.Join(folder, "more", "words.txt"), "skill://greet/more": filepath.Join(folder, "more"),
	} {
		if path, err := l.File(p.project, url); path != want || err != nil {
			t.Error(url, path, err)
		}
	}
	for url, want := range map[string]string{
		"skill://none": `there is no skill called "none"`, "skill://": `there is no skill called ""`,
		"skill://greet/none": "the skill greet has no file none", "skill://greet/../x": "skill://greet/../x leads out of the skill's folder",
		"skill://greet//etc/passwd": "skill://greet//etc/passwd leads out of the skill's folder",
		"skill://greet/link":        "skill://greet/link leads out of the skill's folder",
		"skill://greet/dir/secret":  "skill://greet/dir/secret leads out of the skill's folder",
	} {
		if _, err := l.File(p.project, url); err == nil || err.Error() != want {
			t.Error(url, err)
		}
	}
	if _, err := l.File(p.project, "skill://bad"); err == nil || !strings.HasPrefix(err.Error(), "the skill bad cannot be used: ") {
		t.Error(err)
	}
}
