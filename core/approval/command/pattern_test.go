package command

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestPatternsCoverWholeCommandsAndFindTheirBeginnings(t *testing.T) {
	for _, c := range []struct {
		pattern, line string
		covers        bool
		finds         Finding
	}{
		{"git status", "git status", true, Yes},
		{"git status", "git status -s", false, Yes},
		{"git status", "git", false, No},
		{"git status *", "git status", true, Yes},
		{"git status *", "git status -s x", true, Yes},
		{"git *", "git", true, Yes},
		{"git * -s", "git status -s", true, Yes},
		{"git * -s", "git a b -s", false, No},
		{"git st*us", "git status", true, Yes},
		{"git *s*t*", "git status", true, Yes},
		{"git x*", "git status", false, No},
		{"*", "anything at all", true, Yes},
		{"rm", "/bin/rm x", false, Yes},
		{"rm", "./rm", false, Yes},
		{"/bin/rm", "rm", false, No},
		{"/bin/rm", "/bin/rm", true, Yes},
		{"rm", "rmdir", false, No},
		{"git push", `git "$x"`, false, Maybe},
		{"git push", `git a"$x"`, false, No},
		{"git push", `git p"$x"`, false, Maybe},
		{"git push", `git $x`, false, Maybe},
		{"git push", `git -x $x`, false, Maybe},
		{"git push", `git -x y`, false, No},
		{"git push", "git -C . push", false, Yes},
		{"git push", "git --no-pager push -f", false, Yes},
		{"git push", "git --no-pager log push", false, Maybe},
		{"npm publish", "npm --prefix x publish", false, Maybe},
		{"npm publish", "npm --prefix=x publish", false, Yes},
		{"npm publish", "npm pack publish", false, No},
		{"npm publish", "npm " + strings.Repeat("-x ", 40) + "y", false, Maybe},
		{"rm", "new-runner -x rm y", false, Maybe},
		{"rm", "new-runner 'rm y'", false, Maybe},
		{"rm", "grep rm", false, No},
		{"git push", `git p*`, false, Maybe},
		{"git push", `git q*`, false, No},
		{"git * x", `git "$y" x`, true, Maybe},
		{"git * x", `git $y x`, false, Maybe},
		{"rm", `$x y`, false, Maybe},
		{"git p*h", `git "p$x"`, false, Maybe},
		{"git p*h", `git "q$x"`, false, No},
		{"git push", "ls | xargs git", false, Maybe},
		{"git log", "ls | xargs git log", false, Yes},
		{"git log *", "ls | xargs git log", true, Yes},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		line, covers, finds := Read(c.line, Place{}), false, No
		for _, call := range line.Calls {
			if call.name() != "xargs" && call.name() != "ls" {
				covers, finds = covers || call.Role == Plain && p.Covers(call), max(finds, p.Finds(call))
			}
		}
		if covers != c.covers || finds != c.finds {
			t.Errorf("%q and %q: covers %v, finds %v", c.pattern, c.line, covers, finds)
		}
	}
}

func TestAPatternHasWordsAndNothingElse(t *testing.T) {
	for _, text := range []string{"", "  ", "a;b", "a | b", `a "b c"`, "a $x", "a `b`", "a > b", "a\nb", "a\x07"} {
		if _, err := ParsePattern(text); !errors.Is(err, ErrPattern) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A line is read in a moment however it is made: it comes from a model.
func TestNoLineTakesLong(t *testing.T) {
	quoted := "ls"
	for range 12 {
		quoted = "sh -c '" + strings.ReplaceAll(quoted, "'", `'\''`) + "'"
		if len(quoted) > maxLine/2 {
			break
		}
	}
	for name, line := range map[string]string{
		"parentheses":   strings.Repeat("(", maxLine),
		"substitutions": strings.Repeat("$(", maxLine/2),
		"in quotes":     strings.Repeat(`"$(`, maxLine/3),
		"backquotes":    strings.Repeat("`", maxLine),
		"blocks":        strings.Repeat("{ ", maxLine/2),
		"whole blocks":  strings.Repeat("{ ", 5000) + "ls" + strings.Repeat("; }", 5000),
		"conditions":    strings.Repeat("if ", maxLine/3),
		"arithmetic":    "echo $((" + strings.Repeat("(", maxLine/2),
		"expansions":    strings.Repeat("${x:-", maxLine/5),
		"braces":        "echo " + strings.Repeat("{a,", maxLine/3),
		"words":         "npm " + strings.Repeat("rm ", maxLine/4),
		"unknown words": "rm " + strings.Repeat("$x ", maxLine/3),
		"commands":      strings.Repeat("rm;", maxLine/3),
		"pipes":         strings.Repeat("curl|", maxLine/5) + "sh",
		"wrappers":      strings.Repeat("env ", maxLine/4) + "ls",
		"shells":        quoted,
		"launchers":     strings.Repeat("ssh ", maxLine/4),
		"functions":     strings.Repeat("f() { ", maxLine/6),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			read := Read(line, Place{})
			pattern, _ := ParsePattern("rm -rf * x")
			for _, call := range read.Calls {
				pattern.Finds(call)
				pattern.Covers(call)
			}
			if took := time.Since(began); took > 30*time.Second { // milliseconds, unless it grows with a power of the length
				t.Errorf("it took %v", took)
			}
		})
	}
}
