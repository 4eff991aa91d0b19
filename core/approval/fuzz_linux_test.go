package approval

import (
	"slices"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/approval/command"
)

// FuzzLines runs each line that is found to be beyond doubt in a real bash, and
// holds what was run against what the analysis says: nothing else may run, and no
// file may be written.
func FuzzLines(f *testing.F) {
	for _, list := range lines {
		for _, line := range list {
			f.Add(line)
		}
	}
	check := checker(f)
	f.Fuzz(func(t *testing.T, line string) { check(t, line) })
}

// checker returns what tells whether a line that is beyond doubt keeps to what was
// found out about it.
func checker(f *testing.F) func(t *testing.T, line string) {
	box := startSandbox(f)
	before, err := box.run("true")
	must(f, err)
	return func(t *testing.T, line string) {
		if strings.ContainsRune(line, 0) || len(line) > 1000 {
			t.Skip("no argument")
		}
		read := command.Read(line, command.Place{})
		if len(read.Doubts) > 0 || read.Hidden {
			return
		}
		ran, err := box.run(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for _, call := range ran.Calls {
			if !slices.ContainsFunc(read.Calls, func(c command.Call) bool { return c.Role < command.Guess && describes(c.Words, call, c.Open) }) {
				t.Errorf("%q ran %q, which is none of %v", line, call, read.Calls)
			}
		}
		if !slices.Equal(ran.Files, before.Files) && !edits(read) {
			t.Errorf("%q changed files: %q", line, ran.Files)
		}
	}
}

// describes tells whether words can have come to these arguments.
func describes(words []command.Word, args []string, open bool) bool {
	if len(words) == 0 {
		return len(args) == 0 || open
	}
	w := words[0]
	fits := len(args) > 0 && (w.Known && args[0] == w.Text || !w.Known && (w.Split || strings.HasPrefix(args[0], w.Text)))
	if fits && describes(words[1:], args[1:], open) {
		return true
	}
	if !w.Many && !w.Split {
		return false
	}
	return describes(words[1:], args, open) || fits && describes(words, args[1:], open)
}

// edits tells whether a line lets sed write files, as it may.
func edits(line command.Line) bool {
	return slices.ContainsFunc(line.Calls, func(c command.Call) bool {
		return c.Words[0].Text == "sed" && slices.ContainsFunc(c.Words, func(w command.Word) bool {
			return !w.Known || strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "--i")
		})
	})
}
