package file

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Sweep removes from the folder what writes that a crash has ended left there.
// Drafts of other processes are locked while they live, and stay.
func Sweep(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return // then nothing was written there either
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
