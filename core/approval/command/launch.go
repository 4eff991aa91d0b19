package command

import "strings"

// launchingOptions are options by which programs, otherwise harmless, run other
// programs.
var launchingOptions = map[string][]string{
	"git": {
		"-c", "-O", "-x", "--config-env", "--exec-path", "--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--ext-diff",
		"--extcmd", "--config",
	},
	"tar":   {"-I", "-F", "--use-compress-program", "--to-command", "--checkpoint-action", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"},
	"rg":    {"--pre", "--hostname-bin"},
	"fd":    {"-x", "-X", "--exec", "--exec-batch"},
	"sort":  {"--compress-program"},
	"split": {"--filter"},
	"rsync": {"-e", "--rsh", "--rsync-path"},
	"scp":   {"-o", "-F", "-S"}, "sftp": {"-o", "-F", "-S", "-D"},
	"less": {"-k", "-o", "-O", "--lesskey"}, "man": {"-P", "-H", "-C", "--pager", "--html", "--config-file"},
	"zip": {"-T", "--unzip-command"}, "wget": {"-e", "--use-askpass", "--execute", "--config"},
	"gcc": {"-wrapper", "-B", "-fplugin"}, "cc": {"-wrapper", "-B", "-fplugin"},
	"cargo": {"--config"}, "apt-get": {"-o"}, "apt": {"-o"}, "tcpdump": {"-z"},
	"go": {"-exec", "-toolexec", "-vettool"},
}

// launchingWords are subcommands that run the words behind them.
var launchingWords = map[string][]string{
	"git": {"foreach", "bisect", "filter-branch"}, "ip": {"exec"},
}

// runners are programs whose rules are up to who writes them, but whose words
// count for rules that deny.
var runners = wordSet("npx npm pnpm yarn bun bunx uv uvx poetry pipenv direnv mise asdf conda nix docker podman kubectl make just cargo")

// launches notes what a program may run beside itself.
func (r *reader) launches(c Call, base string) {
	if runners[base] {
		r.guesses(c)
	}
	if base == "fdfind" {
		base = "fd"
	}
	vague := c.Open
	for _, w := range c.args() {
		if w.Known && launching(base, w.Text) {
			r.guess(c)
			return
		}
		vague = vague || w.Split || !w.Known && (w.Text == "" || w.Text[0] == '-')
	}
	if vague && launchingOptions[base] != nil {
		r.doubt("an option of %s that runs a program may be among its words", base)
	}
}

// launching tells whether a word makes the program run another one. Long options
// may be shortened, and single letters joined.
func launching(base, word string) bool {
	for _, w := range launchingWords[base] {
		if w == word {
			return true
		}
	}
	name, _, _ := strings.Cut(word, "=")
	for _, option := range launchingOptions[base] {
		letter := len(option) == 2
		switch {
		case !strings.HasPrefix(word, "-"):
		case letter && !strings.HasPrefix(word, "--") && strings.Contains(word, option[1:]):
			return true
		case !letter && len(name) > 3 && strings.HasPrefix(option, name), !letter && strings.HasPrefix(word, option):
			return true
		case base == "go" && strings.HasPrefix(strings.TrimPrefix(word, "-"), option):
			return true
		}
	}
	return base == "less" && strings.HasPrefix(word, "+") || base == "tar" && strings.HasPrefix(word, "c") && strings.ContainsAny(word, "IF")
}

// awk is a language that can run commands and write files.
func awk(r *reader, c Call) Role {
	args := c.args()
	rest, ok := options(args, nil, "-F", "-v")
	if !ok || len(rest) == 0 || !rest[0].Known || c.Open || strings.Contains(rest[0].Text, "system") || strings.ContainsAny(rest[0].Text, "|>@") ||
		strings.Contains(rest[0].Text, "getline") {
		r.guess(c)
	}
	return Plain
}
