package command

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

const bashDialect = syntax.LangBash

// options skips the options of a wrapper: those of flags, and those of valued
// with the value behind them, attached or after =. ok is false at one that is
// not known.
func options(words []Word, flags map[string]bool, valued ...string) (rest []Word, ok bool) {
	return optionsSeen(words, flags, func(string, Word) {}, valued...)
}

// optionsSeen also tells of each option with a value.
func optionsSeen(words []Word, flags map[string]bool, seen func(option string, value Word), valued ...string) (rest []Word, ok bool) {
next:
	for len(words) > 0 {
		w := words[0]
		if !w.Known {
			return words, w.Text != "" && w.Text[0] != '-' && !w.Split
		}
		switch {
		case w.Text == "--":
			return words[1:], true
		case !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			return words, true
		case flags[w.Text]:
			words = words[1:]
			continue
		}
		for _, option := range valued {
			value, has := strings.CutPrefix(w.Text, option)
			switch {
			case !has:
			case value == "":
				if len(words) < 2 || words[1].Many || words[1].Split {
					return words, false
				}
				seen(option, words[1])
				words = words[2:]
				continue next
			case !strings.HasPrefix(option, "--") || value[0] == '=':
				seen(option, Word{Text: value, Known: true})
				words = words[1:]
				continue next
			}
		}
		return words, false
	}
	return nil, true
}

// wrapper is a program that runs the command behind its options, and that
// itself needs a rule.
func wrapper(flags string, valued ...string) program {
	known := wordSet(flags)
	return func(r *reader, c Call) Role {
		rest, ok := options(c.args(), known, valued...)
		if !ok {
			r.guess(c)
			return Plain
		}
		r.behind(rest, c.Open, c.name())
		return Plain
	}
}

// transparent is one that needs none: it changes nothing about what is run.
func transparent(flags string, valued ...string) program {
	unwrap := wrapper(flags, valued...)
	return func(r *reader, c Call) Role {
		unwrap(r, c)
		return Harmless
	}
}

// guess notes all that might be a command among the words of a call.
func (r *reader) guess(c Call) {
	r.blind("what %s runs is not known", c.name())
	r.guesses(c, Guess)
}

// maxGuesses is how many words of a call are looked at so; what comes after counts
// as hidden, or is only held against rules if it is but a hint.
const maxGuesses = 64

func (r *reader) guesses(c Call, role Role) {
	for i, w := range c.args() {
		if i >= maxGuesses && role == Guess {
			r.line.Hidden = true
			return
		}
		if i < maxGuesses {
			r.line.Critical = r.line.Critical || w.Known && critical(Call{Words: c.Words[1+i:]})
		}
		r.add(Call{Words: c.Words[1+i:], Open: c.Open, Role: role})
		r.embedded(w, role)
	}
}

// embedded reads a word that may be a line, or have one as the value of an option
// or behind the sign for one.
func (r *reader) embedded(w Word, role Role) {
	if !w.Known {
		return
	}
	line := strings.TrimLeft(w.Text, "+!|&")
	if _, value, ok := strings.Cut(line, "="); ok && line[0] == '-' {
		line = value
	}
	if line == w.Text && !strings.ContainsAny(line, " \t\n;|&") {
		return
	}
	inner := Read(line, Place{})
	for _, call := range inner.Calls {
		call.Role = role
		r.add(call)
	}
	r.line.Critical = r.line.Critical || inner.Critical
}

// launcher is a program that runs commands in ways that are not looked into.
func launcher(r *reader, c Call) Role {
	r.guess(c)
	return Plain
}

// commandBuiltin is command, which may also only tell what a name means.
func commandBuiltin(r *reader, c Call) Role {
	if args := c.args(); len(args) > 0 && args[0].Known && (args[0].Text == "-v" || args[0].Text == "-V") && !c.Open {
		return Harmless
	}
	return transparent("")(r, c)
}

func timeout(r *reader, c Call) Role {
	rest, ok := options(c.args(), wordSet("--preserve-status --foreground -v --verbose"), "-k", "-s", "--kill-after", "--signal")
	if !ok || len(rest) == 0 || rest[0].Many || rest[0].Split {
		r.guess(c)
		return Harmless
	}
	r.behind(rest[1:], c.Open, "timeout")
	return Harmless
}

var niceness = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--?[0-9]+$`) })

func nice(r *reader, c Call) Role {
	args := c.args()
	if len(args) > 0 && args[0].Known && niceness().MatchString(args[0].Text) {
		args = args[1:]
	}
	rest, ok := options(args, nil, "-n", "--adjustment")
	if !ok {
		r.guess(c)
		return Harmless
	}
	r.behind(rest, c.Open, "nice")
	return Harmless
}

func sudo(r *reader, c Call) Role {
	rest, ok := options(c.args(), wordSet("-n -S -k -H -b --non-interactive --stdin --set-home"), "-u", "-g", "--user", "--group")
	if !ok || len(rest) > 0 && strings.Contains(rest[0].Text, "=") {
		r.guess(c)
		return Plain
	}
	r.line.Critical = r.line.Critical || len(rest) > 0 && Call{Words: rest}.name() == "rm"
	r.behind(rest, c.Open, c.name())
	return Plain
}

// env runs a command with other variables, or shows them.
func env(r *reader, c Call) Role {
	args := c.args()
	for len(args) > 0 {
		w := args[0]
		name, _, assigns := strings.Cut(w.Text, "=")
		switch {
		case assigns && !w.Many && !w.Split && !strings.HasPrefix(name, "-"):
			r.environment(name)
		case w.Known && w.Text == "-u" && len(args) > 1 && args[1].Known:
			args = args[1:]
			r.environment(args[0].Text)
		case !w.Known && w.Text == "" || w.Split || strings.HasPrefix(w.Text, "-"):
			r.guess(c)
			return Harmless
		default:
			r.behind(args, c.Open, "env")
			return Harmless
		}
		args = args[1:]
	}
	r.behind(nil, c.Open, "env")
	return Plain // it shows the environment
}

// shell runs a line, a file or what it reads.
func shell(r *reader, c Call) Role {
	if fetchesAny(c.args()) {
		r.line.Critical = true
	}
	args, line := c.args(), false
	for ; len(args) > 0; args = args[1:] {
		w := args[0]
		switch {
		case w.Known && (w.Text == "--norc" || w.Text == "--noprofile"):
			continue
		case w.Known && len(w.Text) > 1 && w.Text[0] == '-' && strings.Trim(w.Text[1:], "ceux") == "":
			line = line || strings.Contains(w.Text, "c")
			continue
		case w.Known && (w.Text == "-o" || w.Text == "-eo" || w.Text == "-euo") && len(args) > 1 && args[1].Known && args[1].Text == "pipefail":
			args = args[1:]
			continue
		}
		break
	}
	switch {
	case len(args) == 0:
		r.blind("%s runs what it reads", c.name())
	case line && args[0].Known && args[0].Text != "" && strings.IndexByte("-+", args[0].Text[0]) >= 0: // more options
		r.guess(c)
	case !line:
		return script(r, c, args[0])
	case !args[0].Known:
		r.blind("%s runs a line that is not known", c.name())
	default:
		r.source(args[0].Text, bashDialect)
		if c.name() != "bash" && c.name() != "rbash" { // which may read it another way
			r.source(args[0].Text, syntax.LangPOSIX)
		}
	}
	return Harmless
}

// script is a shell that runs a file: a rule may name that.
func script(r *reader, c Call, file Word) Role {
	switch {
	case !file.Known || strings.HasPrefix(file.Text, "-") || strings.HasPrefix(file.Text, "+"):
		r.guess(c)
	case strings.HasPrefix(file.Text, "/dev/") || strings.HasPrefix(file.Text, "/proc/"):
		r.blind("%s runs what it reads", c.name())
	case !strings.HasPrefix(file.Text, "/"):
		r.relative = true
	}
	return Plain
}
