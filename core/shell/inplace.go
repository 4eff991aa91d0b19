package shell

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// words is a command of plain words, which mean the same everywhere.
var words = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*(?: +[A-Za-z0-9_./:,@%+=-]+)*$`)
})

// builtins are bash's own commands and reserved words. One that a later bash
// adds and that is also a program would run as the program.
var builtins = strings.Fields(`alias bg bind break builtin caller case cd command compgen complete compopt continue coproc
	declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help
	history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt
	source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while`)

// A placer knows where programs are.
type placer struct {
	path     []string
	disabled bool // a name may mean something else: the environment brings functions or options
}

func newPlacer(env []string) placer {
	var p placer
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case name == "PATH":
			p.path = filepath.SplitList(value)
		case name == "BASH_ENV", name == "SHELLOPTS", name == "BASHOPTS", strings.HasPrefix(name, "BASH_FUNC_"):
			p.disabled = true
		}
	}
	return p
}

// inPlace makes a spare exec a command that is a program with plain arguments,
// as `bash -c` does: that saves a process, half of what starting a shell costs.
// The one difference to `bash -c` is that the program finds no variable _.
func (p placer) inPlace(line string) string {
	name, _, _ := strings.Cut(line, " ")
	if p.disabled || !words().MatchString(line) || slices.Contains(builtins, name) || !p.has(name) {
		return line
	}
	return "exec " + line
}

// has tells whether there is a program of this name.
func (p placer) has(name string) bool {
	return slices.ContainsFunc(p.path, func(dir string) bool {
		if !filepath.IsAbs(dir) { // of the command's directory, not of ours
			return false
		}
		_, err := exec.LookPath(filepath.Join(dir, name))
		return err == nil
	})
}
