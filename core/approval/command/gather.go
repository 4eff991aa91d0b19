package command

import "strings"

// xargs runs a command with words that it reads.
func xargs(r *reader, c Call) Role {
	place, counts := Word{Known: true}, false
	rest, ok := optionsSeen(c.args(), wordSet("-0 -r -t -x --null --no-run-if-empty --verbose --exit"), func(option string, value Word) {
		switch option {
		case "-I":
			place = value
		case "-n", "-L", "--max-args", "--max-lines":
			counts = true // the later of these and -I wins
		}
	}, "-n", "-P", "-L", "-d", "-s", "-I", "--max-args", "--max-procs", "--max-lines", "--delimiter", "--max-chars")
	if !ok || c.Open || !place.Known || counts && place.Text != "" {
		r.guess(c)
		return Plain
	}
	if len(rest) == 0 {
		return Plain // it echoes
	}
	r.call(r.fill(rest, place.Text), place.Text == "")
	return Plain
}

// fill puts what is not known in place of the word. A line in which it stands may
// still show what it runs.
func (r *reader) fill(words []Word, place string) []Word {
	if place == "" {
		return words
	}
	filled := make([]Word, len(words))
	for i, w := range words {
		before, _, found := strings.Cut(w.Text, place)
		if found {
			r.embedded(w, Guess)
			w.Text, w.Known = before, false
		}
		filled[i] = w
	}
	return filled
}

// What find takes without a value, and with one.
var (
	findPlain = wordSet("! ( ) , -a -and -o -or -not -print -print0 -ls -prune -quit -depth -d -mount -xdev -daystart -follow -noleaf -nowarn -warn " +
		"-empty -executable -readable -writable -nouser -nogroup -true -false -H -L -P")
	findValued = wordSet("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime -ctime " +
		"-mmin -amin -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -links -inum -samefile -maxdepth -mindepth -regextype -fstype -used -printf -newermt")
	findRuns = wordSet("-exec -execdir -ok -okdir")
)

// find runs commands on what it finds, if it is told to.
func find(r *reader, c Call) Role {
	args := c.args()
	if c.Open {
		r.guess(c)
		return Plain
	}
	for len(args) > 0 {
		w := args[0]
		switch {
		case w.Known && findPlain[w.Text]:
		case w.Known && findValued[w.Text] && len(args) > 1 && !args[1].Many && !args[1].Split:
			args = args[1:]
		case w.Known && findRuns[w.Text]:
			args = r.found(c, args)
			continue
		case !w.Split && w.Text != "" && !strings.HasPrefix(w.Text, "-"): // where to look
		default:
			if !w.Known || w.Text != "-delete" {
				r.guess(c)
				return Plain
			}
			r.doubt("find deletes what it finds")
		}
		args = args[1:]
	}
	return Plain
}

// found reads the command of -exec and returns what stands behind it.
func (r *reader) found(c Call, args []Word) []Word {
	for i, w := range args[1:] {
		if !w.Known {
			continue
		}
		end := 1 + i
		if w.Text == ";" || w.Text == "+" && i > 0 && args[i].Text == "{}" {
			if end == 1 {
				break
			}
			if strings.HasSuffix(args[0].Text, "dir") {
				r.moved = true
			}
			inner := r.fill(args[1:end], "{}")
			if w.Text == "+" {
				inner[len(inner)-1].Many = true
			}
			r.call(inner, false)
			return args[end+1:]
		}
	}
	r.guess(c)
	return nil
}
