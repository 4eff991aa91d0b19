package config

import (
	"errors"
	"testing"
)

func TestUnsetTakesOutOneSettingOnly(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"steeringMode", "# mine\n\nsteeringMode: all # why\n\n# next\nfollowUpMode: all\n", "# mine\n\n\n# next\nfollowUpMode: all\n"},
		{"retry.maxRetries", "retry:\n  # inner\n  maxRetries: 3\n\n  enabled: no # c\n# end\n", "retry:\n  # inner\n\n  enabled: no # c\n# end\n"},
		{"retry.maxRetries", "a: 1\nretry:\n  maxRetries: 3\n\n# end\n", "a: 1\n\n# end\n"},
		{"retry.maxRetries", "a: 1\r\nretry:\r\n  maxRetries: 3\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n"},
		{"retry.maxRetries", "retry: {maxRetries: 3, enabled: no} # c\n", "retry: {enabled: no} # c\n"},
		{"retry.maxRetries", "retry: {maxRetries: 3}\n", ""},
		{"retry.maxRetries", "retry:\n  maxRetries: 1\n  enabled: no\n  maxRetries: 3\n", "retry:\n  enabled: no\n"},
		{"modelProviderOrder", "modelProviderOrder:\n- a\n\n- b # c\n\n# end\nx: 1\n", "\n# end\nx: 1\n"},
		{"modelRoles.smol", "modelRoles:\n  default: p/m\n  smol: >-\n    p/s\n", "modelRoles:\n  default: p/m\n"},
		{"todo.reminders", "todo:\n  reminders: no\n  eager: always\n", "todo:\n  eager: always\n"},
		{"todo.reminders", "todo:\n  reminders:\n    enabled: no\n    max: 3\n", "todo:\n  reminders:\n    max: 3\n"},
		{"lsp.enabled", "lsp: {enabled: yes}\na: 1\n", "a: 1\n"},
		{"own.word", "own:\n  word: 1\n  other: 2\n", "own:\n  other: 2\n"},
	} {
		r := newRoom(t)
		file := r.profile(test.before)
		if err := Unset(t.Context(), r.Dirs, test.name); err != nil {
			t.Errorf("%s of %q: %v", test.name, test.before, err)
		}
		if got := read(t, file); got != test.after {
			t.Errorf("%s of %q left\n%q, not\n%q", test.name, test.before, got, test.after)
		}
	}
}

func TestUnsetOfWhatIsNotThereChangesNothing(t *testing.T) {
	r := newRoom(t)
	if err := Unset(t.Context(), r.Dirs, "steeringMode"); !errors.Is(err, ErrNotSet) {
		t.Error(err)
	}
	for _, text := range []string{"", "# c\n", "retry: 5\n", "a: &x {steeringMode: all}\n", "retry: [\n"} {
		file := r.profile(text)
		for _, name := range []string{"steeringMode", "retry.enabled", "todo.reminders", "nothing", ".", ""} {
			if err := Unset(t.Context(), r.Dirs, name); err == nil {
				t.Errorf("%s of %q: no error", name, text)
			}
		}
		same(t, text, read(t, file))
	}
}
