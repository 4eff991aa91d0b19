package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A Reading is a session file that is only looked at, also while another process
// writes it: it has what was in the file when it was read. Its methods may be
// called from any goroutine until Close.
type Reading struct {
	Snapshot
	log *Log
}

// Read looks at the session in a file, which it neither locks nor makes nor
// changes. Its errors are those of Open; a file that is empty Is ErrNotSession.
func Read(path string, o Options) (*Reading, error) {
	f, err := openToRead(path)
	if err != nil {
		return nil, err
	}
	l := &Log{store: newStore(path, f, blobs(o.Blobs))}
	err = l.load(f)
	if errors.Is(err, io.EOF) {
		err = notSession(path)
	}
	if err != nil {
		discard(f)
		return nil, err
	}
	return &Reading{Snapshot: l.Snapshot(), log: l}, nil
}

// Choices is Log.Choices.
func (r *Reading) Choices() Choices { return r.log.Choices() }

// Skipped counts the lines that could not be read.
func (r *Reading) Skipped() int { return r.log.Skipped() }

// Close gives up the file; what entries say cannot be read any more.
func (r *Reading) Close() error { return r.log.file().Close() }

func openToRead(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENXIO) {
		return nil, notSession(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the session file: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		discard(f)
		return nil, notSession(path)
	}
	return f, nil
}

// Apart is Snapshot with a descriptor of its own, so that it outlives the Log.
// The caller closes it.
func (l *Log) Apart() (Snapshot, io.Closer, error) {
	snapshot := l.Snapshot()
	if l.file() == nil {
		return snapshot, io.NopCloser(nil), nil
	}
	f, err := openToRead(l.path())
	if err == nil {
		mine, failed := l.file().Stat()
		found, err := f.Stat()
		if failed == nil && err == nil && os.SameFile(mine, found) {
			snapshot.store = newStore(l.path(), f, l.blobs)
			return snapshot, f, nil
		}
		discard(f)
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotSession) {
		return Snapshot{}, nil, err
	}
	// The file has been deleted or replaced, and lives on in the Log alone.
	return snapshot, io.NopCloser(nil), nil
}
