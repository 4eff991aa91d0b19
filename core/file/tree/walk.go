// Package tree walks directories the way a search wants to: in a fixed order,
// without what .gitignore leaves out, without following links, and ending as
// soon as it is told to.
package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// batch is how many directory entries are read between two looks at the context.
const batch = 1024

// Options say what a walk leaves out. It always leaves out .git.
type Options struct {
	All      bool // do not heed .gitignore
	NoHidden bool // leave out names that start with a dot
}

// Entry is something found.
type Entry struct {
	Path string // absolute
	Rel  string // below the root, with slashes
	fs.DirEntry
}

// Walk visits all that lies below the directory root, in the order of the
// names, each directory before its content, one goroutine only. A link is
// visited and not followed. A directory that cannot be read is passed over,
// unless it is the root.
//
// Visit may return fs.SkipDir to leave out a directory's content and fs.SkipAll
// to end the walk well. Walk returns the cause of ctx soon after that ends.
func Walk(ctx context.Context, root string, opts Options, visit func(Entry) error) error {
	w := walker{opts: opts, visit: visit}
	var above *ignore
	if !opts.All {
		above = ignoreAbove(root)
	}
	names, err := list(ctx, root)
	if err == nil {
		err = w.walk(ctx, root, "", names, above)
	}
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

type walker struct {
	opts  Options
	visit func(Entry) error
}

func (w *walker) walk(ctx context.Context, dir, rel string, entries []fs.DirEntry, rules *ignore) error {
	if !w.opts.All {
		rules = rules.in(dir)
	}
	for _, item := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := item.Name()
		entry := Entry{Path: filepath.Join(dir, name), Rel: rel + name, DirEntry: item}
		if name == ".git" || w.opts.NoHidden && strings.HasPrefix(name, ".") || rules.excludes(entry.Path, item.IsDir()) {
			continue
		}
		if err := w.step(ctx, entry, rules); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) step(ctx context.Context, entry Entry, rules *ignore) error {
	err := w.visit(entry)
	if !entry.IsDir() || err != nil {
		if errors.Is(err, fs.SkipDir) {
			return nil
		}
		return err
	}
	names, err := list(ctx, entry.Path)
	if err != nil {
		return context.Cause(ctx) // nil unless the walk is over: an unreadable directory is passed over
	}
	return w.walk(ctx, entry.Path, entry.Rel+"/", names, rules)
}

// list reads a directory in steps, since one may hold millions of names.
func list(ctx context.Context, dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	var all []fs.DirEntry
	for {
		some, err := f.ReadDir(batch)
		all = append(all, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}
