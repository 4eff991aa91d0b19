package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/file"
)

// FileName is the name a page has when nobody chose one, from the path of the
// session.
func FileName(session string) string {
	return "veyyon-session-" + strings.TrimSuffix(filepath.Base(session), ".jsonl") + ".html"
}

// File writes the session to a page of its own. The page takes its name when it
// is whole, so that whoever looks sees the old file or the new; a failure leaves
// nothing. Only its owner may read it, as with the session itself.
//
// Folders are not made. What is at path must be a regular file or nothing: a
// symbolic link is refused, so that one planted there leads nowhere. So is keep,
// the session's own file, and any other that is no page: a path that was typed
// wrongly must cost nothing.
func File(ctx context.Context, path, keep string, s Session) error {
	if err := mayReplace(path, keep); err != nil {
		return err
	}
	return file.Make(path, 0o600, func(w io.Writer) error { return Page(ctx, w, s) })
}

func mayReplace(path, keep string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("writing %s: %w", path, errors.Unwrap(err)) // without the path again
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("writing %s: it is a symbolic link", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("writing %s: %w", path, file.ErrIrregular)
	}
	if whole, err := filepath.Abs(path); err == nil && keep != "" && file.Same(whole, keep) {
		return fmt.Errorf("writing %s: it is the session itself", path)
	}
	if err == nil && info.Size() > 0 && !isPage(path) {
		return fmt.Errorf("writing %s: there is a file that is no page", path)
	}
	return nil
}

// isPage tells whether a file is a page by its name, or by how it begins.
func isPage(path string) bool {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".html" || ext == ".htm" {
		return true
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // opening a FIFO that has come since would wait
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // read only
	start := make([]byte, len(pageStart))
	_, err = io.ReadFull(f, start)
	return err == nil && strings.EqualFold(string(start), pageStart)
}

// pageStart is how a page begins.
const pageStart = "<!doctype html>"
