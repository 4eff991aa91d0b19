package command

import (
	"slices"
	"strings"
)

// launchingOptions are options by which programs, otherwise harmless, run other
// programs.
var launchingOptions = map[string][]string{
	"git": {
		"-c", "-O", "-x", "--config-env", "--exec-path", "--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--ext-diff",
		"--extcmd", "--config", "--template", "--sendmail-cmd", "--smtp-server", "--httpd", "--access-hook", "--browser",
	},
	"tar":   {"-I", "-F", "--use-compress-program", "--to-command", "--checkpoint-action", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"},
	"rg":    {"--pre", "--hostname-bin"},
	"fd":    {"-x", "-X", "--exec", "--exec-batch"},
	"sort":  {"--compress-program"},
	"split": {"--filter"},
	"rsync": {"-e", "-M", "--rsh", "--rsync-path", "--remote-option", "--config"},
	"scp":   {"-o", "-F", "-S"}, "sftp": {"-o", "-F", "-S", "-D"},
	"less": {"-k", "-o", "-O", "--lesskey"}, "man": {"-P", "-H", "-C", "--pager", "--html", "--config-file"},
	"zip": {"-T", "--unzip-command"}, "wget": {"-e", "--use-askpass", "--execute", "--config"},
	"gcc":   {"-wrapper", "--wrapper", "-B", "-fplugin", "-specs", "--specs", "-fuse-ld"},
	"cargo": {"--config"}, "apt-get": {"-o", "-c", "--option", "--config-file"}, "tcpdump": {"-z"},
	"go": {"-exec", "-toolexec", "-vettool", "-gccgoflags", "-compiler"},
	"hg": {"--config"}, "svn": {"--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option", "--config-dir"},
	"cpio": {"--rsh-command"}, "install": {"--strip-program"}, "openssl": {"-engine", "-provider"},
	"bat": {"--pager"}, "fzf": {"--preview", "--bind"},
}

// writingOptions are those by which programs that show something write it to a
// file, as a redirection would.
var writingOptions = map[string][]string{
	"git": {"--output"}, "sort": {"-o", "--output"}, "tree": {"-o"}, "less": {"--log-file"}, "date": {"--set"},
	"curl": {
		"--output", "--remote-name", "--dump-header", "--cookie-jar", "--config", "--trace", "--stderr", "--etag-save", "--hsts", "--alt-svc", "--libcurl",
	},
}

// writingLetters are the short ones of programs with many, which are often
// joined: those that write, and those whose value is the rest of the word. With -K
// curl reads options from a file, and date -s sets the clock.
var writingLetters = map[string]struct{ writing, valued string }{
	"curl": {"oOJDcK", "AbCdeEFhHmPQrtTuUwxXyYz"},
	"date": {"s", "dfrI"},
}

// writes tells whether a word makes a program write that shows something
// otherwise.
func writes(base, word string) bool {
	if named(writingOptions[base], word) {
		return true
	}
	letters, has := writingLetters[base]
	if !has || len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return false
	}
	at := strings.IndexAny(word[1:], letters.writing+letters.valued)
	return at >= 0 && strings.IndexByte(letters.writing, word[1+at]) >= 0
}

// sameAs are other names of programs.
var sameAs = map[string]string{
	"fdfind": "fd", "batcat": "bat", "gtar": "tar", "bsdtar": "tar", "gsort": "sort", "gsplit": "split", "ginstall": "install", "apt": "apt-get",
	"cc": "gcc", "g++": "gcc", "c++": "gcc", "clang": "gcc", "clang++": "gcc",
}

// launchingWords are subcommands that run the words behind them.
var launchingWords = map[string][]string{
	"git": {"foreach", "bisect", "filter-branch"}, "ip": {"exec", "exe", "ex", "e", "-batch", "-b"},
	"gh": {"alias", "extension"},
}

// runners are programs whose rules are up to who writes them, but whose words
// count for rules that deny.
var runners = wordSet("npx npm pnpm yarn bun bunx uv uvx poetry pipenv direnv mise asdf conda nix docker podman kubectl make just cargo")

// launches notes what a program may run beside itself.
func (r *reader) launches(c Call, base string) {
	if runners[base] {
		r.guesses(c, Guess)
	}
	if other, ok := sameAs[base]; ok {
		base = other
	}
	vague := c.Open
	for i, w := range c.args() {
		if w.Known && launching(base, w.Text, i) {
			r.guess(c)
			return
		}
		if w.Known && writes(base, w.Text) {
			r.doubt("%s of %s writes where it would show something", w.Text, base)
		}
		vague = vague || w.Split || !w.Known && (w.Text == "" || w.Text[0] == '-')
	}
	_, lettered := writingLetters[base]
	switch {
	case launchingOptions[base] != nil && vague:
		r.doubt("an option of %s that runs a program may be among its words", base)
	case lettered && vague:
		r.doubt("an option of %s that writes may be among its words", base)
	case launchingOptions[base] == nil && !runners[base] && !quietPrograms[base]:
		r.guesses(c, Hint)
	}
}

// quietPrograms are those that never run their words.
var quietPrograms = wordSet("ls cat tac grep egrep fgrep head tail wc cp mv rm mkdir rmdir touch ln chmod chown chgrp stat file du df tr cut uniq comm join paste nl od xxd " +
	"hexdump strings diff cmp patch basename dirname realpath readlink seq sleep date cal id whoami groups uname hostname which whereis ps pgrep pkill kill killall " +
	"jq yq tee gzip gunzip zcat bzip2 xz zstd unzip gofmt rustc rustfmt javac curl ping dig host nslookup uptime free lsof pip pip3 brew dpkg rpm printenv " +
	"sha1sum sha256sum md5sum cksum base64 sync tty true false yes fold fmt column shuf tsort expand look dd mkfifo mktemp pwd")

// launching tells whether a word makes the program run another one. Long options
// may be shortened, and single letters joined.
func launching(base, word string, place int) bool {
	if slices.Contains(launchingWords[base], word) || named(launchingOptions[base], word) {
		return true
	}
	switch base {
	case "less":
		return strings.HasPrefix(word, "+")
	case "tar": // its first word may be letters; a name with a host is asked of ssh
		host, _, remote := strings.Cut(word, ":")
		return place == 0 && !strings.HasPrefix(word, "-") && strings.ContainsAny(word, "IF") || remote && !strings.ContainsRune(host, '/')
	case "go":
		return word == "-w" || strings.Contains(word, "-extld")
	case "git":
		return strings.Contains(word, "ext::")
	case "gcc":
		return strings.HasPrefix(word, "@")
	}
	return false
}

// named tells whether a word is one of the options, with or without a value. Long
// options may be shortened, or have another dash; single letters joined.
func named(options []string, word string) bool {
	if !strings.HasPrefix(word, "-") {
		return false
	}
	name, _, _ := strings.Cut(word, "=")
	for _, option := range options {
		if len(option) == 2 {
			if !strings.HasPrefix(word, "--") && strings.Contains(word, option[1:]) {
				return true
			}
			continue
		}
		short := len(name) > 3 && strings.HasPrefix(name, "--") && strings.HasPrefix(option, name)
		if short || strings.HasPrefix(word, option) || strings.HasPrefix(word[1:], option) {
			return true
		}
	}
	return false
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
