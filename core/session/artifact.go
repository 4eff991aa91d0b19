package session

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"veyyon.dev/veyyon/core/tool"
)

// artifacts is the folder of the session's long texts; "" for a session in
// memory.
func (st *state) artifacts() string { return strings.TrimSuffix(st.log().Path(), ".jsonl") }

// saveArtifact writes text to the first free number of the folder, as
// <n>.<kind>.log (facts/agent 3.5). Calls that overlap take different numbers.
func saveArtifact(folder, kind string, text []byte) (int, bool) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		slog.Warn("saving an artifact", "folder", folder, "err", err)
		return 0, false
	}
	for n := nextArtifact(folder); ; n++ {
		name := filepath.Join(folder, strconv.Itoa(n)+".lock")
		claim, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			_, err = claim.Write(text)
			if closed := claim.Close(); err == nil {
				err = closed
			}
		}
		if err == nil {
			err = os.Rename(name, filepath.Join(folder, fmt.Sprintf("%d.%s.log", n, kind)))
		}
		if err != nil {
			_ = os.Remove(name) // half written: nobody is to find it
			slog.Warn("saving an artifact", "folder", folder, "err", err)
			return 0, false
		}
		return n, true
	}
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
