package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Find returns the newest session whose id or file name begins with prefix,
// upper or lower case, first in folder, then anywhere below root.
func Find(root, folder, prefix string) (Summary, bool, error) {
	if prefix == "" {
		return Summary{}, false, nil
	}
	files, err := candidates(folder)
	if err != nil {
		return Summary{}, false, err
	}
	slices.SortFunc(files, order)
	if s, ok := firstMatch(files, prefix); ok {
		return s, true, nil
	}
	folders, err := Folders(root)
	if err != nil {
		return Summary{}, false, err
	}
	s, ok := firstMatch(allCandidates(folders), prefix)
	return s, ok, nil
}

func firstMatch(files []candidate, prefix string) (Summary, bool) {
	prefix = strings.ToLower(prefix)
	skipped := 0
	defer func() { tellSkipped(skipped) }()
	for _, s := range sessions(files, nil, &skipped) {
		name := strings.ToLower(filepath.Base(s.Path))
		_, id, _ := strings.Cut(name, "_")
		if strings.HasPrefix(strings.ToLower(s.ID), prefix) || strings.HasPrefix(name, prefix) || strings.HasPrefix(id, prefix) {
			return s, true
		}
	}
	return Summary{}, false
}

// Folders returns the sessions folders of all working folders below root, none
// when that is missing.
func Folders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, filepath.Join(root, entry.Name()))
		}
	}
	return folders, nil
}

// A candidate is a file that may be a session.
type candidate struct {
	path     string
	modified time.Time
	size     int64
}

// order is newest first; of files that were changed at once the last by name.
func order(a, b candidate) int {
	if c := b.modified.Compare(a.modified); c != 0 {
		return c
	}
	return strings.Compare(b.path, a.path)
}

// candidates returns the files of a folder in no order, none when it is missing.
func candidates(folder string) ([]candidate, error) {
	dir, err := os.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	defer discard(dir)
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	files := make([]candidate, 0, len(names))
	below := strings.TrimSuffix(folder, "/") + "/"
	for _, name := range names {
		if filepath.Ext(name) != ".jsonl" {
			continue
		}
		// Where thousands of files are looked at, a walk along the path for each
		// would be most of the work.
		var info unix.Stat_t
		err := unix.Fstatat(int(dir.Fd()), name, &info, unix.AT_SYMLINK_NOFOLLOW)
		if err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
			continue // it is gone, or a link
		}
		files = append(files, candidate{path: below + name, modified: time.Unix(info.Mtim.Unix()), size: info.Size})
	}
	return files, nil
}

// allCandidates returns the files of many folders in order. A folder that cannot
// be read is logged.
func allCandidates(folders []string) []candidate {
	var files []candidate
	for _, folder := range folders {
		more, err := candidates(folder)
		if err != nil {
			slog.Warn("passing over a sessions folder", "err", err)
		}
		files = append(files, more...)
	}
	slices.SortFunc(files, order)
	return files
}

// sessions yields what is a session of files, in their order, and counts what is
// none.
func sessions(files []candidate, shelf *Shelf, skipped *int) iter.Seq2[candidate, Summary] {
	return func(yield func(candidate, Summary) bool) {
		var buf []byte
		for _, file := range files {
			s, err := shelf.summary(file, &buf)
			if err != nil {
				*skipped++
				slog.Debug("passing over a file", "err", err)
			} else if !yield(file, s) {
				return
			}
		}
	}
}

func tellSkipped(skipped int) {
	if skipped > 0 {
		slog.Warn("files among the sessions are no sessions", "files", skipped)
	}
}
