package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spare returns a runner that has one.
func spare(t *testing.T, env ...string) *Runner {
	t.Helper()
	r := newRunner(t, Options{Env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/"}, env...)})
	do(t, r, Command{Line: "true"})
	waitFor(t, "a spare", func() bool { return r.spareCount() > 0 })
	return r
}

func TestProgramTakesThePlaceOfASpare(t *testing.T) {
	for line, want := range map[string]bool{"cat /proc/self/stat": true, "cat /proc/self/stat; true": false} {
		stat := strings.Fields(do(t, spare(t), Command{Line: line}).Output)
		if len(stat) < 6 || (stat[0] == stat[5]) != want { // a shell leads its session
			t.Errorf("%q ran as %v; in place of its shell: want %v", line, stat, want)
		}
	}
}

func TestWhatIsNoProgramDoesNotTakeThePlaceOfASpare(t *testing.T) {
	for _, c := range []struct{ line, env, output string }{
		{"echo -n a", "", "a"},
		{"no-such-program a", "", "bash: line 1: no-such-program: command not found\n"},
		{"uname", "BASH_FUNC_uname%%=() { echo mine; }", "mine\n"},
		{"times", "", "0m"},
		{"time true", "", "\nreal\t"},
	} {
		got := do(t, spare(t, c.env), Command{Line: c.line})
		if !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(got.Output, "/usr"), "/bin/"), c.output) {
			t.Errorf("%q gave %q, want %q", c.line, got.Output, c.output)
		}
	}
}

func TestOnlyPlainWordsOfAProgramAreExeced(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644, "echo": 0o755, "time": 0o755} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	plain := newPlacer([]string{"PATH=relative::" + dir})
	for line, want := range map[string]bool{
		"tool": true, "tool a --b=c d/e.f:g,h@i%j+k": true, "tool  a": true,
		"": false, "tool ": false, " tool": false, "tool\na": false, "tool a\n": false, "text": false, "missing": false, "echo a": false, "time tool": false,
		"a=b tool": false, "tool $a": false, "tool a*": false, "tool ~": false, "tool 'a'": false, "tool a;b": false, "tool &": false, "tool >a": false,
		"tool #a": false, "tool {a,b}": false, "tool a!": false, "tool a\\": false, "tool grün": false, "./tool": false, "../tool": false,
	} {
		if got := plain.inPlace(line); (got == "exec "+line) != want || !want && got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
	for _, env := range []string{"BASH_ENV=x", "SHELLOPTS=errexit", "BASHOPTS=extglob", "BASH_FUNC_tool%%=() { :; }"} {
		if got := newPlacer([]string{"PATH=" + dir, env}).inPlace("tool"); got != "tool" {
			t.Errorf("with %s it became %q", env, got)
		}
	}
}
