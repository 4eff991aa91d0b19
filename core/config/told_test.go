package config

import (
	"strings"
	"testing"
)

// Numbers that were too large, and what lists and records hold, went unseen.
func TestWhatDoesNotFitWithinIsNamedAndIgnored(t *testing.T) {
	r := newRoom(t)
	file := r.profile("topP: 1.5\ncompaction: {thresholdPercent: 101}\nmodelRoles:\n  default: 5\n  smol: p/m\nmodelProviderOrder: [a, 5, b]\n" +
		"providers: {maxInFlightRequests: {a: 2, b: 0, c: x}}\nretry: {fallbackChains: {default: {a: 1}, smol: [p/m]}}\nenabledModels:\n- x/*\n- 7\n- {path: /, models: y}\n")
	s, warnings := r.load()
	same(t, []string{
		file + ":8: retry.fallbackChains.default: expected a string or a list, got a mapping; it is ignored",
		file + ":2: compaction.thresholdPercent: expected at most 100, got 101; it is ignored",
		file + ":4: modelRoles.default: expected a string, got 5; it is ignored",
		file + ":6: modelProviderOrder.1: expected a string, got 5; it is ignored",
		file + ":9: enabledModels.1: expected a string or a mapping, got 7; it is ignored",
		file + ":1: topP: expected at most 1, got 1.5; it is ignored",
		file + ":7: providers.maxInFlightRequests.b: expected a whole number of at least 1, got 0; it is ignored",
		file + `:7: providers.maxInFlightRequests.c: expected a whole number of at least 1, got "x"; it is ignored`,
	}, warnings)
	same(t, map[string]any{"smol": "p/m"}, ModelRoles.Of(s))
	same(t, map[string]any{"a": 2}, InFlight.Of(s))
	same(t, []any{"a", "b"}, ModelProviders.Of(s))
	same(t, []string{"x/*", "y"}, s.Models())
	same(t, -1.0, TopP.Of(s))
}

// Settings that nothing follows were accepted without a word.
func TestWhatNothingFollowsIsTold(t *testing.T) {
	r := newRoom(t)
	file := r.profile("lsp: {enabled: true}\nmemories:\n  enabled: yes\n  own: {}\n  word: 1\nsteeringMode: all\nretry.maxRetries: 3\nmodelRoles: {any.thing: p/m}\n" +
		"retry: {enabled: no, often: yes}\nmcp:\ntheme: dark\nextensions: [a]\ntodo: {reminders: {max: 2, min: 1}}\n")
	s, warnings := r.load()
	same(t, []string{
		file + ":12: extensions: no meaning here: there are no extensions; it is ignored",
		file + ":1: lsp.enabled: no meaning here: there are no language servers; it is ignored",
		file + ":3: memories.enabled: no meaning here: there are no memories; it is ignored",
		file + ":5: memories.word: unknown setting; it is ignored",
		file + ":9: retry.often: unknown setting; it is ignored",
		file + ":7: retry.maxRetries: a name with dots is not understood in a file: write retry: {maxRetries: …}; it is ignored",
		file + ":11: theme: unknown setting; it is ignored",
		file + ":13: todo.reminders.min: unknown setting; it is ignored",
	}, warnings)
	same(t, []any{"all", false, 2}, []any{SteeringMode.Of(s), RetryEnabled.Of(s), TodoMax.Of(s)})
	item, ok := s.Item("lsp.enabled")
	same(t, []any{Item{Key: "lsp.enabled", Value: true, Doc: "no meaning here: there are no language servers"}, true}, []any{item, ok})

	file = r.profile("a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nj: 1\nk: 1\nl: 1\n")
	_, warnings = r.load()
	same(t, []any{maxIdle + 1, file + ": 2 more of its settings are unknown or have no meaning here"}, []any{len(warnings), warnings[maxIdle]})
}

// Of names that stood twice the first was passed over without a word, and a file
// with a directive was passed over whole.
func TestNamesThatStandTwiceAreTold(t *testing.T) {
	r := newRoom(t)
	file := r.profile("%YAML 1.2\n---\nretry: {maxRetries: 1}\nsteeringMode: all\nretry: {enabled: no, enabled: yes}\n")
	s, warnings := r.load()
	same(t, []string{
		file + ":5: retry: it stands in line 3 too, and only the last counts",
		file + ":5: enabled: it stands in line 5 too, and only the last counts",
	}, warnings)
	same(t, []any{"all", 10, true}, []any{SteeringMode.Of(s), RetryMax.Of(s), RetryEnabled.Of(s)})
	do(t, Set(t.Context(), r.Dirs, "steeringMode", "one-at-a-time"))
	if text := read(t, file); !strings.Contains(text, "steeringMode: one-at-a-time\n") || !strings.HasPrefix(text, "%YAML 1.2\n---\n") {
		t.Errorf("the file is now\n%s", text)
	}
}
