package session

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// artifacts is the folder of the session's long texts; "" for a session in
// memory.
func (st *state) artifacts() string { return st.s.Folder() }

// An artifactCount gives out the numbers of the artifacts of one folder. Safe
// for concurrent use.
type artifactCount struct {
	mu    sync.Mutex
	known bool // whether the folder has been read
	free  int  // the next number, once it has
}

// next is a number that nothing in the folder has, and that it gives only once.
// The folder is read for the first: only its session saves there.
func (c *artifactCount) next(folder string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		free, err := freeArtifact(folder)
		if err != nil {
			return 0, err
		}
		c.free, c.known = free, true
	}
	c.free++
	return c.free - 1, nil
}

// saveArtifact writes text to a free number of the folder, as <n>.<kind>.log
// (facts/agent 3.5). Calls that overlap take different numbers.
func (s *Session) saveArtifact(folder, kind string, text []byte) (int, bool) {
	n, err := s.putArtifact(folder, kind, text)
	if err != nil {
		slog.Warn("saving an artifact", "folder", folder, "err", err)
	}
	return n, err == nil
}

func (s *Session) putArtifact(folder, kind string, text []byte) (int, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
	}
	n, err := s.artifacts.next(folder)
	if err != nil {
		return 0, err
	}
	return n, file.Put(filepath.Join(folder, fmt.Sprintf("%d.%s.log", n, kind)), text, 0o600)
}

// freeArtifact is one more than the highest number in the folder.
func freeArtifact(folder string) (int, error) {
	entries, err := os.ReadDir(folder)
	free := 0
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), ".")
		if n, err := strconv.Atoi(number); err == nil {
			free = max(free, n+1)
		}
	}
	return free, err
}

// Owns tells whether a path is in the folder of the session that a tool works for.
func Owns(of tool.Session, path string) bool {
	s, ok := Of(of)
	return ok && s.Folder() != "" && file.Under(path, s.Folder())
}

// Artifact is the file of artifact n of the session a tool works for; ok is
// false when there is none.
func Artifact(of tool.Session, n int) (path string, ok bool) {
	v, ours := of.(toolView)
	if !ours {
		return "", false
	}
	folder, err := ask(v.life, v.s, func(st *state) string { return st.artifacts() })
	if err != nil || folder == "" {
		return "", false
	}
	entries, _ := os.ReadDir(folder) // one that cannot be read has none
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, strconv.Itoa(n)+".") && strings.HasSuffix(name, ".log") {
			return filepath.Join(folder, name), true
		}
	}
	return "", false
}
