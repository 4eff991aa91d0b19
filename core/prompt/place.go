package prompt

import (
	"bufio"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/file"
)

// A Place is where and when a session works.
type Place struct {
	Dir    string // absolute
	System string // name of the operating system
	Repo   string // root of the git repository, "" for none
	Branch string // or the commit that is checked out, "" when it is not known
	Date   string
}

// Here is the place that dir is now. It reads a few small files.
func Here(dir string, now time.Time) Place {
	p := Place{Dir: dir, System: system(), Date: now.Format(time.DateOnly)}
	if root, found := repository(dir); found {
		p.Repo, p.Branch = root, branch(root)
	}
	return p
}

func (p Place) String() string {
	var b strings.Builder
	b.WriteString("<environment>\nWorking directory: " + plain(p.Dir) + "\n")
	if p.Repo == "" {
		b.WriteString("Git repository: none\n")
	} else {
		b.WriteString("Git repository: " + plain(p.Repo))
		if p.Branch != "" {
			b.WriteString(" (" + p.Branch + " when the session began)")
		}
		b.WriteByte('\n')
	}
	b.WriteString("Operating system: " + p.System + "\nDate: " + p.Date + "\n</environment>")
	return b.String()
}

// plain keeps a path on its line.
func plain(path string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, path)
}

// system names the operating system and, on Linux, the distribution.
var system = sync.OnceValue(func() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	f, _, err := file.Open("/etc/os-release")
	if err != nil {
		return name
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewScanner(io.LimitReader(f, maxSmall))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "PRETTY_NAME="); ok {
			return plain(strings.Trim(value, `"'`)) + ", " + name
		}
	}
	return name
})

// maxSmall bounds what is read of files that ought to be small, in bytes; more
// is passed over.
const maxSmall = 8 << 10

// maxBranch bounds the name of a branch, in bytes; a longer one is not told.
const maxBranch = 200

// branch is what is checked out in the repository, "" when it is not known.
func branch(root string) string {
	git := filepath.Join(root, ".git")
	if to, ok := strings.CutPrefix(small(git), "gitdir: "); ok { // a worktree, or a submodule
		if git = to; !filepath.IsAbs(to) {
			git = filepath.Join(root, to)
		}
	}
	head := small(filepath.Join(git, "HEAD"))
	if strings.ContainsFunc(head, func(r rune) bool { return r <= ' ' && r != ' ' || r == 0x7f }) || len(head) > maxBranch {
		return ""
	}
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return "branch " + name
	}
	const short = 12 // digits of a commit
	if len(head) < short || strings.Trim(head, "0123456789abcdef") != "" {
		return ""
	}
	return "commit " + head[:short]
}

// small is the text of a small file, "" when it cannot be had.
func small(path string) string {
	f, _, err := file.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxSmall))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
