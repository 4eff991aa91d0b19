package command

import "strings"

// git runs what its configuration names, and options can set that. Rules that
// deny are held against its subcommand, whatever stands before it.
func git(r *reader, c Call) Role {
	r.launches(c, "git")
	rest := c.args()
	for len(rest) > 0 && rest[0].Known && strings.HasPrefix(rest[0].Text, "-") {
		if strings.HasPrefix(rest[0].Text, "--git-dir") { // which has a configuration
			r.guess(c)
			return Plain
		}
		n := 1
		if gitValued[rest[0].Text] {
			n = min(2, len(rest))
		}
		rest = rest[n:]
	}
	if len(rest) == 0 || !rest[0].Known {
		return Plain
	}
	if len(rest) < len(c.args()) {
		r.add(Call{Words: append([]Word{c.Words[0]}, rest...), Open: c.Open, Role: Guess})
	}
	switch args := rest[1:]; rest[0].Text {
	case "config":
		if !readsConfig(args) {
			r.guess(c)
		}
	case "clone":
		if anyWord(args, func(w Word) bool { return strings.HasPrefix(w.Text, "-u") }) {
			r.guess(c)
		}
	}
	return Plain
}

// gitValued are the options before the subcommand that take the word behind them.
var gitValued = wordSet("-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source --shallow-file")

// readsConfig tells whether git config only shows something: it is told to, or
// has just a name.
func readsConfig(args []Word) bool {
	names := 0
	for _, w := range args {
		switch {
		case !w.Known:
			return false
		case configReads[w.Text]:
			return true
		case !strings.HasPrefix(w.Text, "-"):
			names++
		case !configScopes[w.Text]:
			return false
		}
	}
	return names == 1
}

var (
	configReads  = wordSet("--get --get-all --get-regexp --get-urlmatch --list -l get list")
	configScopes = wordSet("--global --local --system --worktree")
)
