package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxFile bounds a file, in bytes; a larger one is an error.
const maxFile = 1 << 20

// Read reads a regular file as Split does. Errors tell the file, and the line
// where there is one; errors.Is fs.ErrNotExist tells a missing file.
func Read(path string) (Meta, string, error) {
	text, err := readRegular(path)
	if err != nil {
		return Meta{}, "", err
	}
	meta, body, err := Split(text)
	var at *Error
	if errors.As(err, &at) {
		at.File = path
	}
	meta.file = path
	return meta, body, err
}

func readRegular(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // opening a FIFO would wait for ever
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{File: path, Problem: "is not a regular file"}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = &Error{File: path, Problem: fmt.Sprintf("is larger than %d KiB", maxFile>>10)}
	}
	return text, err
}

// projectFolder is where a folder of a project keeps what is for the program.
const projectFolder = ".veyyon"

// ProjectDirs lists the folders of that name in the .veyyon folders of dir and
// of the folders above it, up to the root of its repository; without a
// repository only dir's own. The nearest comes first. They need not exist.
func ProjectDirs(dir, name string) []string {
	var dirs []string
	for at := dir; ; at = filepath.Dir(at) {
		dirs = append(dirs, filepath.Join(at, projectFolder, name))
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return dirs
		}
		if at == filepath.Dir(at) {
			return dirs[:1]
		}
	}
}

// maxEntries bounds what is looked at in one folder, in no order; the rest is
// passed over, which is an error.
const maxEntries = 1024

// Files lists the files in dir whose names end so, sorted, symbolic links among
// them. A folder that is missing has none; any other error is told, also beside
// files.
func Files(dir string, extensions ...string) ([]string, error) {
	entries, err := entries(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && slices.Contains(extensions, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files, err
}

// Entries lists the names in a folder, sorted, without those that are hidden. An
// error may be told beside names.
func Entries(dir string) ([]string, error) {
	entries, err := entries(dir)
	var names []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

func entries(dir string) ([]fs.DirEntry, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0) // opening a FIFO would wait for ever
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	entries, err := f.ReadDir(maxEntries + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(entries) > maxEntries {
		entries, err = entries[:maxEntries], &Error{File: dir, Problem: fmt.Sprintf("holds more than %d files", maxEntries)}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
