package command

import (
	"path"
	"strings"
)

// fetchers get what others wrote from the network; interpreters run it.
var (
	fetchers     = wordSet("curl wget fetch")
	interpreters = wordSet("sh bash dash ash zsh ksh mksh fish rbash eval source .")
	powers       = wordSet("shutdown reboot poweroff halt telinit")
	controls     = wordSet("poweroff reboot halt kexec")
)

// fetches tells whether one of the calls asks the network.
func fetches(calls []Call) bool { return anyNamed(calls, fetchers) }

// interprets tells whether one of the calls runs what it reads.
func interprets(calls []Call) bool { return anyNamed(calls, interpreters) }

func anyNamed(calls []Call, names map[string]bool) bool {
	for _, c := range calls {
		if names[c.name()] {
			return true
		}
	}
	return false
}

func fetchesAny(words []Word) bool {
	for _, w := range words {
		if w.fetches {
			return true
		}
	}
	return false
}

// critical tells whether a call does what can hardly be made good again
// (facts/platform 7.3).
func critical(c Call) bool {
	args := c.args()
	switch name := c.name(); {
	case name == "rm":
		return flagged(args, "rRf", "--recursive", "--force") && absolute(args)
	case name == "chmod" || name == "chown" || name == "chgrp":
		return flagged(args, "R", "--recursive") && absolute(args)
	case strings.HasPrefix(name, "mkfs") || name == "shred" || name == "cryptsetup" || powers[name]:
		return true
	case name == "init":
		return len(args) > 0 && (args[0].Text == "0" || args[0].Text == "6")
	case name == "systemctl":
		return anyWord(args, func(w Word) bool { return controls[w.Text] })
	case name == "dd":
		return anyWord(args, func(w Word) bool { return strings.HasPrefix(w.Text, "of=/dev/") && w.Text != "of=/dev/null" })
	case name == "tee":
		return anyWord(args, func(w Word) bool { return precious(w.Text) })
	}
	return false
}

// flagged tells whether an option is among the words, also joined with others.
func flagged(words []Word, letters string, long ...string) bool {
	return anyWord(words, func(w Word) bool {
		if strings.HasPrefix(w.Text, "--") {
			for _, l := range long {
				if len(w.Text) > 2 && strings.HasPrefix(l, w.Text) {
					return true
				}
			}
			return false
		}
		return strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, letters)
	})
}

func absolute(words []Word) bool {
	return anyWord(words, func(w Word) bool { return strings.HasPrefix(w.Text, "/") })
}

func anyWord(words []Word, is func(Word) bool) bool {
	for _, w := range words {
		if is(w) {
			return true
		}
	}
	return false
}

// precious tells whether a file must not be written by the way: a disk, or who
// may log in.
func precious(file string) bool {
	file = path.Clean(file)
	for _, prefix := range []string{"/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd", "/dev/mmcblk", "/dev/mapper/"} {
		if strings.HasPrefix(file, prefix) {
			return true
		}
	}
	return file == "/etc/passwd" || file == "/etc/shadow" || strings.HasPrefix(file, "/etc/sudoers")
}
