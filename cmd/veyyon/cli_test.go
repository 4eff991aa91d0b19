package main

import (
	stdcmp "cmp"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCommandNamesAreThoseOfTheCommandLine(t *testing.T) {
	k, err := newParser(&cli{}, io.Discard)
	must(t, err)
	var names []string
	for _, command := range k.Model.Children {
		names = append(names, command.Name)
	}
	if diff := cmp.Diff(names, commandNames); diff != "" {
		t.Error(diff)
	}
}

func TestAQuickReadOfFlagsIsWhatKongReads(t *testing.T) {
	k, err := newParser(&cli{}, io.Discard)
	must(t, err)
	words := []string{"rpc", "", "a,b", "models", "$x", "-", "-x", "--", "--mode=rpc", "-c", "--help", "--bogus", "@x", "7"}
	for _, flag := range k.Model.Flags {
		words = append(words, "--"+flag.Name, "--"+flag.Name) // more of them than of others
	}
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "args")
		got, ok := quick(args)
		if !ok {
			return
		}
		read++
		var want cli
		if _, over, err := parseInto(&want, args, io.Discard); over || err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if diff := cmp.Diff(&want.launchFlags, got); diff != "" {
			t.Fatalf("%q: %s", args, diff)
		}
	})
	if read < 5 {
		t.Errorf("only %d lines were read quickly", read)
	}
}

func TestTheFlagsOfHostsAreReadQuickly(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--mode", "rpc"},
		{
			"--mode", "rpc", "--provider", "p", "--model", "m", "--session-dir", "d", "--thinking", "low",
			"--append-system-prompt", "s", "--provider-session-id", "i", "--tools", "a,b", "--no-tools", "--no-session",
			"--no-skills", "--no-rules", "--no-title", "--config", "a", "--config", "b", "--profile", "x",
		},
	} {
		if _, ok := quick(args); !ok {
			t.Errorf("%q: kong is asked", args)
		}
	}
	if _, ok := quick([]string{"--mode", "rpc", "words"}); ok {
		t.Error("words are not for it")
	}
}

func TestSlipsOfTheFingerAreHintedAt(t *testing.T) {
	for word, want := range map[string]string{
		"model": "models", "modles": "models", "mdls": "", "c": "config", "confgi": "config", "completino": "completion",
		"topo": "topology", "lauch": "launch", "hello": "", "": "", "fix the models": "",
	} {
		text, ok := hint(word)
		if want == "" && ok || want != "" && text != "`veyyon "+word+"` is not a command. Did you mean `veyyon "+want+"`?" {
			t.Errorf("%q: %q", word, text)
		}
	}
}

func TestTheDistanceOfWordsCountsEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d", c.a, c.b, got)
		}
	}
}

func TestEveryLaunchFlagIsKnownToQuickByKongsName(t *testing.T) {
	k, err := newParser(&cli{}, io.Discard)
	must(t, err)
	known := map[string]bool{}
	for _, flag := range k.Model.Flags {
		known[flag.Name] = true
	}
	fields := reflect.TypeFor[launchFlags]()
	for i := range fields.NumField() {
		name := stdcmp.Or(fields.Field(i).Tag.Get("name"), kebab(fields.Field(i).Name))
		if !known[name] || flagNamed(&launchFlags{}, name) == nil {
			t.Errorf("field %s: kong has no --%s", fields.Field(i).Name, name)
		}
	}
	if _, ok := quick([]string{"--maxtime", "5"}); ok {
		t.Error("--maxtime is no flag")
	}
}
