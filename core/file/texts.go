package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/host"
)

// MaxText is how large a file may be that the host is asked for, in bytes. A
// larger one is read from the disk: the host would have to send all of it for a
// part that is shown.
const MaxText = 32 << 20

// writeGrace is how long an answer is awaited after the end of the call that
// wrote. It is shorter than what a call has to end in.
const writeGrace = 2 * time.Second

// Texts is how tools read and write text files: at the host where it takes part
// in them, on the disk otherwise. Whether a file is there, what kind of thing it
// is and how large, is always up to the disk. The zero value knows the disk only.
//
// Paths are absolute. The host is told the path that was asked for, links and
// all, as that is the one it knows a file by.
type Texts struct {
	Host host.Files
	// Own tells of files that are no business of the host; nil of none.
	Own func(path string) bool
}

// Asks tells whether the host may have another text of this file than the disk.
func (t Texts) Asks(path string) bool { return t.Host.Read != nil && !t.owns(path) }

func (t Texts) owns(path string) bool { return t.Own != nil && t.Own(path) }

// Latest is the text of a file that holds raw on the disk: the host's, which may
// not be saved yet. It is raw itself where the host has no part in it, where it
// fails to give it, which is logged, and where raw is no UTF-8 text, which the
// host could only garble. The error is the cause of ctx.
func (t Texts) Latest(ctx context.Context, path string, raw []byte) ([]byte, error) {
	if !t.Asks(path) || len(raw) > MaxText || !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return raw, nil
	}
	text, err := t.Host.Read(ctx, path)
	if err == nil && len(text) > MaxText {
		err = fmt.Errorf("it has %d bytes there, more than %d", len(text), MaxText)
	}
	switch {
	case err == nil:
		return []byte(text), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	slog.Warn("a file is read from the disk, as the host did not give it", "path", path, "err", err)
	return raw, nil
}

// Write makes data the content of path, whose Target is target, at the host or
// on the disk as Write does; there it makes the directories, too, that are
// missing. What the host has refused, or not answered, is not written to the
// disk.
//
// A write that the host was asked for cannot be taken back: it is not asked once
// ctx has ended, whose cause is the error then, and its answer is awaited for a
// little longer than ctx lasts.
func (t Texts) Write(ctx context.Context, path, target string, data []byte) error {
	if t.Host.Write == nil || !utf8.Valid(data) || t.owns(path) {
		return t.Save(target, data)
	}
	if _, err := writable(target); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	longer, stop := host.Outlive(ctx, writeGrace)
	defer stop()
	if err := t.Host.Write(longer, path, string(data)); err != nil {
		return fmt.Errorf("writing %s at the host: %w", path, err)
	}
	return nil
}

// Save is Write for what is only the disk's business, such as files that move.
func (t Texts) Save(target string, data []byte) error {
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return fmt.Errorf("creating the directory of %s: %w", target, err)
		}
	}
	return Write(target, data)
}
