package auth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestEnvFilesAreParsedToTheLetter(t *testing.T) {
	text := "\ufeff# comment\r\nA=1\r\n B = two words \nC=\"quoted # no comment\"\nD='it''s'\nE=\"open\nF=$A ${B}\n" +
		"export G=1\n1H=x\nI-J=x\nK=\nL=a=b\nM=n\x00ul\nA=again\nnothing\n=x\nN=''\n"
	want := map[string]string{
		"A": "again", "B": "two words", "C": "quoted # no comment", "D": "it''s", "E": `"open`, "F": "$A ${B}",
		"K": "", "L": "a=b", "M": "nul", "N": "",
	}
	if diff := cmp.Diff(want, parseEnv(text)); diff != "" {
		t.Error(diff)
	}
}

func TestTheFirstDefinitionWins(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.env"), filepath.Join(dir, "second.env")
	must(t, os.WriteFile(first, []byte("A=file1\nB=file1\nEMPTY=file1\n"), 0o600))
	must(t, os.WriteFile(second, []byte("B=file2\nC=file2\n"), 0o600))
	env, err := LoadEnv([]string{"A=process", "EMPTY=", "odd"}, first, filepath.Join(dir, "none"), second)
	must(t, err)
	for name, want := range map[string]string{"A": "process", "B": "file1", "C": "file2", "D": "", "EMPTY": ""} {
		if got := env.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, set := os.LookupEnv("C"); set {
		t.Error("the process's own environment was changed")
	}
}

func TestAnUnreadableEnvFileIsNamedAndTheOthersCount(t *testing.T) {
	dir := t.TempDir()
	fifo, good := filepath.Join(dir, "fifo"), filepath.Join(dir, "good")
	must(t, unix.Mkfifo(fifo, 0o600))
	must(t, os.WriteFile(good, []byte("A=1"), 0o600))
	env, err := LoadEnv(nil, fifo, good)
	if err == nil || !strings.Contains(err.Error(), fifo) || env.Get("A") != "1" {
		t.Error(env, err)
	}
}

func TestKeysAreTriedInOrder(t *testing.T) {
	store, path := newStore(t)
	must(t, store.Set("openai", "stored"))
	must(t, store.Set("groq", "stored"))
	env, _ := LoadEnv([]string{"OPENAI_API_KEY=env", "XAI_API_KEY=env", "ANTHROPIC_API_KEY=key", "ANTHROPIC_OAUTH_TOKEN=token"})
	source := NewSource(map[string]string{"openai": "runtime"}, store, env)
	want := map[string]string{"openai": "runtime", "groq": "stored", "xai": "env", "anthropic": "token", "mistral": "", "unheard-of": ""}
	for provider, key := range want {
		if got, err := source.Lookup(provider); got != key || err != nil {
			t.Errorf("%s: %q, %v; want %q", provider, got, err, key)
		}
	}
	// Another process logs in: the next look-up sees it.
	must(t, NewStore(path).Set("mistral", "fresh"))
	if got, _ := source.Lookup("mistral"); got != "fresh" {
		t.Errorf("mistral: %q", got)
	}
	// A broken store hides nothing else.
	must(t, os.WriteFile(path, []byte("{"), 0o600))
	if got, err := source.Lookup("xai"); got != "env" || err == nil {
		t.Error(got, err)
	}
}

func TestChildrenGetNoKeys(t *testing.T) {
	in := []string{
		"PATH=/bin", "OPENAI_API_KEY=a", "HF_TOKEN=b", "TAVILY_API_KEY=c", "MY_PROXY_KEY=d", "AWS_PROFILE=x", "odd",
		"OPENAI_API_KEY_HINT=y",
	}
	got := StripSecrets(in, "MY_PROXY_KEY")
	if diff := cmp.Diff([]string{"PATH=/bin", "AWS_PROFILE=x", "odd", "OPENAI_API_KEY_HINT=y"}, got); diff != "" {
		t.Error(diff)
	}
	if in[1] != "OPENAI_API_KEY=a" {
		t.Error("the argument was changed")
	}
	for provider, names := range EnvNames {
		for _, name := range names {
			if left := StripSecrets([]string{name + "=x"}); len(left) != 0 {
				t.Errorf("%s of %s is left", name, provider)
			}
		}
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add("A=1\n# c\nB=\"x\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, value := range parseEnv(text) {
			if !envName().MatchString(name) || strings.ContainsAny(value, "\n\x00") {
				t.Errorf("%q=%q", name, value)
			}
		}
	})
}

func TestVariablesTellBySomeWordsThatTheyAreSecret(t *testing.T) {
	env, err := LoadEnv([]string{
		"MY_API_KEY=a", "TOKEN=b", "db_password_2=c", "GH_TOKEN=b", "PRIVATE_X=d", "KEYBOARD=no", "AUTHOR_NAME=no", "TOKENS=no", "HOME=no",
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, env.Secrets()); diff != "" {
		t.Error(diff)
	}
}
