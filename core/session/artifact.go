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

// An artifactCount gives out the numbers of artifacts. Safe for concurrent use.
type artifactCount struct {
	mu   sync.Mutex
	from int // one more than was given last
}

// next is a number that nothing in the folder has, and that it gives only once.
func (c *artifactCount) next(folder string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := max(nextArtifact(folder), c.from)
	c.from = n + 1
	return n
}

// saveArtifact writes text to a free number of the folder, as <n>.<kind>.log
// (facts/agent 3.5). Calls that overlap take different numbers.
func (s *Session) saveArtifact(folder, kind string, text []byte) (int, bool) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		slog.Warn("saving an artifact", "folder", folder, "err", err)
		return 0, false
	}
	n := s.artifacts.next(folder)
	if err := file.Put(filepath.Join(folder, fmt.Sprintf("%d.%s.log", n, kind)), text, 0o600); err != nil {
		slog.Warn("saving an artifact", "folder", folder, "err", err)
		return 0, false
	}
	return n, true
}

// nextArtifact is one more than the highest number in the folder.
func nextArtifact(folder string) int {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0
	}
	next := 0
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), ".")
		if n, err := strconv.Atoi(number); err == nil {
			next = max(next, n+1)
		}
	}
	return next
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
	found, err := filepath.Glob(filepath.Join(folder, strconv.Itoa(n)+".*.log"))
	if err != nil || len(found) == 0 {
		return "", false
	}
	return found[0], true
}
