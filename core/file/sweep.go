package file

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// swept are the folders that this process has swept, by their paths without
// links: one entry for each that a session begins in or that is written to
// outside of these.
var swept sync.Map

// Sweep removes from the folder what writes that a crash has ended left there.
// Drafts of other processes are locked while they live, and stay. It looks once
// in a process: sessions begin often, a folder may be large, and crashes are those
// of processes before.
//
// From then on drafts that need a name have it in this folder while they are on
// their way to any place below, so that there is one place to look for them.
func Sweep(dir string) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return // then nothing was written there either
	}
	if _, done := swept.LoadOrStore(dir, true); !done {
		sweep(dir)
	}
}

// nursery is the nearest folder at or above dir that has been swept. Without one
// dir becomes it.
func nursery(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, ok := swept.Load(at); ok {
			return at
		}
		if at == filepath.Dir(at) {
			Sweep(dir)
			return dir
		}
	}
}

func sweep(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return
	}
	defer func() { _ = folder.Close() }() // only read
	for {
		entries, err := folder.ReadDir(sweepBatch)
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasPrefix(name, tempPrefix) && len(name) == len(tempPrefix)+len(rand.Text()) && entry.Type().IsRegular() {
				removeLitter(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return // mostly the end
		}
	}
}

// sweepBatch is how many names of a folder are held at a time.
const sweepBatch = 256

func removeLitter(path string) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = os.Remove(path) // if not now, then the next time
	}
}
