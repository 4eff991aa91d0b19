package command

import (
	"path"
	"strings"
	"sync"
	"unicode/utf8"
)

// call notes a simple command, and the commands that it runs in turn. open says
// that more words may follow.
func (r *reader) call(words []Word, open bool) {
	call := Call{Words: words, Open: open}
	name := words[0]
	if !name.Known {
		r.add(call)
		r.blind("the name of a command is not known before it runs")
		r.line.Critical = r.line.Critical || name.fetches
		return
	}
	if strings.IndexFunc(name.Text, func(c rune) bool { return c >= utf8.RuneSelf }) >= 0 {
		r.doubt("the name of a command is not plain ASCII")
	}
	if strings.ContainsRune(name.Text, '/') && !path.IsAbs(name.Text) {
		r.relative = true
	}
	if name.Text == "" {
		r.doubt("a command has no name")
	}
	r.line.Critical = r.line.Critical || critical(call)
	base := path.Base(name.Text)
	run, known := programs()[base]
	switch {
	case !known:
		r.launches(call, base)
		r.add(call)
	case base == name.Text:
		call.Role = run(r, call)
		r.add(call)
	default: // a path leads to any program, perhaps to that one
		run(r, call)
		r.add(call)
	}
}

func (r *reader) add(c Call) { r.line.Calls = append(r.line.Calls, c) }

// name is the name of the program, without its directory.
func (c Call) name() string {
	if len(c.Words) == 0 || !c.Words[0].Known {
		return ""
	}
	return path.Base(c.Words[0].Text)
}

// args are the words behind the name.
func (c Call) args() []Word { return c.Words[1:] }

// behind reads what stands behind the options of a wrapper as a command.
func (r *reader) behind(words []Word, open bool, wrapper string) {
	switch {
	case len(words) > 0:
		r.call(words, open)
	case open:
		r.blind("%s gets its command from its input", wrapper)
	}
}

// program reads a call of a program that is known, and says its role.
type program func(r *reader, c Call) Role

// programs are those that run commands, or that the shell does not leave to
// others. (It is set by init, since they run each other.)
var programs func() map[string]program

func init() { programs = sync.OnceValue(known) }

func known() map[string]program {
	programs := map[string]program{
		"true": harmless, "false": harmless, ":": harmless, "exit": harmless, "return": harmless, "break": harmless,
		"continue": harmless, "shift": harmless, "echo": harmless, "pwd": harmless, "wait": quiet("-"), "printf": quiet("-"), "jobs": quiet(""),
		"cd": moves, "pushd": moves, "popd": moves,
		"test": tests, "[": tests, "read": reads, "unset": unsets, "set": sets,
		"exec": transparent(""), "builtin": transparent(""), "command": commandBuiltin, "time": transparent("-p -v"),
		"timeout": timeout, "nice": nice, "stdbuf": transparent("", "-i", "-o", "-e", "--input", "--output", "--error"),
		"nohup": wrapper(""), "setsid": wrapper("-w -f -c --wait --fork --ctty"), "ionice": wrapper("-t --ignore", "-c", "-n", "--class", "--classdata"),
		"sudo": sudo, "doas": sudo, "env": env, "xargs": xargs, "find": find, "busybox": wrapper(""), "toybox": wrapper(""),
		"git": git, "eval": evaluates, "trap": traps, "bfs": find,
		"--":  launcher, // the parser takes it for a command in time -- ls
		"awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "sed": sed, "gsed": sed,
	}
	for _, name := range []string{"bash", "rbash", "sh", "dash", "ash"} {
		programs[name] = shell
	}
	for _, name := range []string{"zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh", "nu", "elvish", "xonsh", "rc"} {
		programs[name] = launcher
	}
	for _, name := range strings.Fields("su runuser pkexec chroot unshare nsenter systemd-run ssh watch flock script parallel entr strace ltrace " +
		"gdb lldb valgrind perf setpriv setarch linux32 linux64 i386 x86_64 taskset chrt prlimit numactl cgexec firejail bwrap proot fakeroot " +
		"start-stop-daemon at batch crontab expect tmux screen dbus-run-session xvfb-run faketime proxychains torify unbuffer rlwrap ld.so " +
		"ld-linux-x86-64.so.2 vi vim nvim view vimdiff ex ed emacs emacsclient nano lua tclsh wish m4 run-parts chpst envdir softlimit catchsegv") {
		programs[name] = launcher
	}
	for _, name := range strings.Fields("timeout nice nohup stdbuf env xargs find") { // as GNU's are called elsewhere
		programs["g"+name] = programs[name]
	}
	for _, name := range strings.Fields(". source alias unalias bind complete compgen compopt enable hash fc mapfile readarray shopt let declare " +
		"typeset local export readonly nameref getopts coproc history caller select function suspend logout umask ulimit disown bg fg") {
		programs[name] = shellState
	}
	return programs
}

func harmless(*reader, Call) Role { return Harmless }

// quiet are builtins that do nothing by themselves, unless their first word
// begins so.
func quiet(dangerous string) program {
	return func(r *reader, c Call) Role {
		if args := c.args(); len(args) > 0 && !args[0].number && (!args[0].Known || strings.HasPrefix(args[0].Text, dangerous)) || c.Open {
			r.blind("%s may set variables or run commands", c.name())
		}
		return Harmless
	}
}

func moves(r *reader, c Call) Role {
	r.moved = true
	return Plain
}

// shellState are builtins that change what later commands mean.
func shellState(r *reader, c Call) Role {
	r.blind("%s can change what commands mean or run others", c.name())
	if len(c.Words) > 1 && fetchesAny(c.args()) {
		r.line.Critical = true
	}
	return Plain
}

// evaluates is eval: its words are a line.
func evaluates(r *reader, c Call) Role {
	if fetchesAny(c.args()) {
		r.line.Critical = true
	}
	line, known := joined(c.args())
	if !known || c.Open {
		r.blind("eval runs what its words come to")
		return Harmless
	}
	r.doubt("eval runs its words as a line")
	r.source(line, bashDialect)
	return Harmless
}

// traps is trap: its first word is a line that runs later.
func traps(r *reader, c Call) Role {
	args := c.args()
	if len(args) > 0 && args[0].Known && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || c.Open || !args[0].Known || len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		r.guess(c)
		return Harmless
	}
	r.doubt("trap runs a line later")
	r.source(args[0].Text, bashDialect)
	return Harmless
}

func joined(words []Word) (line string, known bool) {
	texts := make([]string, len(words))
	for i, w := range words {
		if !w.Known {
			return "", false
		}
		texts[i] = w.Text
	}
	return strings.Join(texts, " "), true
}

// reads is read: it sets the variables that it names.
func reads(r *reader, c Call) Role {
	if c.Open {
		r.blind("read sets variables that are not known")
	}
	for _, w := range c.args() {
		switch {
		case !w.Known:
			r.blind("read sets variables that are not known")
		case ownName().MatchString(w.Text) && !r.tainted[w.Text]: // its name is quoted
			r.blind("read sets a variable that is not seen")
		case w.Text == "-r" || w.Text == "-s" || number().MatchString(w.Text) || ownName().MatchString(w.Text):
		default:
			r.sets(w.Text)
			if !strings.HasPrefix(w.Text, "-") {
				r.line.Hidden = true
			}
		}
	}
	return Harmless
}

func unsets(r *reader, c Call) Role {
	for _, w := range c.args() {
		if !w.Known || !ownName().MatchString(w.Text) {
			r.blind("unset may change what later commands mean")
		}
	}
	if c.Open {
		r.blind("unset may change what later commands mean")
	}
	return Harmless
}

// sets is set: only options that make a line stop or show itself are harmless.
func sets(r *reader, c Call) Role {
	args := c.args()
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.Known:
		case w.Text == "pipefail" && i > 0 && strings.HasSuffix(args[i-1].Text, "o"):
			continue
		case len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') && strings.Trim(w.Text[1:], "eux") == "":
			continue
		case len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') && strings.Trim(w.Text[1:], "euxo") == "" && i+1 < len(args) && args[i+1].Text == "pipefail":
			continue
		}
		r.blind("set changes how the shell reads the line")
	}
	if len(args) == 0 || c.Open {
		r.doubt("set shows all variables")
	}
	return Harmless
}

var (
	unaryTests  = wordSet("-e -f -d -c -b -p -S -L -h -k -g -u -G -O -N -r -w -x -s -t -z -n")
	binaryTests = wordSet("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// tests is test, in the few forms that cannot run anything: -v takes the
// subscript of an array, in which substitutions run.
func tests(r *reader, c Call) Role {
	args := c.args()
	if c.name() == "[" && len(args) > 0 && args[len(args)-1].Known && args[len(args)-1].Text == "]" {
		args = args[:len(args)-1]
	}
	if len(args) > 1 && args[0].Known && args[0].Text == "!" {
		args = args[1:]
	}
	one := func(w Word) bool { return !w.Many && (!w.Split || w.number) }
	fine := false
	switch len(args) {
	case 0:
		fine = true
	case 1:
		fine = one(args[0]) && !args[0].Split
	case 2:
		fine = args[0].Known && unaryTests[args[0].Text] && one(args[1])
	case 3:
		fine = one(args[0]) && args[1].Known && binaryTests[args[1].Text] && one(args[2])
	}
	if !fine || c.Open {
		r.blind("test may evaluate what is not known")
	}
	return Harmless
}
