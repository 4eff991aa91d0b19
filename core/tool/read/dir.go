package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/file"
)

// The bounds of a directory's listing; what is beyond is counted.
const (
	treeDepth   = 2    // levels
	maxChildren = 12   // entries shown of one directory, the most recent
	maxEntries  = 2000 // entries looked at of one directory; beyond, the rest is not sorted in
)

// listing shows a directory as a tree, what changed last first.
func listing(ctx context.Context, dir string) (string, error) {
	var out strings.Builder
	if err := list(ctx, &out, dir, 1, time.Now()); err != nil {
		return "", err
	}
	if out.Len() == 0 {
		return "(empty directory)", nil
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func list(ctx context.Context, out *strings.Builder, dir string, depth int, now time.Time) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	entries, more, err := recent(dir)
	if err != nil {
		return err
	}
	indent := strings.Repeat("  ", depth-1)
	for _, info := range entries[:min(len(entries), maxChildren)] {
		name, _ := file.Printable([]byte(info.Name()))
		out.WriteString(indent + name + suffix(filepath.Join(dir, info.Name()), info, now) + "\n")
		if info.IsDir() && info.Name() != ".git" && depth < treeDepth {
			if err := list(ctx, out, filepath.Join(dir, info.Name()), depth+1, now); err != nil && ctx.Err() != nil {
				return err
			}
		}
	}
	if left := len(entries) - maxChildren; left > 0 || more {
		text := fmt.Sprint(max(left, 0))
		if more {
			text = "at least " + text
		}
		fmt.Fprintf(out, "%s… %s more\n", indent, text)
	}
	return nil
}

// recent returns a directory's entries, the latest first, and whether it has
// more than were looked at.
func recent(dir string) (entries []fs.FileInfo, more bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }() // read only
	names, err := f.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	for _, item := range names[:min(len(names), maxEntries)] {
		if info, err := item.Info(); err == nil { // else it has just gone
			entries = append(entries, info)
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int {
		if order := b.ModTime().Compare(a.ModTime()); order != 0 {
			return order
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return entries, len(names) > maxEntries, nil
}

// suffix tells what an entry is.
func suffix(path string, info fs.FileInfo, now time.Time) string {
	switch {
	case info.IsDir():
		return "/"
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(path) // empty when it has just gone
		shown, _ := file.Printable([]byte(to))
		return " -> " + shown
	case !info.Mode().IsRegular():
		return " (special)"
	}
	return fmt.Sprintf("  %s  %s", size(info.Size()), age(now.Sub(info.ModTime())))
}

func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%dB", n)
	}
	value, units := float64(n)/unit, "KMGTPE"
	for value >= unit && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f%cB", value, units[0])
}

func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	default:
		return fmt.Sprintf("%dd ago", d/day)
	}
}
