// Package file is how tools touch the disk: it makes paths absolute, opens only
// what can be read without hanging, writes whole files or nothing, serialises
// the writers of one file, and makes bytes fit to be shown.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// maxLinks is how many symbolic links Target follows before it calls them a
// loop; the kernel's own limit.
const maxLinks = 40

// Resolve makes path absolute: a leading ~ is the home directory, a file://
// prefix is dropped, and what is relative is taken from dir.
func Resolve(dir, path string) string {
	if len(path) >= len("file://") && strings.EqualFold(path[:len("file://")], "file://") {
		path = path[len("file://"):]
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == filepath.Separator) {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// Display is how a path is shown: relative to dir when it lies below it, with
// slashes, and absolute otherwise.
func Display(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}

// Same tells whether two paths lead to one file or directory, by whatever links;
// when the first leads nowhere, whether they are equal.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return a == b
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Target says which file a write to path changes: symbolic links are followed,
// also the last one and also when it dangles, so that the link stays a link and
// every name of a file gives the same target. Path is absolute; neither the
// file nor its directories need exist.
func Target(path string) (string, error) {
	path = filepath.Clean(path)
	for range maxLinks {
		dir, err := realDir(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or not there: whoever opens it will tell
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// realDir resolves the links of the part of dir that exists.
func realDir(dir string) (string, error) {
	found, err := filepath.EvalSymlinks(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return dir, nil
	}
	parent, err = realDir(parent)
	return filepath.Join(parent, filepath.Base(dir)), err
}

// scheme is how a URL begins, as RFC 3986 has it.
var scheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`) })

// URL tells whether path is a URL rather than a file, and returns its scheme in
// lower case and the URL with the scheme so. file:// counts as a file.
func URL(path string) (name, url string, ok bool) {
	prefix := strings.ToLower(scheme().FindString(path))
	if prefix == "" || prefix == "file://" {
		return "", "", false
	}
	return strings.TrimSuffix(prefix, "://"), prefix + path[len(prefix):], true
}

// Within tells whether a path that exists leads to something inside a folder,
// whatever links are on the way.
func Within(path, folder string) bool {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, to)
	return err == nil && filepath.IsLocal(rel)
}

// Under tells whether a write to path would land inside a folder, whatever links
// are on the way; neither need exist.
func Under(path, folder string) bool {
	to, err := Target(path)
	if err != nil {
		return false
	}
	if folder, err = realDir(folder); err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, to)
	return err == nil && filepath.IsLocal(rel)
}
