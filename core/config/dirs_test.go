package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}

// write makes a file and its folders.
func write(t *testing.T, path, text string) string {
	t.Helper()
	do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	do(t, err)
	return string(data)
}

func env(vars map[string]string) Env {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

func TestFoldersFollowProfileAndEnvironment(t *testing.T) {
	home := t.TempDir()
	work := "work"
	for name, c := range map[string]struct {
		env     map[string]string
		flag    *string
		profile string
		agent   string
	}{
		"plain":                        {nil, nil, "default", home + "/.veyyon/profiles/default/agent"},
		"flag":                         {map[string]string{"VEYYON_PROFILE": "x"}, &work, "work", home + "/.veyyon/profiles/work/agent"},
		"environment":                  {map[string]string{"VEYYON_PROFILE": "x.y"}, nil, "x.y", home + "/.veyyon/profiles/x.y/agent"},
		"empty environment":            {map[string]string{"VEYYON_PROFILE": ""}, nil, "default", home + "/.veyyon/profiles/default/agent"},
		"config dir by name":           {map[string]string{"VEYYON_CONFIG_DIR": ".other"}, nil, "default", home + "/.other/profiles/default/agent"},
		"config dir by path":           {map[string]string{"VEYYON_CONFIG_DIR": "/abs"}, nil, "default", "/abs/profiles/default/agent"},
		"agent dir":                    {map[string]string{"VEYYON_CODING_AGENT_DIR": "~/a"}, nil, "default", home + "/a"},
		"agent dir of a named profile": {map[string]string{"VEYYON_CODING_AGENT_DIR": "/a"}, &work, "work", home + "/.veyyon/profiles/work/agent"},
	} {
		t.Run(name, func(t *testing.T) {
			vars := map[string]string{"HOME": home}
			for k, v := range c.env {
				vars[k] = v
			}
			d, err := Locate(env(vars), c.flag)
			do(t, err)
			same(t, []string{c.profile, c.agent, c.agent + "/sessions", c.agent + "/blobs"}, []string{d.Profile, d.Agent, d.Sessions, d.Blobs})
			same(t, d.Home+"/profiles/"+c.profile+"/logs", d.Logs)
		})
	}
}

func TestGlobalFileNamesTheDefaultProfile(t *testing.T) {
	home := t.TempDir()
	vars := env(map[string]string{"HOME": home})
	file := filepath.Join(home, ".veyyon", "config.yml")
	for text, want := range map[string]string{
		"defaultProfile: mine\n":  "mine",
		"other: 1\n":              "default",
		"":                        "default",
		"defaultProfile: 5\n":     "!Global config " + file + ": defaultProfile must be a string profile name.",
		"defaultProfile: Bad!\n":  `!Global config ` + file + `: Invalid profile "Bad!". Profile names must match`,
		"a: 1\ndefaultProfile: [": "!Global config " + file + ": line 2: ",
	} {
		write(t, file, text)
		d, err := Locate(vars, nil)
		got := d.Profile
		if err != nil {
			got = "!" + err.Error()
		}
		if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestOnlySafeNamesNameAProfile(t *testing.T) {
	for name, good := range map[string]bool{
		"default": true, "a": true, "0.x_y-z": true, strings.Repeat("a", 64): true, "console": true, "com10": true,
		"": false, ".": false, "..": false, "a.": false, "A": false, "-a": false, "a/b": false, "con": false, "com1.txt": false, strings.Repeat("a", 65): false,
	} {
		if err := checkProfile(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := Locate(env(map[string]string{"HOME": "/h", "VEYYON_PROFILE": ".."}), nil)
	if err == nil || !strings.HasPrefix(err.Error(), `Invalid VEYYON_PROFILE: Invalid profile "..". Profile names must match ^[a-z0-9][a-z0-9._-]{0,63}$, cannot be "." or`) {
		t.Fatal(err)
	}
}

func TestStartAwayFromHomeAndInTheWorkdir(t *testing.T) {
	home := t.TempDir()
	d := Dirs{User: home, Agent: filepath.Join(home, "agent")}
	same(t, "/somewhere", AwayFromHome("/somewhere", d))
	if got := AwayFromHome(home, d); got == home {
		t.Fatal("still at home")
	}
	do(t, os.Mkdir(filepath.Join(home, "tmp"), 0o700))
	same(t, filepath.Join(home, "tmp"), AwayFromHome(home+"/", d))

	for value, want := range map[string]string{
		"~/tmp": filepath.Join(home, "tmp"), "": "",
		"rel":    `!session.workdir must be an absolute or ~-relative path, got "rel".`,
		"~/none": "!session.workdir points at a missing directory: " + filepath.Join(home, "none") + ".",
	} {
		s, _, err := Load(Sources{Dirs: d, CWD: home})
		do(t, err)
		dir, err := Workdir(SessionWorkdir.With(s, value), d)
		if err != nil {
			dir = "!" + err.Error()
		}
		same(t, want, dir)
	}
}
