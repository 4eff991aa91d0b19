package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/file"
)

func TestSetKeepsCommentsAndEverythingElse(t *testing.T) {
	r := newRoom(t)
	file := r.profile("# mine\n\nsteeringMode: all # why\n\nretry:\n  # inner\n  maxRetries: 3\n  own: {a: [1, 2]}\nmodelProviderOrder:\n- a # first\n- b\n\n# the end\n")
	for _, set := range [][2]string{
		{"steeringMode", "one-at-a-time"},
		{"retry.maxRetries", "7"},
		{"retry.enabled", "off"},
		{"bash.autoBackground.thresholdMs", "5"},
		{"modelRoles.default", "p/m:high"},
		{"modelRoles.smol", "p/s"},
		{"todo.reminders.max", "4"},
		{"todo.reminders", "no"},
		{"modelProviderOrder", `["x","y"]`},
		{"tools.approval", `{"bash":"deny"}`},
		{"edit.fuzzyThreshold", "0.5"},
		{"providers.maxInFlightRequests.p", "2"},
		{"agent.agents.scout", "false"},
	} {
		do(t, Set(t.Context(), r.Dirs, set[0], set[1]))
	}
	text := read(t, file)
	for _, part := range []string{"# mine\n\nsteeringMode: one-at-a-time # why\n", "  # inner\n  maxRetries: 7\n", "own: {a: [1, 2]}", "# the end"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is gone from\n%s", part, text)
		}
	}
	s, warnings := r.load()
	same(t, []string{file + ":8: retry.own: unknown setting; it is ignored"}, warnings)
	same(t, []any{"one-at-a-time", 7, false, 5, "p/m:high", 4, false, 0.5}, []any{
		SteeringMode.Of(s), RetryMax.Of(s), RetryEnabled.Of(s), AutoBackgroundT.Of(s), ModelRoles.Of(s)["default"], TodoMax.Of(s), TodoReminders.Of(s), EditThreshold.Of(s),
	})
	same(t, []any{"x", "y"}, ModelProviders.Of(s))
	same(t, []any{2, false}, []any{InFlight.Of(s)["p"], Agents.Of(s)["scout"]})
	same(t, map[string]any{"bash": "deny"}, Approval.Of(s))
	info, err := os.Stat(file)
	do(t, err)
	same(t, os.FileMode(0o600), info.Mode().Perm())
	entries, err := os.ReadDir(r.Dirs.Agent)
	do(t, err)
	same(t, 1, len(entries)) // no lock file, no temporary file
}

func TestSetOnFilesOfAllForms(t *testing.T) {
	for _, text := range []string{
		"", "\n", "# only a comment", "{}\n", "retry:\n", "retry: {}\n", "retry: {maxRetries: 1}\n", "{\"retry\": {\"maxRetries\": 1}, \"a\": null}", "a: 1\n---\nb: 2\n",
		"retry:\r\n    maxRetries: 1\r\n", "a: |\n  x\n  y\nretry:\n      maxRetries:   1   # c\n", "todo: {reminders: false}\nretry: ~\n", "a: &x {b: 1}\nc: *x\n",
	} {
		r := newRoom(t)
		r.profile(text)
		old, before := r.load()
		put(old.tree, RetryMax.path, 9)
		if err := Set(t.Context(), r.Dirs, "retry.maxRetries", "9"); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		s, warnings := r.load()
		if len(warnings) != len(before) || RetryMax.Of(s) != 9 || !equal(old.tree, s.tree) {
			t.Errorf("%q became %q: %v", text, read(t, r.Dirs.ConfigFile()), warnings)
		}
	}
}

// A file with the line ends of Windows came out with those of Unix.
func TestSetKeepsLineEnds(t *testing.T) {
	r := newRoom(t)
	file := r.profile("steeringMode: all\r\n# c\r\nretry:\r\n  maxRetries: 1 # why\r\n")
	do(t, Set(t.Context(), r.Dirs, "retry.maxRetries", "2"))
	same(t, "steeringMode: all\r\n# c\r\nretry:\r\n  maxRetries: 2 # why\r\n", read(t, file))
}

func TestSetMakesTheFileAndFollowsASymlink(t *testing.T) {
	r := newRoom(t)
	do(t, Set(t.Context(), r.Dirs, "retry.enabled", "true"))
	same(t, "retry:\n  enabled: true\n", read(t, r.Dirs.ConfigFile()))

	target := write(t, filepath.Join(t.TempDir(), "dotfiles.yml"), "a: 1\n")
	do(t, os.Remove(r.Dirs.ConfigFile()))
	do(t, os.Symlink(target, r.Dirs.ConfigFile()))
	do(t, Set(t.Context(), r.Dirs, "steeringMode", "all"))
	same(t, "a: 1\nsteeringMode: all\n", read(t, target))
	info, err := os.Lstat(r.Dirs.ConfigFile())
	do(t, err)
	same(t, os.ModeSymlink, info.Mode().Type())

	do(t, os.Remove(target)) // the link leads nowhere now
	do(t, Set(t.Context(), r.Dirs, "steeringMode", "all"))
	same(t, "steeringMode: all\n", read(t, target))
}

func TestSetKeepsTheModeAndLeavesAloneWhatMayNotBeWritten(t *testing.T) {
	r := newRoom(t)
	path := r.profile("a: 1\n")
	do(t, os.Chmod(path, 0o640))
	do(t, Set(t.Context(), r.Dirs, "steeringMode", "all"))
	info, err := os.Stat(path)
	do(t, err)
	same(t, os.FileMode(0o640), info.Mode())
	do(t, os.Chmod(path, 0o440))
	if err := Set(t.Context(), r.Dirs, "steeringMode", "one-at-a-time"); !errors.Is(err, file.ErrReadOnly) {
		t.Error(err)
	}
	same(t, "a: 1\nsteeringMode: all\n", read(t, path))
}

func TestSetSaysWhatWouldFit(t *testing.T) {
	r := newRoom(t)
	file := r.profile("a: 1\n")
	for set, want := range map[[2]string]string{
		{"retry.enabled", "maybe"}:               "Invalid boolean value: maybe. Use true/false, yes/no, on/off, or 1/0",
		{"retry.maxRetries", "x"}:                "Invalid number: x",
		{"retry.maxRetries", "-1"}:               "Invalid number: -1 (expected at least 0, got -1)",
		{"edit.fuzzyThreshold", "1.5"}:           "Invalid number: 1.5 (expected at most 1, got 1.5)",
		{"modelRoles.default", "[1]"}:            "modelRoles.default: expected a string, got a list",
		{"modelRoles", `{"default":5}`}:          "modelRoles: expected a string, got 5",
		{"enabledModels", `["a",5]`}:             "enabledModels: expected a string or a mapping, got 5",
		{"providers.maxInFlightRequests.a", "0"}: "providers.maxInFlightRequests.a: expected a whole number of at least 1, got 0",
		{"providers.maxInFlightRequests.a", "x"}: `providers.maxInFlightRequests.a: expected a whole number of at least 1, got "x"`,
		{"lsp.enabled", "yes"}:                   "lsp.enabled has no meaning here: there are no language servers",
		{"retry.maxRetries", "NaN"}:              "Invalid number: NaN (expected a whole number, got NaN)",
		{"steeringMode", "some"}:                 "Invalid value: some. Valid values: one-at-a-time, all",
		{"modelProviderOrder", "x"}:              "Invalid array JSON: x",
		{"tools.approval", "[]"}:                 "Invalid record JSON: []",
		{"no.such", "1"}:                         "unknown setting: no.such",
		{"modelRoles.", "1"}:                     "unknown setting: modelRoles.",
		{"bash.autoBackground.enabled.x", "1"}:   "unknown setting: bash.autoBackground.enabled.x",
	} {
		if err := Set(t.Context(), r.Dirs, set[0], set[1]); err == nil || err.Error() != want {
			t.Errorf("%v: %v", set, err)
		}
	}
	r.profile("retry: 5\n")
	if err := Set(t.Context(), r.Dirs, "retry.enabled", "yes"); err == nil || err.Error() != file+" is not changed: retry is not a plain mapping" {
		t.Fatal(err)
	}
	same(t, "retry: 5\n", read(t, file))
}

func TestSettersTakeTurns(t *testing.T) {
	r := newRoom(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			if err := Set(t.Context(), r.Dirs, fmt.Sprintf("modelRoles.r%d", n), "p/m"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, _ := r.load()
	same(t, 8, len(ModelRoles.Of(s)))
}

func TestSetGivesUpWaitingWithItsContext(t *testing.T) {
	r := newRoom(t)
	do(t, os.MkdirAll(r.Dirs.Agent, 0o700))
	f, err := os.Open(r.Dirs.Agent)
	do(t, err)
	defer func() { do(t, f.Close()) }()
	do(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if err := Set(ctx, r.Dirs, "steeringMode", "all"); !errors.Is(err, gone) {
		t.Fatal(err)
	}
}
